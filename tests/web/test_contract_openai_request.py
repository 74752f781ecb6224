"""The OpenAI contract: what may be sent, on both sides of every limit."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

COMPLETIONS = "/openai/v1/chat/completions"
CANARY = "canary-5e1f"


def send(client: TestClient, **sent: Any) -> httpx2.Response:
    return client.post(COMPLETIONS, json={"model": "m", "messages": said("Hello!"), **sent})


def send_raw(client: TestClient, content: bytes, content_type: str = "application/json") -> httpx2.Response:
    return client.post(COMPLETIONS, content=content, headers={"Content-Type": content_type})


def said(content: Any, role: str = "user") -> list[dict[str, Any]]:
    return [{"role": role, "content": content}]


def part(text: Any, kind: str = "text") -> dict[str, Any]:
    return {"type": kind, "text": text}


def assert_invalid(response: httpx2.Response, param: str | None) -> None:
    assert response.status_code == 400, response.text
    error = response.json()["error"]
    assert error.keys() == {"message", "type", "param", "code"}
    assert (error["type"], error["param"], error["code"]) == (
        "invalid_request_error",
        param,
        "invalid_request",
    )


@pytest.mark.parametrize(
    "sent",
    [
        {"messages": said("a")},
        {"messages": said("a" * 2000)},
        {"messages": said(f" \n{'ä' * 2000}\t ")},
        {"messages": said("URDF 🤖 کیا ہے؟ ==========")},
        {"messages": said([part("a" * 999), part("b" * 1000)])},
        {"messages": [*said("x" * 5000), *said("y" * 5000, "assistant"), *said("Hello!")]},
        {"messages": [*said("x" * 32_000, "system"), *said("Hello!")]},
        {"messages": [*said([part("x" * 15_999), part("y" * 16_000)], "assistant"), *said("Hello!")]},
        {"messages": [*said("x" * 31_998, "tool") * 3, *said("y" * 4000, "assistant"), *said("Hello!")]},
        {"messages": [*said(None, "assistant"), {"role": "assistant"}, *said("Hello!")]},
        {"messages": [*said([], "system"), *said("Hello!")]},
        {"model": ""},
        {"model": "gpt-4o"},
        {"stream": False},
        {"stream": None},
        {"n": 1},
        {"n": None},
        {"user": ""},
        {"user": "u" * 255},
        {"user": None},
        {"stream_options": None},
        {"temperature": "hot", "max_tokens": -1, "tools": 7, "logit_bias": None},
    ],
)
def test_what_is_within_the_limits_is_taken(client: TestClient, sent: dict[str, Any]):
    assert send(client, **sent).status_code == 200


@pytest.mark.parametrize(
    ("sent", "param"),
    [
        ({"messages": []}, "messages"),
        ({"messages": None}, "messages"),
        ({"messages": "Hello!"}, "messages"),
        ({"messages": ["Hello!"]}, "messages.0"),
        ({"messages": said("")}, "messages"),
        ({"messages": said(" \n ")}, "messages"),
        ({"messages": said(None)}, "messages"),
        ({"messages": said([])}, "messages"),
        ({"messages": said("a" * 2001)}, "messages"),
        ({"messages": said([part("a" * 1000), part("b" * 1000)])}, "messages"),
        ({"messages": said("Hello!", "assistant")}, "messages"),
        ({"messages": [*said("Hello!"), *said("", "user")]}, "messages"),
        ({"messages": [*said("x" * 32_001, "system"), *said("Hello!")]}, "messages.0.content"),
        ({"messages": [*said("Hello!"), *said([part("x" * 16_000)] * 2)]}, "messages.1.content"),
        ({"messages": [*said("x" * 32_000, "tool") * 3, *said("y" * 3995), *said("Hello!")]}, "messages"),
        ({"messages": said("Hello!", "function")}, "messages.0.role"),
        ({"messages": [{"content": "Hello!"}]}, "messages.0.role"),
        ({"messages": said(7)}, "messages.0.content"),
        ({"messages": said({"type": "text", "text": "Hello!"})}, "messages.0.content"),
        ({"messages": said(["Hello!"])}, "messages.0.content"),
        ({"messages": said([part("Hello!", "input_text")])}, "messages.0.content"),
        ({"messages": said([part(7)])}, "messages.0.content"),
        ({"messages": said([part("Hello!"), {"type": "image_url"}])}, "messages.0.content"),
        ({"model": None}, "model"),
        ({"model": 7}, "model"),
        ({"stream": 1}, "stream"),
        ({"stream": "true"}, "stream"),
        ({"n": 0}, "n"),
        ({"n": 2}, "n"),
        ({"n": True}, "n"),
        ({"n": 1.0}, "n"),
        ({"user": 7}, "user"),
        ({"user": "u" * 256}, "user"),
        ({"stream_options": []}, "stream_options"),
        ({"stream_options": {"include_usage": 1}}, "stream_options.include_usage"),
    ],
)
def test_what_is_beyond_them_is_refused_by_its_name(client: TestClient, sent: dict[str, Any], param: str):
    assert_invalid(send(client, **sent), param)


def test_how_long_messages_may_be_is_told(client: TestClient):
    one = send(client, messages=[*said("x" * 32_001, "assistant"), *said("Hello!")])
    assert one.json()["error"]["message"] == (
        "The request is not valid. messages.0.content: must have at most 32000 characters."
    )
    all_together = send(client, messages=[*said("x" * 25_000, "assistant") * 4, *said("Hello!")])
    assert all_together.json()["error"]["message"] == (
        "The request is not valid. messages: must have at most 100000 characters in all."
    )


@pytest.mark.parametrize("missing", ["model", "messages"])
def test_a_model_and_messages_are_required(client: TestClient, missing: str):
    body = {"model": "m", "messages": said("Hello!")}
    del body[missing]
    assert_invalid(client.post(COMPLETIONS, json=body), missing)


@pytest.mark.parametrize(
    "content", [b"{", b"", b"\xff\xfe{}", b"null", b"[]", b'"Hello!"', b'{"model": "m",}']
)
def test_what_is_no_json_object_is_refused_as_a_body(client: TestClient, content: bytes):
    response = send_raw(client, content)
    assert (response.status_code, response.json()["error"]["code"]) == (400, "invalid_request")


def test_json_that_is_nested_without_end_is_refused(client: TestClient):
    assert send_raw(client, b"[" * 10_000).status_code == 400


@pytest.mark.parametrize("text", [r"a\ud800b", r"\udfff"])
def test_half_a_character_is_refused_in_every_text(client: TestClient, text: str):
    def raw(messages: str, model: str = "m") -> httpx2.Response:
        return send_raw(client, f'{{"model": "{model}", "messages": [{messages}]}}'.encode())

    hello = '{"role": "user", "content": "Hello!"}'
    assert_invalid(raw(f'{{"role": "user", "content": "{text}"}}'), "messages.0.content")
    assert_invalid(raw(f'{{"role": "system", "content": "{text}"}}, {hello}'), "messages.0.content")
    assert_invalid(raw(hello, model=text), "model")


@pytest.mark.parametrize("character", ["\x00", "\x07", "\x1c", "\x7f"])
def test_control_characters_are_refused_in_what_is_read(client: TestClient, character: str):
    assert_invalid(send(client, messages=said(f"What{character} is a topic?")), None)
    before = [*said("Hello!"), *said(f"Hello{character}!", "assistant")]
    assert_invalid(send(client, messages=[*before, *said("What is a topic?")]), None)
    ignored = said(f"Be{character} kind.", "system")
    assert send(client, messages=[*ignored, *said("Hello!")]).status_code == 200


def test_a_body_over_the_cap_is_refused(client: TestClient):
    body = json.dumps({"model": "m", "messages": said("Hello!")}).encode()
    assert send_raw(client, body + b" " * (131_072 - len(body))).status_code == 200
    too_large = send_raw(client, body + b" " * (131_073 - len(body)))
    assert (too_large.status_code, too_large.json()["error"]["code"]) == (413, "request_too_large")


@pytest.mark.parametrize(
    "sent",
    [
        {"messages": said(CANARY * 200)},
        {"messages": said(CANARY, CANARY)},
        {"messages": said([{CANARY: CANARY}])},
        {"messages": CANARY},
        {"model": {CANARY: CANARY}},
        {"stream": CANARY},
        {"n": CANARY},
        {"user": CANARY * 200},
        {"stream_options": {"include_usage": CANARY}},
    ],
)
def test_what_was_sent_is_never_repeated(client: TestClient, sent: dict[str, Any]):
    response = send(client, **sent)
    assert response.status_code == 400
    assert CANARY not in response.text
