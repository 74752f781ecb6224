"""The threads contract: every way to fail, and what is said then."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

from glossator import errors
from glossator.model import KeyKind, Scope
from glossator.web.contracts.threads import ErrorBody, render
from glossator.web.problem import STATUS, Problem, ProblemKind, problem_of
from support.recorded_examples import add_key
from support.web_app import events_of
from support.writers_server import cut_after, model_server, status

THREADS = "/contracts/threads"
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
PAGE = "https://book.example"
ASKED = {"message": "What is a topic?", "similarity_threshold": 0}
CODES = {
    ProblemKind.INVALID: (400, "VALIDATION_ERROR"),
    ProblemKind.NOT_ALLOWED: (405, "VALIDATION_ERROR"),
    ProblemKind.CONFLICT: (422, "VALIDATION_ERROR"),
    ProblemKind.UNAUTHORIZED: (401, "AUTHENTICATION_ERROR"),
    ProblemKind.FORBIDDEN: (403, "AUTHENTICATION_ERROR"),
    ProblemKind.NOT_FOUND: (404, "NOT_FOUND"),
    ProblemKind.TOO_LARGE: (413, "PAYLOAD_TOO_LARGE"),
    ProblemKind.RATE_LIMITED: (429, "RATE_LIMIT_EXCEEDED"),
    ProblemKind.NO_BOOK: (503, "SERVICE_UNAVAILABLE"),
    ProblemKind.INDEX: (503, "SERVICE_UNAVAILABLE"),
    ProblemKind.EMBEDDER: (503, "SERVICE_UNAVAILABLE"),
    ProblemKind.WRITER: (503, "SERVICE_UNAVAILABLE"),
    ProblemKind.RECORDS: (503, "SERVICE_UNAVAILABLE"),
    ProblemKind.BUSY: (503, "SERVICE_UNAVAILABLE"),
    ProblemKind.OVERLOADED: (503, "SERVICE_UNAVAILABLE"),
    ProblemKind.STOPPING: (503, "SERVICE_UNAVAILABLE"),
    ProblemKind.TIMEOUT: (503, "SERVICE_UNAVAILABLE"),
    ProblemKind.INTERNAL: (500, "INTERNAL_SERVER_ERROR"),
}

MakeClient = Callable[..., TestClient]


def run(client: TestClient, headers: dict[str, str] | None = None, **sent: Any) -> httpx2.Response:
    return client.post(f"{THREADS}/chat/run", json={**ASKED, **sent}, headers=headers)


def bearer(key: str, **headers: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}", **headers}


def assert_unavailable(response: httpx2.Response) -> None:
    assert response.status_code == 503, response.text
    body = response.json()
    assert body["error"] == "SERVICE_UNAVAILABLE"
    assert body["details"]["suggestion"]
    assert response.headers["retry-after"] == str(body["details"]["retry_after_seconds"])


@pytest.mark.parametrize("kind", ProblemKind)
def test_every_kind_of_problem_has_its_status_and_code_and_says_what_to_do(kind: ProblemKind):
    problem = Problem(kind, STATUS[kind], "It failed.", retryable=False, trace_id="a" * 32)
    response = render(problem, lambda: NOW)
    body = json.loads(bytes(response.body))
    assert (response.status_code, body["error"]) == CODES[kind]
    assert body["message"] == "It failed."
    assert body["timestamp"] == "2026-03-01T12:00:00Z"
    assert body["request_id"] == "a" * 32
    assert body["details"]["suggestion"]
    assert ("retry_after_seconds" in body["details"]) == (response.status_code == 503)
    ErrorBody.model_validate(body)


def test_when_to_come_back_is_rounded_up_and_said_twice():
    response = render(problem_of(errors.Overloaded(retry_after=1.2)), lambda: NOW)
    assert response.headers["retry-after"] == "2"
    assert json.loads(bytes(response.body))["details"]["retry_after_seconds"] == 2


def test_an_unexpected_error_shows_nothing_of_itself():
    response = render(problem_of(RuntimeError("canary")), lambda: NOW)
    assert response.status_code == 500
    assert b"canary" not in bytes(response.body)


def test_without_a_book_the_service_is_unavailable(make_client: MakeClient, tmp_path: Path):
    client = make_client(home=tmp_path / "empty")
    assert_unavailable(run(client))
    ((_, told, _),) = events_of(client.post(f"{THREADS}/chat/stream", json=ASKED))
    assert (told["type"], told["error"]) == ("error", "SERVICE_UNAVAILABLE")


def test_a_model_that_refuses_is_told_as_unavailable(make_client: MakeClient):
    with model_server() as server:
        server.will(status(401))
        assert_unavailable(run(make_client(model="m", model_base_url=server.url, model_api_key="k")))


def test_a_stream_that_breaks_off_ends_with_an_error_and_leaves_no_half_exchange(make_client: MakeClient):
    session_id = str(uuid.uuid4())
    with model_server() as server:
        server.will(cut_after("A topic is a named stream of messages [1]. ", "Publishers send messages "))
        client = make_client(model="m", model_base_url=server.url, model_api_key="k")
        told = run(client, session_id=session_id, stream=True)
        kept = client.get(f"{THREADS}/session/{session_id}/history").json()
    (_, token, _), (_, error, _) = events_of(told)
    assert token == {"type": "token", "content": "A topic is a named stream of messages. [1]"}
    assert error.keys() == {"type", "error", "message", "details", "timestamp", "request_id", "detail"}
    assert (error["type"], error["error"]) == ("error", "SERVICE_UNAVAILABLE")
    assert error["details"]["retry_after_seconds"] > 0
    assert error["request_id"] == told.headers["x-trace-id"]
    assert kept["messages"] == []


def test_without_its_database_nothing_is_promised_to_be_remembered(make_client: MakeClient, tmp_path: Path):
    client = make_client(database_url=f"sqlite:///{tmp_path}")
    assert_unavailable(run(client))
    # Before the first event there is still a status to say it with.
    assert_unavailable(client.post(f"{THREADS}/chat/stream", json=ASKED))
    assert_unavailable(client.get(f"{THREADS}/session/{uuid.uuid4()}/history"))
    health = client.get(f"{THREADS}/health")
    assert (health.status_code, health.json()["status"]) == (200, "degraded")
    assert {name: dependency["status"] for name, dependency in health.json()["dependencies"].items()} == {
        "qdrant": "up",
        "openai": "up",
        "postgresql": "down",
    }


def test_the_health_is_503_without_a_book(make_client: MakeClient, tmp_path: Path):
    health = make_client(home=tmp_path / "empty").get(f"{THREADS}/health")
    assert (health.status_code, health.json()["status"]) == (503, "degraded")
    assert health.json()["dependencies"]["qdrant"]["status"] == "down"


def test_every_reply_says_how_much_of_the_limit_is_left(make_client: MakeClient):
    client, begun = make_client(requests_per_minute=4), time.time()
    replies = [
        run(client),
        run(client, message=""),
        client.get(f"{THREADS}/nowhere"),
        client.post(f"{THREADS}/chat/run", content=b" " * 10_241),
    ]
    assert [reply.status_code for reply in replies] == [200, 400, 404, 413]
    assert {reply.headers["x-ratelimit-limit"] for reply in replies} == {"4"}
    assert [reply.headers["x-ratelimit-remaining"] for reply in replies] == ["3", "2", "1", "0"]
    resets = [int(reply.headers["x-ratelimit-reset"]) for reply in replies]
    assert begun <= min(resets) <= max(resets) <= time.time() + 62


def test_who_comes_too_often_is_told_when_to_come_back(make_client: MakeClient):
    client, begun = make_client(requests_per_minute=1), time.time()
    run(client)
    refused = run(client)
    assert (refused.status_code, refused.json()["error"]) == (429, "RATE_LIMIT_EXCEEDED")
    assert refused.headers["x-ratelimit-limit"] == "1"
    assert refused.headers["x-ratelimit-remaining"] == "0"
    assert int(refused.headers["x-ratelimit-reset"]) > begun
    assert refused.headers["retry-after"] == str(refused.json()["details"]["retry_after_seconds"])
    assert client.get(f"{THREADS}/health").status_code == 200


def test_without_a_key_there_is_no_answer_and_with_one_of_no_use_neither(
    make_client: MakeClient, tmp_path: Path
):
    reads = add_key(tmp_path / "records.sqlite", scopes=[Scope.READ])
    client = make_client()
    missing, wrong, useless = run(client), run(client, bearer("wrong")), run(client, bearer(reads))
    assert [reply.status_code for reply in (missing, wrong, useless)] == [401, 401, 403]
    assert {reply.json()["error"] for reply in (missing, wrong, useless)} == {"AUTHENTICATION_ERROR"}
    assert missing.headers["www-authenticate"] == "Bearer"
    assert client.get(f"{THREADS}/health").status_code == 200


def test_another_owner_hears_the_same_as_for_an_unknown_thread(make_client: MakeClient, tmp_path: Path):
    mine, other = (bearer(add_key(tmp_path / "records.sqlite")) for _ in range(2))
    client = make_client()
    session_id = run(client, mine).json()["session_id"]
    for path, method in (("/history", "GET"), ("", "DELETE")):
        theirs, unknown = (
            client.request(method, f"{THREADS}/session/{session}{path}", headers=other)
            for session in (session_id, uuid.uuid4())
        )
        assert theirs.status_code == unknown.status_code == 404
        own = ("timestamp", "request_id")
        assert {key: value for key, value in theirs.json().items() if key not in own} == {
            key: value for key, value in unknown.json().items() if key not in own
        }
    assert client.get(f"{THREADS}/session/{session_id}/history", headers=mine).status_code == 200


def test_where_tokens_are_required_a_publishable_key_goes_on_only_with_the_token_of_the_thread(
    make_client: MakeClient, tmp_path: Path
):
    shown = add_key(tmp_path / "records.sqlite", KeyKind.PUBLISHABLE, origins=[PAGE])
    caller = bearer(shown, Origin=PAGE)
    client = make_client(session_tokens="required")
    first = run(client, caller)
    session_id, token = (
        first.json()["session_id"],
        {"X-Glossator-Session": first.headers["x-glossator-session"]},
    )
    history = f"{THREADS}/session/{session_id}/history"
    assert run(client, caller, session_id=session_id).status_code == 404
    assert client.get(history, headers=caller).status_code == 404
    streamed = run(client, caller | token, session_id=session_id, stream=True)
    assert streamed.headers["x-glossator-session"]
    read = client.get(history, headers=caller | token)
    assert len(read.json()["messages"]) == 4
    assert read.headers["x-glossator-session"]
    assert client.delete(f"{THREADS}/session/{session_id}", headers=caller | token).status_code == 204
