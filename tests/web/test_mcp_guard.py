"""The tools over HTTP stand behind the same guard as every contract, and leave nothing behind."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

from glossator.model import KeyKind, Scope
from glossator.web.mcp.request import ErrorBody, render
from glossator.web.problem import STATUS, Problem, ProblemKind, problem_of
from support.recorded_examples import add_key

PAGE = "https://book.example"
RARE = "zyxomorphic"
"""Stands in what is sent; in no book, no setting and no message of ours."""
ANSWER = "lasts four hours of walking"
ASKED = {"name": "ask_book", "arguments": {"question": "What is a topic?"}}
READ = {"name": "list_chapters", "arguments": {}}

MakeClient = Callable[..., TestClient]


def send(
    client: TestClient, method: str, params: dict[str, Any], headers: dict[str, str] | None = None
) -> httpx2.Response:
    body = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
    accepts = {"Accept": "application/json, text/event-stream"}
    return client.post("/mcp", json=body, headers={**accepts, **(headers or {})})


def call(client: TestClient, params: dict[str, Any], headers: dict[str, str] | None = None) -> dict[str, Any]:
    response = send(client, "tools/call", params, headers)
    assert response.status_code == 200, response.text
    return response.json()["result"]


def bearer(key: str, **headers: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}", **headers}


def assert_refused(response: httpx2.Response, status: int, kind: str) -> None:
    assert response.status_code == status, response.text
    body = response.json()
    assert (body["jsonrpc"], body["id"]) == ("2.0", None)
    assert body["error"]["data"]["code"] == kind
    assert body["error"]["data"]["trace_id"] == response.headers["x-trace-id"]


@pytest.mark.parametrize("kind", ProblemKind)
def test_every_kind_of_problem_is_an_error_of_json_rpc(kind: ProblemKind):
    problem = Problem(kind, STATUS[kind], "It failed.", retryable=True, trace_id="a" * 32, retry_after=1.2)
    response = render(problem)
    body = json.loads(bytes(response.body))
    assert response.status_code == STATUS[kind]
    assert response.headers["retry-after"] == "2"
    assert body["error"]["message"] == "It failed."
    assert -32768 <= body["error"]["code"] <= -32000
    assert body["error"]["data"] == {
        "code": kind.value,
        "retryable": True,
        "retry_after": 2,
        "trace_id": "a" * 32,
    }
    ErrorBody.model_validate(body)


def test_an_unexpected_error_shows_nothing_of_itself():
    response = render(problem_of(RuntimeError("canary")))
    assert response.status_code == 500
    assert b"canary" not in bytes(response.body)


def test_without_a_key_nobody_gets_in(make_client: MakeClient, tmp_path: Path):
    add_key(tmp_path / "records.sqlite")
    client = make_client()
    missing = send(client, "tools/list", {})
    assert_refused(missing, 401, "unauthorized")
    assert missing.headers["www-authenticate"] == "Bearer"
    assert_refused(send(client, "tools/list", {}, bearer("wrong")), 401, "unauthorized")


def test_asking_and_reading_each_need_their_scope(make_client: MakeClient, tmp_path: Path):
    asks, reads = (
        bearer(add_key(tmp_path / "records.sqlite", scopes=[scope])) for scope in (Scope.ASK, Scope.READ)
    )
    client = make_client()
    assert not call(client, ASKED, asks)["isError"]
    assert not call(client, READ, reads)["isError"]
    for params, key in ((ASKED, reads), (READ, asks)):
        refused = call(client, params, key)
        assert refused["isError"]
        assert refused["content"][0]["text"] == "This key may not do that."
        assert refused["_meta"]["code"] == "forbidden"


def test_each_of_the_tools_that_read_needs_the_scope(make_client: MakeClient, tmp_path: Path):
    asks = bearer(add_key(tmp_path / "records.sqlite", scopes=[Scope.ASK]))
    client = make_client()
    for name in ("search_book", "read_section", "list_chapters"):
        # Not even what is wrong with the arguments is told.
        assert call(client, {"name": name, "arguments": {}}, asks)["_meta"]["code"] == "forbidden"


def test_a_publishable_key_asks_from_its_own_pages(make_client: MakeClient, tmp_path: Path):
    shown = add_key(tmp_path / "records.sqlite", KeyKind.PUBLISHABLE, origins=[PAGE])
    client = make_client()
    assert not call(client, ASKED, bearer(shown, Origin=PAGE))["isError"]
    assert call(client, READ, bearer(shown, Origin=PAGE))["isError"]
    assert_refused(send(client, "tools/call", ASKED, bearer(shown)), 403, "forbidden")


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Origin": "https://evil.example"}])
def test_a_page_that_gave_its_name_our_address_gets_nothing(client: TestClient, headers: dict[str, str]):
    assert_refused(send(client, "tools/list", {}, headers), 403, "forbidden")


@pytest.mark.parametrize("headers", [{"Host": "localhost:8000"}, {"Origin": "http://localhost:6274"}])
def test_a_page_of_this_machine_may_use_an_open_server(client: TestClient, headers: dict[str, str]):
    assert send(client, "tools/list", {}, headers).status_code == 200


def test_there_are_no_sessions_so_any_worker_may_answer(client: TestClient):
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    greeted = send(client, "initialize", hello)
    assert greeted.json()["result"]["serverInfo"]["name"] == "glossator"
    assert "mcp-session-id" not in greeted.headers
    assert set(greeted.json()["result"]["capabilities"]) <= {"tools", "experimental"}
    assert not call(client, READ)["isError"]


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH", "OPTIONS"])
def test_only_posts_are_taken(client: TestClient, method: str):
    response = client.request(method, "/mcp", headers={"Accept": "text/event-stream"})
    assert_refused(response, 405, "method_not_allowed")
    assert response.headers["allow"] == "POST"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"\xff\xfe",
        b"[" * 10_000,
        b'{"canary": 1}',
        b'{"jsonrpc": "1.0", "id": "canary", "method": "tools/list"}',
        b'[{"jsonrpc": "2.0", "id": 1, "method": "canary"}]',
        rb'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"a": "\ud800"}}',
    ],
)
@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
def test_what_is_no_message_is_refused_and_not_repeated(client: TestClient, content: bytes, version: str):
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": version,
    }
    response = client.post("/mcp", content=content, headers=headers)
    assert_refused(response, 400, "invalid")
    assert "canary" not in response.text


def test_wrong_parameters_are_not_repeated(client: TestClient):
    wrong = ({"name": 7, "arguments": {}}, {"name": "ask_book", "arguments": RARE}, {"canary": RARE})
    for params in wrong:
        response = send(client, "tools/call", params)
        assert response.json()["error"]["code"] == -32602
        assert RARE not in response.text


def test_a_body_over_the_cap_is_refused(client: TestClient):
    response = client.post("/mcp", content=b" " * 131_073, headers={"Content-Type": "application/json"})
    assert_refused(response, 413, "too_large")


def test_every_reply_says_how_much_of_the_limit_is_left_and_the_last_one_when_to_come_back(
    make_client: MakeClient,
):
    client = make_client(requests_per_minute=2)
    replies = [send(client, "tools/list", {}), send(client, "tools/call", ASKED)]
    assert [reply.headers["ratelimit-remaining"] for reply in replies] == ["1", "0"]
    refused = send(client, "tools/list", {})
    assert_refused(refused, 429, "rate_limited")
    assert refused.headers["retry-after"] == str(refused.json()["error"]["data"]["retry_after"])


def test_a_failure_that_may_pass_says_when_to_try_again(make_client: MakeClient, tmp_path: Path):
    missing = call(make_client(home=tmp_path / "empty"), ASKED)
    assert (missing["_meta"]["code"], missing["_meta"]["retryable"]) == ("no_book", False)
    full = call(
        make_client(search_seconds=0.000_001), {"name": "search_book", "arguments": {"query": "topic"}}
    )
    assert full["_meta"]["retryable"]
    assert full["content"][0]["text"] == ("The book could not be searched in time. Try again after 5 s.")


def test_a_contract_at_the_root_leaves_it_its_place(make_client: MakeClient):
    client = make_client(root_contract="native")
    assert client.get("/chapters").status_code == 200
    assert not call(client, READ)["isError"]


def test_no_word_of_what_was_asked_is_found_afterwards(
    make_client: MakeClient,
    home: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
):
    caplog.set_level(logging.DEBUG)
    client = make_client()
    question = f"How many watt hours does the lithium battery pack of this robot hold, {RARE}?"
    assert (
        ANSWER
        in call(client, {"name": "ask_book", "arguments": {"question": question}})["content"][0]["text"]
    )
    call(client, {"name": "search_book", "arguments": {"query": RARE, "chapter": RARE}})
    call(client, {"name": "read_section", "arguments": {"chunk_id": RARE}})
    for wrong in (f"{RARE} " * 1000, f"{RARE}\u0000", [RARE]):
        assert call(client, {"name": "ask_book", "arguments": {"question": wrong}})["isError"]
    send(client, "tools/call", {"name": RARE, "arguments": {RARE: RARE}})
    client.post("/mcp", content=RARE.encode(), headers={"Content-Type": "application/json"})
    client.close()
    assert not _holding(RARE, [home, tmp_path])
    assert not _holding(ANSWER, [tmp_path])
    logged = "".join(capsys.readouterr()) + caplog.text
    assert "route=/mcp" in logged
    assert RARE not in logged
    assert ANSWER not in logged


def _holding(words: str, folders: Iterable[Path]) -> list[Path]:
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert files
    return [path for path in files if words.encode() in path.read_bytes()]
