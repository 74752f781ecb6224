"""What no schema thinks of: broken JSON, half characters, numbers that are none, names that are made up."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from support.proof_schema import contracts

CONTRACTS = contracts()
WORD = "zyxwombat"
"""Stands in everything that is wrong, and must not come back."""

ASKING: dict[str, dict[str, Any]] = {
    "/v1/ask": {
        "question": "What is a node?",
        "session": {"id": "x", "token": "y"},
        "selection": {"text": "a node is", "only": False, "page_url": "u"},
        "filters": {"chapter": ["a"], "section": "b", "page": []},
        "through_chapter": 2,
        "top_k": 3,
        "threshold": 0.5,
        "remember": False,
        "user": "u",
    },
    "/contracts/threads/chat/run": {"message": "What is a node?", "top_k": 3, "similarity_threshold": 0.3},
    "/contracts/threads/chat/stream": {"message": "What is a node?", "session_id": None, "stream": False},
    "/contracts/citations/chat": {
        "query": "What is a node?",
        "mode": "selected_text",
        "selected_text": "A node is a program",
        "score_threshold": 0.1,
    },
    "/contracts/citations/chat/stream": {
        "query": "What is a node?",
        "session_id": None,
        "filters": {"source_url": ["x"], "page_title": "y"},
    },
    "/contracts/grounding/chat": {
        "query_text": "What is a node?",
        "context_mode": "user_provided",
        "user_context": "A node is a program",
        "filters": {"chapter": "x"},
        "conversation_id": "x",
        "thread_id": "t",
    },
    "/contracts/course/chat": {
        "user_id": "u",
        "message": "What is a node?",
        "session_id": "s",
        "selected_text": "A node is",
    },
    "/contracts/pipeline/query": {"question": "What is a node?", "session_id": "x"},
}
BODIES: dict[str, dict[str, Any]] = {
    **ASKING,
    "/v1/sessions": {"user": "u", "metadata": {"a": "b"}},
    "/v1/feedback": {"exchange_id": "x", "helpful": True, "reason": "r", "session": {"id": "x"}, "user": "u"},
    "/contracts/grounding/chat/session": {"user_id": "u", "filters": {"chapter": "x"}},
}
WRONG: list[Any] = [
    f"{WORD}\ud800",
    f"\udfff{WORD}",
    f"{WORD}\x00",
    f"\x1b[31m{WORD}",
    WORD * 3000,
    " \n\t ",
    "",
    True,
    None,
    -1,
    1.5,
    10**400,
    float("inf"),
    float("nan"),
    [],
    [[WORD]],
    {},
    {WORD: 1},
    {f"{WORD}\ud800": 1},
]
NOTHING = [b"", b"null"]
MAY_SEND_NOTHING = {"/contracts/grounding/chat/session"}
BROKEN = [
    b"{",
    b"[]",
    b'"zyxwombat"',
    b"\xff\xfe",
    b"[" * 9000,
    b'{"a":' * 9000,
    b"{}{}",
]
TYPES = ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
CHARSETS = ["application/json; charset=utf-16", "application/json; charset=zyxwombat"]


@pytest.mark.parametrize("path", BODIES)
def test_a_value_that_no_field_has_is_refused_as_documented_and_not_repeated(
    client: TestClient, path: str
) -> None:
    statuses = _documented(path)

    for body in _spoiled(BODIES[path]):
        reply = _post(client, path, json.dumps(body).encode())
        assert reply.status_code in statuses, (body, reply.text)
        assert reply.status_code < 500, (body, reply.text)
        assert reply.status_code < 300 or WORD not in reply.text, (body, reply.text)


@pytest.mark.parametrize("path", BODIES)
def test_what_is_no_json_is_a_400_in_the_contracts_own_shape(client: TestClient, path: str) -> None:
    nothing = [] if path in MAY_SEND_NOTHING else NOTHING
    is_refused = [_post(client, path, content) for content in [*BROKEN, *nothing]]

    assert {reply.status_code for reply in is_refused} <= {400, 413}
    assert all(reply.json().keys() == is_refused[0].json().keys() for reply in is_refused)
    assert all(WORD not in reply.text for reply in is_refused)


@pytest.mark.parametrize("path", BODIES)
def test_another_content_type_is_no_failure_of_ours(client: TestClient, path: str) -> None:
    statuses = _documented(path)

    for content_type in [*TYPES, *CHARSETS]:
        reply = _post(client, path, json.dumps(BODIES[path]).encode(), content_type)
        assert reply.status_code in statuses, (content_type, reply.text)
        assert reply.status_code < 500, (content_type, reply.text)


@pytest.mark.parametrize("path", ASKING)
@pytest.mark.parametrize("key", ["", "a b", "x" * 256, "\x7f", "é"])
def test_what_is_no_idempotency_key_is_a_400(client: TestClient, path: str, key: str) -> None:
    headers = {"content-type": "application/json", "idempotency-key": key.encode("latin-1")}

    assert client.post(path, content=json.dumps(BODIES[path]), headers=headers).status_code == 400


def test_an_address_that_no_client_would_write_is_a_refusal(client: TestClient) -> None:
    odd = ["%ff", "%00", "%0a", "%ed%a0%80", "..%2f..%2fetc", "%f0%9f%a4%96", "a" * 3000]
    paths = [
        *(f"/v1/sessions/{text}" for text in odd),
        *(f"/v1/sections/{text}" for text in odd),
        *(f"/v1/users/{text}" for text in odd),
        *(f"/v1/search?q=node&chapter={text}" for text in odd),
        *(f"/v1/search?q={text}" for text in odd),
        *(f"/contracts/threads/session/{text}/history" for text in odd),
        *(f"/contracts/course/history?session_id=a&user_id={text}" for text in odd),
        *(f"/contracts/grounding/chat/session/{text}" for text in odd),
        *(f"/contracts/{text}" for text in odd),
    ]

    for path in paths:
        for method in ("GET", "POST", "DELETE", "PATCH", "WOMBAT"):
            reply = client.request(method, path)
            assert reply.status_code < 500, (method, path, reply.text)


@pytest.mark.parametrize("mounted", CONTRACTS.values(), ids=lambda mounted: str(mounted.contract))
def test_a_line_end_in_a_path_is_still_the_contracts_own(client: TestClient, mounted: Any) -> None:
    usual, odd = client.get(f"{mounted.prefix}/nowhere"), client.get(f"{mounted.prefix}/no%0awhere")

    assert odd.status_code == usual.status_code == 404
    assert odd.json().keys() == usual.json().keys()


def _spoiled(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The body with each of its values wrong in each way, however deep it stands."""
    for name, value in body.items():
        yield from ({**body, name: wrong} for wrong in WRONG)
        if isinstance(value, dict):
            yield from ({**body, name: spoiled} for spoiled in _spoiled(value))
    yield {**body, f"{WORD}\ud800": 1}


def _post(client: TestClient, path: str, content: bytes, content_type: str = "application/json") -> Any:
    return client.post(path, content=content, headers={"content-type": content_type})


def _documented(path: str) -> set[int]:
    for mounted in CONTRACTS.values():
        if path.startswith(f"{mounted.prefix}/"):
            operation = mounted.app.openapi()["paths"][path.removeprefix(mounted.prefix)]["post"]
            return {int(status) for status in operation["responses"]}
    raise AssertionError(f"nobody serves {path}")
