"""The citations contract: every way to fail, and what is said then."""

from __future__ import annotations

import json
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
from glossator.resilience.health import Dependency, Probe
from glossator.web.contracts.citations import ErrorBody, HealthReply, render
from glossator.web.problem import STATUS, Problem, ProblemKind, problem_of
from support.recorded_examples import add_key
from support.web_app import events_of
from support.writers_server import cut_after, model_server, says, status

CITATIONS = "/contracts/citations"
PAGE = "https://book.example"
CODES = {
    ProblemKind.INVALID: (400, "validation_error"),
    ProblemKind.NOT_ALLOWED: (405, "validation_error"),
    ProblemKind.CONFLICT: (422, "validation_error"),
    ProblemKind.TOO_LARGE: (413, "validation_error"),
    ProblemKind.UNAUTHORIZED: (401, "unauthorized"),
    ProblemKind.FORBIDDEN: (403, "unauthorized"),
    ProblemKind.NOT_FOUND: (404, "not_found"),
    ProblemKind.RATE_LIMITED: (429, "rate_limited"),
    ProblemKind.NO_BOOK: (503, "retrieval_unavailable"),
    ProblemKind.INDEX: (503, "retrieval_unavailable"),
    ProblemKind.EMBEDDER: (503, "embedding_failed"),
    ProblemKind.WRITER: (503, "agent_unavailable"),
    ProblemKind.RECORDS: (503, "agent_unavailable"),
    ProblemKind.BUSY: (503, "agent_unavailable"),
    ProblemKind.OVERLOADED: (503, "agent_unavailable"),
    ProblemKind.STOPPING: (503, "agent_unavailable"),
    ProblemKind.TIMEOUT: (503, "agent_unavailable"),
    ProblemKind.INTERNAL: (500, "internal_error"),
}
NEEDED = (Dependency.INDEX, Dependency.EMBEDDER, Dependency.WRITER)

MakeClient = Callable[..., TestClient]


def chat(client: TestClient, headers: dict[str, str] | None = None, **sent: Any) -> httpx2.Response:
    return client.post(f"{CITATIONS}/chat", json={"query": "What is a topic?", **sent}, headers=headers)


def bearer(key: str, **headers: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}", **headers}


def assert_refused(response: httpx2.Response, code: int, error_code: str) -> None:
    assert (response.status_code, response.json()["error_code"]) == (code, error_code), response.text


@pytest.mark.parametrize("kind", ProblemKind)
def test_every_kind_of_problem_has_its_status_and_code(kind: ProblemKind):
    response = render(Problem(kind, STATUS[kind], "It failed.", retryable=False, trace_id="a" * 32))
    body = json.loads(bytes(response.body))
    assert (response.status_code, body["error_code"]) == CODES[kind]
    assert body == {
        "error_code": CODES[kind][1],
        "message": "It failed.",
        "details": None,
        "trace_id": "a" * 32,
        "detail": "It failed.",
    }
    ErrorBody.model_validate(body)


def test_when_to_come_back_is_rounded_up_and_said_twice():
    response = render(problem_of(errors.Overloaded(retry_after=1.2)))
    assert response.headers["retry-after"] == "2"
    assert json.loads(bytes(response.body))["details"] == {"retry_after_seconds": 2}


def test_an_unexpected_error_shows_nothing_of_itself():
    response = render(problem_of(RuntimeError("canary")))
    assert response.status_code == 500
    assert b"canary" not in bytes(response.body)


def test_without_a_book_retrieval_is_unavailable(make_client: MakeClient, tmp_path: Path):
    client = make_client(home=tmp_path / "empty")
    assert_refused(chat(client), 503, "retrieval_unavailable")
    assert_refused(chat(client, filters={"source_url": "/a"}), 503, "retrieval_unavailable")
    ((_, told, _),) = events_of(client.post(f"{CITATIONS}/chat/stream", json={"query": "What is a topic?"}))
    assert told.keys() == {"type", "error_code", "message"}
    assert (told["type"], told["error_code"]) == ("error", "retrieval_unavailable")
    assert client.get(f"{CITATIONS}/health").json()["status"] == "unhealthy"


def test_a_model_that_refuses_is_an_agent_that_is_unavailable(make_client: MakeClient):
    with model_server() as server:
        server.will(status(401))
        client = make_client(model="m", model_base_url=server.url, model_api_key="k")
        assert_refused(chat(client), 503, "agent_unavailable")


def test_a_stream_that_breaks_off_ends_with_an_error_and_leaves_no_half_exchange(make_client: MakeClient):
    session_id = str(uuid.uuid4())
    with model_server() as server:
        server.will(cut_after("A topic is a named stream of messages [1]. ", "Publishers send messages "))
        client = make_client(model="m", model_base_url=server.url, model_api_key="k")
        sent = {"query": "What is a topic?", "session_id": session_id}
        told = client.post(f"{CITATIONS}/chat/stream", json=sent)
        kept = client.get(f"{CITATIONS}/conversations/{session_id}").json()
    (_, chunk, _), (_, error, _) = events_of(told)
    assert chunk == {"type": "chunk", "content": "A topic is a named stream of messages. [1]"}
    assert error.keys() == {"type", "error_code", "message"}
    assert (error["type"], error["error_code"]) == ("error", "agent_unavailable")
    assert kept == []


