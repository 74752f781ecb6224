"""The pipeline contract over the whole server: every field, limit and status of it, and the agents' trace."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from starlette.testclient import TestClient

from glossator.model import KeyKind, Scope
from glossator.web.contracts.pipeline import (
    MESSAGES,
    TYPES,
    AgentName,
    AgentResponse,
    ErrorContext,
    ErrorType,
    path_of,
    render,
)
from glossator.web.problem import STATUS, Problem, ProblemKind
from support.recorded_examples import add_key, check_document, examples_of, play
from support.writers_server import model_server, says, status

PREFIX = "/contracts/pipeline"
TRACED = {"X-Glossator-Trace": "1"}
MakeClient = Callable[..., TestClient]

FAULT = ErrorContext(
    error_type=ErrorType.DATABASE,
    original_error="IndexUnavailable: secret-host does not answer",
    user_safe_message="The book cannot be searched.",
    retry_able=True,
    log_details={"request_id": "7" * 32, "timestamp": "2026-03-01T12:00:00.000Z"},
)


@pytest.mark.parametrize("name", examples_of("pipeline"))
def test_a_recorded_example_is_answered_as_it_was(client: TestClient, name: str):
    play(client, "pipeline", name)


def test_the_document_of_the_contract_is_what_it_was(client: TestClient):
    check_document(client, "pipeline")


@pytest.mark.parametrize(
    ("field", "value", "status"),
    [
        ("question", "?", 200),
        ("question", "x" * 10_000, 200),
        ("question", "x" * 10_001, 400),
        ("question", "", 400),
        ("question", "  ", 400),
        ("question", "a\u0000b", 400),
        ("question", None, 400),
        ("question", 7, 400),
        ("session_id", None, 200),
        ("session_id", "x" * 128, 200),
        ("session_id", "x" * 129, 400),
        ("session_id", "", 400),
        ("session_id", "a b", 400),
        ("whatever", "is not known", 200),
    ],
)
def test_both_sides_of_each_limit(client: TestClient, field: str, value: object, status: int):
    reply = client.post(f"{PREFIX}/query", json={"question": "What is a topic?", field: value})
    assert reply.status_code == status, reply.text


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff\xfe", b'{"question": "\\ud800"}'])
def test_what_is_no_request_is_a_validation_error(client: TestClient, body: bytes):
    reply = client.post(f"{PREFIX}/query", content=body, headers={"content-type": "application/json"})
    assert (reply.status_code, reply.json()["error"]) == (400, "validation")


def test_a_source_is_the_path_of_its_section_on_the_site_named_once(make_client: MakeClient):
    sentences = (
        "A topic is a named stream of messages [1]. ",
        "Publishers send messages to it, and every subscriber receives a copy [1]. ",
        "Quality of service is the set of delivery rules of an endpoint [1].",
    )
    with model_server() as server:
        server.will(says(*sentences))
        client = make_client(model="m", model_base_url=server.url, model_api_key="k", model_tools=False)
        told = client.post(f"{PREFIX}/query", json={"question": "What is a topic?"}).json()
    assert sorted(told["sources"]) == [
        "01-start/02-topics.md#quality-of-service",
        "01-start/02-topics.md#topics",
    ]
    assert told["source_urls"] == told["sources"]


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("/docs/ros2/topics#what-a-topic-is", "docs/ros2/topics#what-a-topic-is"),
        ("https://book.example/docs/ros2/", "docs/ros2"),
        ("01-start/02-topics.md#topics", "01-start/02-topics.md#topics"),
        ("/", ""),
    ],
)
def test_a_path_is_the_address_without_the_site(url: str, path: str):
    assert path_of(url) == path


def test_the_session_id_makes_no_session(client: TestClient):
    session_id = str(uuid.uuid4())
    for question in ("What is a topic?", "Who receives messages from it?"):
        client.post(f"{PREFIX}/query", json={"question": question, "session_id": session_id})
    assert client.get(f"/v1/sessions/{session_id}").status_code == 404
    assert client.get(f"/contracts/threads/session/{session_id}/history").status_code == 404


def test_the_same_idempotency_key_asks_once_however_often_it_is_sent(client: TestClient):
    sent, named = {"question": "What is a topic?"}, {"Idempotency-Key": str(uuid.uuid4())}
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda _: client.post(f"{PREFIX}/query", json=sent, headers=named), range(8)))
    # The time it took is a part of the reply, so two runs would not tell the same.
    assert {(reply.status_code, reply.text) for reply in replies} == {(200, replies[0].text)}
    assert client.post(f"{PREFIX}/query", json=sent, headers=named).text == replies[0].text
    changed = client.post(f"{PREFIX}/query", json={"question": "What is a node?"}, headers=named)
    assert (changed.status_code, changed.json()["error"]) == (422, "validation")


def test_the_trace_is_for_an_operator_who_asks_for_it(make_client: MakeClient, tmp_path: Path):
    records = tmp_path / "records.sqlite"
    operates, asks = (_bearer(add_key(records, scopes=scopes)) for scopes in (list(Scope), [Scope.ASK]))
    page = add_key(records, KeyKind.PUBLISHABLE, origins=["https://book.example"])
    public = {**_bearer(page), "Origin": "https://book.example"}
    client = make_client()

    def has_trace(headers: dict[str, str], question: str = "What is a topic?") -> bool:
        return "trace" in client.post(f"{PREFIX}/query", json={"question": question}, headers=headers).json()

    assert has_trace(operates | TRACED)
    assert has_trace(operates | TRACED, question=" ")
    for headers in (operates, operates | {"X-Glossator-Trace": "0"}, asks | TRACED, public | TRACED):
        assert not has_trace(headers)
        assert not has_trace(headers, question=" ")


@pytest.mark.parametrize(
    ("settings", "kind", "failed"),
    [
        ({"home": "nowhere"}, ProblemKind.NO_BOOK, AgentName.RETRIEVAL),
        ({"qdrant_url": "http://127.0.0.1:1"}, ProblemKind.INDEX, AgentName.RETRIEVAL),
        (
            {"model": "m", "model_base_url": "http://127.0.0.1:1/v1", "model_api_key": "k"},
            ProblemKind.WRITER,
            AgentName.SYNTHESIS,
        ),
    ],
)
def test_the_trace_of_a_failure_tells_who_failed(
    make_client: MakeClient, tmp_path: Path, settings: dict[str, str], kind: ProblemKind, failed: AgentName
):
    client = make_client(
        **{name: str(tmp_path / to) if name == "home" else to for name, to in settings.items()}
    )
    reply = client.post(f"{PREFIX}/query", json={"question": "What is a topic?"}, headers=TRACED)
    told = reply.json()
    assert (reply.status_code, told["error"], told["message"]) == (503, TYPES[kind], MESSAGES[kind])
    assert told["retryable"] is ("Retry-After" in reply.headers) is (kind is not ProblemKind.NO_BOOK)
    assert told["request_id"] == reply.headers["X-Trace-Id"]
    by_success = {
        is_done: [step["agent_name"] for step in told["trace"] if step["success"] is is_done]
        for is_done in (True, False)
    }
    assert by_success[False] == [failed, AgentName.CHAT]
    assert {AgentName.ROUTER, AgentName.RECOVERY} <= set(by_success[True])
    assert "original_error" not in reply.text
    assert "127.0.0.1" not in reply.text


def test_the_database_is_not_among_what_an_answer_needs(make_client: MakeClient):
    client = make_client(database_url="postgresql://nobody@127.0.0.1:1/none")
    told = client.get(f"{PREFIX}/health").json()
    assert (told["status"], sorted(told["dependencies"])) == ("healthy", ["embedder", "openai", "qdrant"])


def test_the_original_error_stands_in_the_log_and_nowhere_else(
    make_client: MakeClient, capsys: pytest.CaptureFixture[str]
):
    client = make_client(qdrant_url="http://127.0.0.1:1")
    reply = client.post(f"{PREFIX}/query", json={"question": "What is a topic?"}, headers=TRACED)
    line = _lines_of_requests(capsys.readouterr().out)[-1]
    assert "IndexUnavailable" in line
    assert "error_type=database" in line
    assert reply.json()["request_id"] in line
    assert "IndexUnavailable" not in reply.text


def test_what_a_model_service_says_stays_out_of_the_log(
    make_client: MakeClient, capsys: pytest.CaptureFixture[str]
):
    with model_server() as server:
        server.will(status(400, "The prompt 'zyxomorphic' is not allowed."))
        client = make_client(model="m", model_base_url=server.url, model_api_key="k")
        reply = client.post(f"{PREFIX}/query", json={"question": "What is a topic?"})
    assert (reply.status_code, reply.json()["error"]) == (503, "llm")
    line = _lines_of_requests(capsys.readouterr().out)[-1]
    assert "WriterRefused" in line
    assert "zyxomorphic" not in line + reply.text


def test_too_many_and_too_large_requests_are_told_so(make_client: MakeClient):
    client = make_client(requests_per_minute=2, body_bytes=2048)
    large = client.post(f"{PREFIX}/query", json={"question": "x" * 3000})
    assert (large.status_code, large.json()["error"], large.json()["retryable"]) == (413, "validation", False)
    client.get(f"{PREFIX}/chapters")
    often = client.get(f"{PREFIX}/chapters")
    assert (often.status_code, often.json()["error"], often.json()["retryable"]) == (429, "agent", True)
    assert int(often.headers["Retry-After"]) >= 1


def test_chapters_are_for_whoever_may_read(make_client: MakeClient, tmp_path: Path):
    asks = _bearer(add_key(tmp_path / "records.sqlite", scopes=[Scope.ASK]))
    client = make_client()
    assert client.get(f"{PREFIX}/chapters").status_code == 401
    refused = client.get(f"{PREFIX}/chapters", headers=asks)
    assert (refused.status_code, refused.json()["error"]) == (403, "validation")


def test_chapters_are_for_pages_too(make_client: MakeClient, tmp_path: Path):
    key = add_key(tmp_path / "records.sqlite", KeyKind.PUBLISHABLE, origins=["https://book.example"])
    headers = {**_bearer(key), "Origin": "https://book.example"}
    assert make_client().get(f"{PREFIX}/chapters", headers=headers).json()["total_count"] > 0


def test_the_health_is_503_when_no_question_can_be_answered(make_client: MakeClient, tmp_path: Path):
    health = make_client(home=tmp_path / "empty").get(f"{PREFIX}/health")
    assert (health.status_code, health.json()["status"]) == (503, "degraded")
    assert health.json()["dependencies"]["qdrant"]["status"] == "down"


@pytest.mark.parametrize("kind", list(ProblemKind))
def test_every_kind_of_problem_is_one_of_six_with_a_fixed_sentence(kind: ProblemKind):
    problem = Problem(
        kind, STATUS[kind], "Not for this contract.", retryable=True, trace_id="7" * 32, retry_after=0.5
    )
    reply = render(problem)
    assert json.loads(bytes(reply.body)) == {
        "error": TYPES[kind],
        "message": MESSAGES[kind],
        "retryable": True,
        "request_id": "7" * 32,
        "detail": MESSAGES[kind],
    }
    assert (reply.status_code, reply.headers["retry-after"]) == (STATUS[kind], "1")


def test_all_six_kinds_are_told():
    assert set(TYPES.values()) == set(ErrorType)
    assert {str(error_type) for error_type in ErrorType} == {
        "network",
        "database",
        "llm",
        "validation",
        "agent",
        "unknown",
    }


def _response(**about: Any) -> AgentResponse:
    given = {
        "agent_name": "RAGChatAgent",
        "result_data": None,
        "error_details": None,
        "execution_time_ms": 1.0,
    }
    return AgentResponse(**{**given, **about})


def test_a_failure_without_its_details_cannot_be_constructed():
    with pytest.raises(ValidationError):
        _response(success=False)
    with pytest.raises(ValidationError):
        _response(success=False, result_data={"hits": 3})
    assert _response(success=False, error_details=FAULT).error_details == FAULT


def test_a_success_without_its_data_cannot_be_constructed():
    with pytest.raises(ValidationError):
        _response(success=True)
    with pytest.raises(ValidationError):
        _response(success=True, error_details=FAULT)
    assert _response(success=True, result_data={}).result_data == {}


@pytest.mark.parametrize("milliseconds", [0, -1, float("inf"), float("nan")])
def test_every_stage_takes_its_time(milliseconds: float):
    with pytest.raises(ValidationError):
        _response(success=True, result_data={}, execution_time_ms=milliseconds)


def test_there_are_five_agents():
    assert {str(name) for name in AgentName} == {
        "RAGChatAgent",
        "QueryRouterAgent",
        "QdrantRetrievalAgent",
        "AnswerSynthesisAgent",
        "ErrorRecoveryAgent",
    }
    with pytest.raises(ValidationError):
        _response(success=True, result_data={}, agent_name="SomeAgent")


def test_a_made_response_cannot_be_unmade():
    with pytest.raises(ValidationError):
        _response(success=True, result_data={}).success = False


def test_the_original_error_is_not_a_part_of_what_is_shown():
    assert "secret-host" not in _response(success=False, error_details=FAULT).model_dump_json()


def _bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def _lines_of_requests(output: str) -> list[str]:
    return [line for line in output.splitlines() if "[info" in line and " request " in line]
