"""The citations contract: what may be sent, on both sides of every limit."""

from __future__ import annotations

import uuid
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

CITATIONS = "/contracts/citations"
CHAT = f"{CITATIONS}/chat"
CANARY = "canary-5e1f"
ANY = "c232ab00-9414-11ec-b3c8-9f6bdeced846"


def send(client: TestClient, **sent: Any) -> httpx2.Response:
    return client.post(CHAT, json={"query": "Hello!", **sent})


def send_raw(
    client: TestClient, content: str | bytes, content_type: str = "application/json"
) -> httpx2.Response:
    return client.post(CHAT, content=content, headers={"Content-Type": content_type})


def assert_invalid(response: httpx2.Response, *fields: str) -> None:
    assert response.status_code == 400, response.text
    body = response.json()
    assert body.keys() == {"error_code", "message", "details", "trace_id", "detail"}
    assert body["error_code"] == "validation_error"
    assert body["trace_id"] == response.headers["x-trace-id"]
    assert set((body["details"] or {"fields": {}})["fields"]) == set(fields)


@pytest.mark.parametrize(
    "sent",
    [
        {"query": "a"},
        {"query": "a" * 2000},
        {"query": f" \n{'ä' * 2000}\t "},
        {"session_id": None},
        {"session_id": ANY},
        {"session_id": ANY.upper()},
        {"session_id": str(uuid.uuid4())},
        {"mode": "general"},
        {"mode": "selected_text", "selected_text": "a"},
        {"mode": "selected_text", "selected_text": "a" * 10_000},
        {"selected_text": "a" * 10_000},
        {"selected_text": ""},
        {"top_k": 1},
        {"top_k": 20},
        {"score_threshold": None},
        {"score_threshold": 0},
        {"score_threshold": 1},
        {"filters": None},
        {"filters": {"source_url": "a", "page_title": ["a", "b"], "section_heading": "a"}},
        {"filters": {"page_title": ["a"] * 100}},
        {"something": "else"},
    ],
)
def test_what_is_within_the_limits_is_taken(client: TestClient, sent: dict[str, Any]):
    response = send(client, **sent)
    assert response.status_code == 200, response.text


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("query", ["", " ", "\n\t\u3000", "a" * 2001, None, 5, ["a"], True]),
        (
            "session_id",
            [
                "",
                "12345",
                ANY.replace("-", ""),
                f"{{{ANY}}}",
                f"urn:uuid:{ANY}",
                f"{ANY}\n",
                f"g{ANY[1:]}",
                5,
            ],
        ),
        ("mode", ["", "other", "GENERAL", None, 5]),
        ("selected_text", ["a" * 10_001, 5, ["a"]]),
        ("top_k", [0, 21, -1, 5.5, "5", True, None, 10**30]),
        ("score_threshold", [-0.01, 1.01, "0.5", True]),
        ("filters", [[], "source_url", 5, {"chapter": "a"}, {"source_url": "a", "": "b"}]),
        ("filters.source_url", [{"source_url": value} for value in (5, None, {}, ["a"] * 101)]),
        ("filters.page_title.0", [{"page_title": value} for value in ("", [5], [""], [["a"]], "a" * 2001)]),
    ],
)
def test_what_is_outside_of_them_is_refused_by_the_name_of_its_field(
    client: TestClient, field: str, values: list[Any]
):
    for value in values:
        assert_invalid(send(client, **{field.partition(".")[0]: value}), field)


@pytest.mark.parametrize(
    "missing", [{}, {"selected_text": None}, {"selected_text": ""}, {"selected_text": " \n\t"}]
)
def test_a_selection_is_required_in_its_mode_and_must_not_be_blank(
    client: TestClient, missing: dict[str, Any]
):
    assert_invalid(send(client, mode="selected_text", **missing), "selected_text")


def test_an_unknown_filter_is_answered_with_the_known_ones(client: TestClient):
    response = send(client, filters={CANARY: "a"})
    assert_invalid(response, "filters")
    told = response.json()["details"]["fields"]["filters"]
    assert all(name in told for name in ("source_url", "page_title", "section_heading"))
    assert CANARY not in response.text


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_what_is_no_number_is_refused(client: TestClient, number: str):
    assert_invalid(send_raw(client, f'{{"query": "Hello!", "score_threshold": {number}}}'), "score_threshold")


@pytest.mark.parametrize(
    "content", [b"{", b"", b"\xff\xfe{}", b"null", b"[]", b'"Hello!"', b'{"query": "a",}']
)
def test_what_is_no_json_object_is_refused_as_a_body(client: TestClient, content: bytes):
    assert_invalid(send_raw(client, content), "body")


def test_json_that_does_not_say_that_it_is_json_is_refused(client: TestClient):
    assert_invalid(send_raw(client, b'{"query": "Hello!"}', "text/plain"), "body")


@pytest.mark.parametrize(
    ("sent", "fields"),
    [
        (r'{"query": "a\ud800b"}', ["query"]),
        (r'{"query": "a", "session_id": "\udfff"}', ["session_id"]),
        (r'{"query": "a", "mode": "\ud800"}', ["mode"]),
        (r'{"query": "a", "mode": "selected_text", "selected_text": "a\ud800"}', ["selected_text"]),
        (r'{"query": "a", "filters": {"\ud800": "a"}}', ["filters"]),
        (r'{"query": "a", "filters": {"page_title": "\ud800"}}', ["filters.page_title.0"]),
        (r'{"query": "a", "filters": {"source_url": ["\ud800"]}}', ["filters.source_url.0"]),
    ],
)
def test_half_a_character_is_refused_in_every_text(client: TestClient, sent: str, fields: list[str]):
    assert_invalid(send_raw(client, sent), *fields)


@pytest.mark.parametrize("character", ["\x00", "\x07", "\x1c", "\x7f"])
def test_control_characters_are_refused(client: TestClient, character: str):
    assert_invalid(send(client, query=f"What{character} is a topic?"))
    assert_invalid(send(client, mode="selected_text", selected_text=f"a{character}b"))
    assert_invalid(send(client, filters={"page_title": f"a{character}b"}))


def test_a_body_that_is_too_large_is_refused(client: TestClient):
    response = send_raw(client, b" " * 131_073)
    assert (response.status_code, response.json()["error_code"]) == (413, "validation_error")


@pytest.mark.parametrize(
    "sent",
    [
        {"query": CANARY * 200},
        {"session_id": CANARY},
        {"mode": CANARY},
        {"selected_text": CANARY * 1000},
        {"top_k": CANARY},
        {"score_threshold": {CANARY: CANARY}},
        {"filters": {CANARY: CANARY}},
        {"filters": {"source_url": {CANARY: CANARY}}},
    ],
)
def test_what_was_sent_is_never_repeated(client: TestClient, sent: dict[str, Any]):
    response = send(client, **sent)
    assert response.status_code == 400
    assert CANARY not in response.text


@pytest.mark.parametrize("limit", ["0", "21", "-1", "a", "1.5", ""])
def test_at_most_twenty_exchanges_are_shown(client: TestClient, limit: str):
    response = client.get(f"{CITATIONS}/conversations/{ANY}", params={"limit": limit})
    assert_invalid(response, "limit")


@pytest.mark.parametrize("session_id", [CANARY, "%00", "%ed%a0%80", ANY.replace("-", "")])
def test_an_id_in_an_address_must_be_a_uuid(client: TestClient, session_id: str):
    response = client.get(f"{CITATIONS}/conversations/{session_id}")
    assert_invalid(response, "session_id")
    assert CANARY not in response.text