def test_the_model_that_wrote_is_named(make_client: MakeClient):
    with model_server() as server:
        server.will(says("A topic is a named stream of messages [1]."))
        client = make_client(model="some-model", model_base_url=server.url, model_api_key="k")
        assert chat(client).json()["metadata"]["model"] == "some-model"


def test_without_its_database_nothing_is_promised_to_be_remembered(make_client: MakeClient, tmp_path: Path):
    client = make_client(database_url=f"sqlite:///{tmp_path}")
    session_id = str(uuid.uuid4())
    assert_refused(chat(client, session_id=session_id), 503, "agent_unavailable")
    # Before the first event there is still a status to say it with.
    sent = {"query": "What is a topic?", "session_id": session_id}
    assert_refused(client.post(f"{CITATIONS}/chat/stream", json=sent), 503, "agent_unavailable")
    assert_refused(client.get(f"{CITATIONS}/conversations/{session_id}"), 503, "agent_unavailable")
    health = client.get(f"{CITATIONS}/health")
    assert (health.status_code, health.json()["status"]) == (200, "degraded")
    assert health.json()["services"]["postgresql"]["status"] == "down"
    assert health.json()["services"]["postgresql"]["message"]


@pytest.mark.parametrize(
    ("dependency", "probe", "service", "whole"),
    [
        (Dependency.INDEX, Probe(True, 1000.0), "up", "healthy"),
        (Dependency.INDEX, Probe(True, 1000.1), "degraded", "degraded"),
        (Dependency.INDEX, Probe(False, 5.0, "No."), "down", "unhealthy"),
        (Dependency.EMBEDDER, Probe(False, 5.0, "No."), "down", "unhealthy"),
        (Dependency.WRITER, Probe(False, 5.0, "No."), "down", "unhealthy"),
        (Dependency.RECORDS, Probe(False, 5.0, "No."), "down", "degraded"),
    ],
)
def test_the_health_says_whether_questions_are_answered(
    dependency: Dependency, probe: Probe, service: str, whole: str
):
    probes = dict.fromkeys(Dependency, Probe(True, 1.0)) | {dependency: probe}
    told = HealthReply.of(probes, datetime(2026, 3, 1, tzinfo=UTC), NEEDED)
    name = {"index": "qdrant", "writer": "openai", "records": "postgresql"}.get(dependency, "embedder")
    assert told.services[name].model_dump() == {
        "status": service,
        "latency_ms": probe.latency_ms,
        "message": probe.message,
    }
    assert told.status == whole


def test_who_comes_too_often_is_told_when_to_come_back(make_client: MakeClient):
    client = make_client(requests_per_minute=1)
    assert chat(client).headers["ratelimit-limit"] == "1"
    refused = chat(client)
    assert_refused(refused, 429, "rate_limited")
    assert refused.headers["retry-after"] == str(refused.json()["details"]["retry_after_seconds"])
    assert client.get(f"{CITATIONS}/health").status_code == 200


def test_without_a_key_there_is_no_answer_and_with_one_of_no_use_neither(
    make_client: MakeClient, tmp_path: Path
):
    reads = add_key(tmp_path / "records.sqlite", scopes=[Scope.READ])
    client = make_client()
    assert_refused(chat(client), 401, "unauthorized")
    assert_refused(chat(client, bearer("wrong")), 401, "unauthorized")
    assert_refused(chat(client, bearer(reads)), 403, "unauthorized")
    assert client.get(f"{CITATIONS}/health").status_code == 200


def test_another_owner_hears_the_same_as_for_an_unknown_session(make_client: MakeClient, tmp_path: Path):
    mine, other = (bearer(add_key(tmp_path / "records.sqlite")) for _ in range(2))
    client = make_client()
    session_id = str(uuid.uuid4())
    chat(client, mine, session_id=session_id)
    theirs, unknown = (
        client.get(f"{CITATIONS}/conversations/{conversation}", headers=other)
        for conversation in (session_id, uuid.uuid4())
    )
    assert_refused(theirs, 404, "not_found")
    assert {**theirs.json(), "trace_id": ""} == {**unknown.json(), "trace_id": ""}
    assert len(client.get(f"{CITATIONS}/conversations/{session_id}", headers=mine).json()) == 1


def test_where_tokens_are_required_a_publishable_key_goes_on_only_with_the_token_of_the_session(
    make_client: MakeClient, tmp_path: Path
):
    shown = add_key(tmp_path / "records.sqlite", KeyKind.PUBLISHABLE, origins=[PAGE])
    caller = bearer(shown, Origin=PAGE)
    client = make_client(session_tokens="required")
    session_id = str(uuid.uuid4())
    opened = chat(client, caller, session_id=session_id)
    token = {"X-Glossator-Session": opened.headers["x-glossator-session"]}
    kept = f"{CITATIONS}/conversations/{session_id}"
    assert_refused(chat(client, caller, session_id=session_id), 404, "not_found")
    assert_refused(client.get(kept, headers=caller), 404, "not_found")
    assert chat(client, caller | token, session_id=session_id).headers["x-glossator-session"]
    assert len(client.get(kept, headers=caller | token).json()) == 2
    assert "x-glossator-session" not in chat(client, caller).headers
