"""The threads contract: what may be sent, on both sides of every limit."""

from __future__ import annotations

import json
import uuid
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

RUN = "/contracts/threads/chat/run"
CANARY = "canary-5e1f"
V4 = str(uuid.uuid4())


def send(client: TestClient, **sent: Any) -> httpx2.Response:
    return client.post(RUN, json={"message": "Hello!", **sent})


def send_raw(client: TestClient, content: bytes, content_type: str = "application/json") -> httpx2.Response:
    return client.post(RUN, content=content, headers={"Content-Type": content_type})


def assert_invalid(response: httpx2.Response, *fields: str) -> None:
    assert response.status_code == 400, response.text
    body = response.json()
    assert body.keys() == {"error", "message", "details", "timestamp", "request_id", "detail"}
    assert body["error"] == "VALIDATION_ERROR"
    assert body["details"]["suggestion"]
    assert set(body["details"].get("fields", {})) == set(fields)
    assert body["request_id"] == response.headers["x-trace-id"]


@pytest.mark.parametrize(
    "sent",
    [
        {"message": "a"},
        {"message": "a" * 1000},
        {"message": f" \n{'ä' * 1000}\t "},
        {"message": "URDF 🤖 کیا ہے؟ =========="},
        {"session_id": None},
        {"session_id": V4},
        {"session_id": V4.upper()},
        {"stream": False},
        {"top_k": 1},
        {"top_k": 10},
        {"similarity_threshold": 0},
        {"similarity_threshold": 0.0},
        {"similarity_threshold": 1},
        {"something": "else"},
    ],
)
def test_what_is_within_the_limits_is_taken(client: TestClient, sent: dict[str, Any]):
    response = send(client, **sent)
    assert response.status_code == 200, response.text


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("message", ["", " ", "\n\t\u3000", "a" * 1001, None, 5, ["a"], True]),
        (
            "session_id",
            [
                "",
                "c232ab00-9414-11ec-b3c8-9f6bdeced846",
                V4.replace("-", ""),
                f"{{{V4}}}",
                f"urn:uuid:{V4}",
                f"{V4}\n",
                f" {V4}",
                "550e8400-e29b-41d4-c716-446655440000",
                "٥50e8400-e29b-41d4-a716-446655440000",
                5,
            ],
        ),
        ("stream", ["yes", 1, None, "true"]),
        ("top_k", [0, 11, -1, 5.5, "5", True, None, 10**30]),
        ("similarity_threshold", [-0.01, 1.01, "0.5", True, None]),
    ],
)
def test_what_is_outside_of_them_is_refused_by_the_name_of_its_field(
    client: TestClient, field: str, values: list[Any]
):
    for value in values:
        assert_invalid(send(client, **{field: value}), field)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_what_is_no_number_is_refused(client: TestClient, number: str):
    content = f'{{"message": "Hello!", "similarity_threshold": {number}}}'
    assert_invalid(send_raw(client, content.encode()), "similarity_threshold")


def test_a_message_is_required(client: TestClient):
    assert_invalid(client.post(RUN, json={}), "message")


@pytest.mark.parametrize(
    "content", [b"{", b"", b"\xff\xfe{}", b"null", b"[]", b'"Hello!"', b'{"message": "a",}']
)
def test_what_is_no_json_object_is_refused_as_a_body(client: TestClient, content: bytes):
    assert_invalid(send_raw(client, content), "body")


def test_json_that_does_not_say_that_it_is_json_is_refused(client: TestClient):
    assert_invalid(send_raw(client, b'{"message": "Hello!"}', "text/plain"), "body")


def test_json_that_is_nested_without_end_is_refused(client: TestClient):
    assert send_raw(client, b"[" * 10_000).status_code == 400


@pytest.mark.parametrize("text", [r"a\ud800b", r"\udfff"])
def test_half_a_character_is_refused_in_every_text(client: TestClient, text: str):
    assert_invalid(send_raw(client, f'{{"message": "{text}"}}'.encode()), "message")
    assert_invalid(send_raw(client, f'{{"message": "a", "session_id": "{text}"}}'.encode()), "session_id")
    assert send_raw(client, f'{{"message": "Hello!", "{text}": "{text}"}}'.encode()).status_code == 200


@pytest.mark.parametrize("character", ["\x00", "\x07", "\x1c", "\x7f"])
def test_control_characters_are_refused(client: TestClient, character: str):
    assert_invalid(send(client, message=f"What{character} is a topic?"))


def test_a_body_of_ten_kilobytes_is_taken_and_one_more_byte_is_not(client: TestClient):
    body = json.dumps({"message": "Hello!"}).encode()
    fits = send_raw(client, body + b" " * (10_240 - len(body)))
    too_large = send_raw(client, body + b" " * (10_241 - len(body)))
    assert fits.status_code == 200, fits.text
    assert (too_large.status_code, too_large.json()["error"]) == (413, "PAYLOAD_TOO_LARGE")
    assert "10 KB" in too_large.json()["details"]["suggestion"]


@pytest.mark.parametrize(
    "sent",
    [
        {"message": CANARY * 200},
        {"session_id": CANARY},
        {"top_k": CANARY},
        {"stream": CANARY},
        {"similarity_threshold": {CANARY: CANARY}},
    ],
)
def test_what_was_sent_is_never_repeated(client: TestClient, sent: dict[str, Any]):
    response = send(client, **sent)
    assert response.status_code == 400
    assert CANARY not in response.text


@pytest.mark.parametrize("session_id", [CANARY, "c232ab00-9414-11ec-b3c8-9f6bdeced846", "%00", "%ed%a0%80"])
def test_an_id_in_an_address_must_be_a_uuid_of_version_4(client: TestClient, session_id: str):
    for method, path in (("GET", f"/session/{session_id}/history"), ("DELETE", f"/session/{session_id}")):
        response = client.request(method, f"/contracts/threads{path}")
        assert_invalid(response, "session_id")
        assert CANARY not in response.text
