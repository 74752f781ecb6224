"""The grounding contract over the whole server: every field, limit and status of it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from pydantic import ValidationError
from starlette.testclient import TestClient

from glossator.model import KeyKind, Scope
from glossator.web.contracts.grounding import CODES, GroundingValidation, render
from glossator.web.problem import STATUS, Problem, ProblemKind
from support.recorded_examples import add_key, check_document, examples_of, play
from support.writers_server import Call, Line, model_server, says

PREFIX = "/contracts/grounding"
UNKNOWN = "00000000-0000-4000-8000-000000000000"
MakeClient = Callable[..., TestClient]


def _chat(client: TestClient, **sent: Any) -> Any:
    reply = client.post(f"{PREFIX}/chat", json={"query_text": "What is a topic?", **sent})
    assert reply.status_code == 200, reply.text
    return reply.json()


@pytest.mark.parametrize("name", examples_of("grounding"))
def test_a_recorded_example_is_answered_as_it_was(client: TestClient, name: str):
    play(client, "grounding", name)


def test_the_document_of_the_contract_is_what_it_was(client: TestClient):
    check_document(client, "grounding")


@pytest.mark.parametrize(
    ("field", "value", "status"),
    [
        ("query_text", "?", 200),
        ("query_text", "x" * 1000, 200),
        ("query_text", "x" * 1001, 400),
        ("query_text", f" {'x' * 1000}\n", 200),
        ("query_text", "", 400),
        ("query_text", " \n ", 400),
        ("query_text", "a\u0000b", 400),
        ("query_text", None, 400),
        ("query_text", 7, 400),
        ("context_mode", "retrieval_pipeline", 200),
        ("context_mode", None, 200),
        ("context_mode", "RETRIEVAL_PIPELINE", 400),
        ("user_context", "x" * 10_000, 200),
        ("user_context", "x" * 10_001, 400),
        ("filters", {}, 200),
        ("filters", {"chapter": [], "section": []}, 200),
        ("filters", {"chapter": ["x"] * 50}, 200),
        ("filters", {"chapter": ["x"] * 51}, 400),
        ("filters", {"section": "x" * 1000}, 200),
        ("filters", {"section": "x" * 1001}, 400),
        ("filters", {"section": ""}, 400),
        ("filters", {"section": "a\u0000"}, 400),
        ("filters", {"chapter": [1]}, 400),
        ("filters", {"chapter": None}, 400),
        ("filters", [], 400),
        ("conversation_id", "a", 200),
        ("conversation_id", f"A-Za.z0:9_{'x' * 118}", 200),
        ("conversation_id", "x" * 129, 400),
        ("conversation_id", "", 400),
        ("conversation_id", "a b", 400),
        ("thread_id", "thread_abc123", 200),
        ("thread_id", 7, 400),
        ("whatever", "is not known", 200),
    ],
)
def test_both_sides_of_each_limit(client: TestClient, field: str, value: object, status: int):
    sent = {"query_text": "What is a topic?", field: value}
    reply = client.post(f"{PREFIX}/chat", json=sent)
    assert reply.status_code == status, reply.text


@pytest.mark.parametrize("sent", [{}, {"json": {}}, {"json": None}, {"content": b""}])
def test_a_session_is_opened_without_a_body_too(client: TestClient, sent: dict[str, Any]):
    opened = client.post(f"{PREFIX}/chat/session", **sent)
    assert (opened.status_code, opened.json()["state"]) == (200, "created")


@pytest.mark.parametrize("user_id", ["", " ", "\u3000\u2003", "a\n"])
def test_a_user_has_a_name(client: TestClient, user_id: str):
    assert client.post(f"{PREFIX}/chat/session", json={"user_id": user_id}).status_code == 400


@pytest.mark.parametrize("length", [10_000, 10_001])
def test_a_context_of_ten_thousand_characters_is_read_whole(client: TestClient, length: int):
    words = "The gripper closes when the lamp is red. "
    context = ("It is quiet here. " * 600)[: length - len(words)] + words
    sent = {
        "query_text": "When does the gripper close?",
        "context_mode": "user_provided",
        "user_context": context,
    }
    reply = client.post(f"{PREFIX}/chat", json=sent)
    assert reply.status_code == (200 if length == 10_000 else 400)
    if length == 10_000:
        assert "closes when the lamp is red" in reply.json()["response_text"]


def test_an_unknown_filter_is_told_the_known_ones_and_not_itself(client: TestClient):
    reply = client.post(
        f"{PREFIX}/chat", json={"query_text": "x", "filters": {"sesame": "open", "chapter": "a"}}
    )
    assert reply.status_code == 400
    assert reply.json()["details"]["fields"] == [
        {"field": "filters", "message": "may only have the keys chapter and section"}
    ]
    assert "sesame" not in reply.text


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"query_text": "\\ud800"}',
        b'{"query_text": "x", "filters": {"\\ud800": "x"}}',
        b'{"query_text": "x", "filters": {"chapter": "\\ud800"}}',
        b'{"query_text": "x", "user_context": "\\udfff", "context_mode": "user_provided"}',
        b'{"query_text": "x", "thread_id": "\\ud800"}',
        b"[" * 50_000,
        b'{"query_text": ' + b"9" * 5000 + b"}",
    ],
)
def test_what_is_no_request_is_a_validation_error(client: TestClient, body: bytes):
    reply = client.post(f"{PREFIX}/chat", content=body, headers={"content-type": "application/json"})
    assert reply.status_code == 400
    assert reply.json()["error"] == "validation_error"


def test_a_source_is_named_once_for_each_cited_chunk(make_client: MakeClient):
    sentences = (
        "A topic is a named stream of messages [1]. ",
        "A node is one program of a robot that does one job, such as reading a camera [2]. ",
        "A node that crashes takes nothing else down with it [2].",
    )
    with model_server() as server:
        server.will(says(*sentences))
        client = make_client(model="m", model_base_url=server.url, model_api_key="k", model_tools=False)
        told = _chat(client)
    ids = [source["content_id"] for source in told["sources"]]
    assert sorted(ids) == ["01-start/01-nodes.md#0", "01-start/02-topics.md#0"]
    assert all(f"[{place}]" in told["response_text"] for place in (1, 2))
    assert "[3]" not in told["response_text"]


def test_where_the_evidence_is_thin_the_text_says_so(client: TestClient):
    told = _chat(client, query_text="least")
    assert told["response_text"].endswith("please read the cited places before you rely on it.")


def test_a_claim_that_failed_its_check_is_named(make_client: MakeClient):
    with model_server() as server:
        server.will(
            says("A topic is a named stream of messages [1]. ", "Topics were invented by Napoleon [1].")
        )
        client = make_client(model="m", model_base_url=server.url, model_api_key="k", model_tools=False)
        told = _chat(client)
    assert told["response_text"].startswith("A topic is a named stream of messages. [1]")
    assert "Napoleon" not in told["response_text"]
    assert told["grounding_validation"] == {
        "is_fully_grounded": False,
        "unsupported_claims": ["Topics were invented by Napoleon."],
    }
    history = client.get(f"{PREFIX}/chat/session/{told['conversation_id']}").json()["conversation_history"]
    states = [told["state"], *(message["state"] for message in history)]
    assert states == ["flagged", None, "flagged"]
    responses = client.get("/v1/admin/overview").json()["overview"]["responses"]
    assert responses == {"processing": 0, "delivered": 0, "flagged": 1}


def test_an_answer_whose_claims_hold_is_validated_and_then_delivered(client: TestClient):
    told = _chat(client)
    history = client.get(f"{PREFIX}/chat/session/{told['conversation_id']}").json()["conversation_history"]
    assert [told["state"], *(message["state"] for message in history)] == ["validated", None, "delivered"]


def test_an_answer_that_is_being_written_is_counted_and_stands_in_no_history(make_client: MakeClient):
    is_called, may_go_on = Event(), Event()

    def answer(line: Line, call: Call) -> None:
        is_called.set()
        may_go_on.wait(60)
        says("A topic is a named stream of messages [1]. ")(line, call)

    with model_server() as server, ThreadPoolExecutor(1) as pool:
        server.will(answer)
        client = make_client(model="m", model_base_url=server.url, model_api_key="k", model_tools=False)
        session_id = client.post(f"{PREFIX}/chat/session").json()["session_id"]
        asked = pool.submit(_chat, client, conversation_id=session_id)
        assert is_called.wait(60)
        responses = client.get("/v1/admin/overview").json()["overview"]["responses"]
        read = client.get(f"{PREFIX}/chat/session/{session_id}").json()
        may_go_on.set()
        asked.result(60)
    assert responses == {"processing": 1, "delivered": 0, "flagged": 0}
    assert read["conversation_history"] == []


def test_what_is_not_fully_grounded_cannot_be_without_its_claims():
    with pytest.raises(ValidationError):
        GroundingValidation(is_fully_grounded=False, unsupported_claims=[])
    assert GroundingValidation(is_fully_grounded=True, unsupported_claims=[]).is_fully_grounded


def test_a_context_given_beside_the_book_is_not_mixed_into_it(client: TestClient):
    told = _chat(
        client,
        query_text="How long does the battery pack last?",
        context_mode="retrieval_pipeline",
        user_context="The battery pack lasts nine hours.",
    )
    assert "four hours of walking" in told["response_text"]
    assert "nine" not in told["response_text"]


def test_a_context_is_answered_from_while_the_index_is_away(make_client: MakeClient, tmp_path: Path):
    client = make_client(home=tmp_path / "empty")
    assert client.post(f"{PREFIX}/chat", json={"query_text": "What is a topic?"}).status_code == 503
    told = _chat(client, context_mode="user_provided", user_context="A topic is a named stream of messages.")
    assert told["sources"] == [
        {"content_id": "user_context", "source_url": "", "chapter": "", "section": None}
    ]


def test_what_a_session_was_opened_with_holds_for_questions_that_leave_it_out(client: TestClient):
    opened = client.post(f"{PREFIX}/chat/session", json={"filters": {"chapter": "Start"}}).json()
    asked = {"query_text": "How long does the battery pack last?", "conversation_id": opened["session_id"]}
    assert {source["chapter"] for source in _chat(client, **asked)["sources"]} <= {"Start"}
    for filters in ({}, {"chapter": "Motion"}):
        sources = _chat(client, **asked, filters=filters)["sources"]
        assert "Motion" in {source["chapter"] for source in sources}


def test_a_session_that_was_opened_for_a_context_asks_for_one(client: TestClient):
    opened = client.post(f"{PREFIX}/chat/session", json={"context_mode": "user_provided"}).json()
    asked = {"query_text": "What is a topic?", "conversation_id": opened["session_id"]}
    refused = client.post(f"{PREFIX}/chat", json=asked)
    assert (refused.status_code, refused.json()["details"]["fields"][0]["field"]) == (400, "user_context")
    assert _chat(client, **asked, context_mode="retrieval_pipeline")["sources"] != []
    assert (
        _chat(client, **asked, user_context="A topic is a place to talk.")["sources"][0]["content_id"]
        == "user_context"
    )


def test_what_one_question_named_is_its_own(client: TestClient):
    named = {
        "filters": {"chapter": "Start"},
        "context_mode": "user_provided",
        "user_context": "A topic is a stream.",
    }
    session_id = _chat(client, **named)["conversation_id"]
    read = client.get(f"{PREFIX}/chat/session/{session_id}").json()
    assert (read["context_mode"], read["active_filters"]) == ("user_provided", None)
    told = _chat(client, query_text="How long does the battery pack last?", conversation_id=session_id)
    assert told["sources"][0]["chapter"] == "Motion"
    assert client.get(f"{PREFIX}/chat/session/{session_id}").json()["context_mode"] == "retrieval_pipeline"


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({}, 200),
        ({"user_id": "x" * 255}, 200),
        ({"user_id": "x" * 256}, 400),
        ({"user_id": ""}, 400),
        ({"user_id": "a\u0000"}, 400),
        ({"context_mode": "none"}, 400),
        ({"filters": {"page": "x"}}, 400),
    ],
)
def test_a_session_is_opened_within_limits(client: TestClient, sent: dict[str, object], status: int):
    assert client.post(f"{PREFIX}/chat/session", json=sent).status_code == status


def test_a_history_shows_the_last_hundred_messages(client: TestClient):
    session_id = f"long-{uuid.uuid4()}"
    for number in range(51):
        _chat(client, query_text=f"Hello{'!' * number}", conversation_id=session_id)
    history = client.get(f"{PREFIX}/chat/session/{session_id}").json()["conversation_history"]
    assert len(history) == 100
    assert [message["role"] for message in history] == ["user", "assistant"] * 50
    assert (history[0]["content"], history[-2]["content"]) == ("Hello!", f"Hello{'!' * 50}")
    assert [message["timestamp"] for message in history] == sorted(
        message["timestamp"] for message in history
    )


def test_a_session_of_another_contract_is_unknown_here(client: TestClient):
    other = str(uuid.uuid4())
    asked = client.post(
        "/contracts/threads/chat/run", json={"message": "What is a topic?", "session_id": other}
    )
    assert asked.status_code == 200
    assert client.get(f"{PREFIX}/chat/session/{other}").status_code == 404
    assert client.post(f"{PREFIX}/chat/session/{other}/reset").status_code == 404


def test_the_same_idempotency_key_asks_once_however_often_it_is_sent(client: TestClient):
    sent = {"query_text": "What is a topic?", "conversation_id": f"once-{uuid.uuid4()}"}
    named = {"Idempotency-Key": str(uuid.uuid4())}
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda _: client.post(f"{PREFIX}/chat", json=sent, headers=named), range(8)))
    assert {reply.status_code for reply in replies} == {200}
    assert len({reply.text for reply in replies}) == 1
    later = client.post(f"{PREFIX}/chat", json=sent, headers=named)
    assert later.text == replies[0].text
    history = client.get(f"{PREFIX}/chat/session/{sent['conversation_id']}").json()["conversation_history"]
    assert len(history) == 2
    changed = client.post(f"{PREFIX}/chat", json={**sent, "query_text": "What is a node?"}, headers=named)
    assert (changed.status_code, changed.json()["error"]) == (422, "idempotency_mismatch")


def test_another_key_hears_the_same_as_for_an_unknown_session(make_client: MakeClient, tmp_path: Path):
    mine, theirs = (_bearer(add_key(tmp_path / "records.sqlite")) for _ in range(2))
    client = make_client()
    asked = client.post(f"{PREFIX}/chat", json={"query_text": "What is a topic?"}, headers=mine).json()
    path = f"{PREFIX}/chat/session/{asked['conversation_id']}"
    assert client.get(path, headers=mine).status_code == 200
    for method, below in (("GET", ""), ("POST", "/reset")):
        wrong = client.request(method, path + below, headers=theirs)
        unknown = client.request(method, f"{PREFIX}/chat/session/{UNKNOWN}{below}", headers=theirs)
        assert wrong.status_code == 404
        assert _without_trace(wrong.json()) == _without_trace(unknown.json())


def test_where_tokens_are_required_a_key_that_everybody_has_reads_with_the_token_of_the_session(
    make_client: MakeClient, tmp_path: Path
):
    key = add_key(tmp_path / "records.sqlite", KeyKind.PUBLISHABLE, origins=["https://book.example"])
    client = make_client(session_tokens="required")
    page = {**_bearer(key), "Origin": "https://book.example"}
    opened = client.post(f"{PREFIX}/chat/session", json={}, headers=page)
    path = f"{PREFIX}/chat/session/{opened.json()['session_id']}"
    with_token = {**page, "X-Glossator-Session": opened.headers["X-Glossator-Session"]}
    asked = {"query_text": "What is a topic?", "conversation_id": opened.json()["session_id"]}
    assert client.post(f"{PREFIX}/chat", json=asked, headers=page).status_code == 404
    told = client.post(f"{PREFIX}/chat", json=asked, headers=with_token)
    assert (told.status_code, bool(told.headers["X-Glossator-Session"])) == (200, True)
    assert client.get(path, headers=page).status_code == 404
    assert len(client.get(path, headers=with_token).json()["conversation_history"]) == 2
    assert client.post(f"{path}/reset", headers=page).status_code == 404
    assert client.post(f"{path}/reset", headers=with_token).status_code == 200


def test_without_a_key_and_without_its_scope_nothing_is_told(make_client: MakeClient, tmp_path: Path):
    records = tmp_path / "records.sqlite"
    reads, asks = (_bearer(add_key(records, scopes=[scope])) for scope in (Scope.READ, Scope.ASK))
    client = make_client()
    missing = client.post(f"{PREFIX}/chat", json={"query_text": "x"})
    assert (missing.status_code, missing.json()["error"]) == (401, "unauthorized")
    refused = client.post(f"{PREFIX}/chat", json={"query_text": "x"}, headers=reads)
    assert (refused.status_code, refused.json()["error"]) == (403, "forbidden")
    assert client.get(f"{PREFIX}/chat/session/{UNKNOWN}", headers=reads).status_code == 404
    assert client.get(f"{PREFIX}/chat/session/{UNKNOWN}", headers=asks).status_code == 403
    assert client.get(f"{PREFIX}/health").status_code == 200


def test_too_many_and_too_large_requests_are_told_so(make_client: MakeClient):
    client = make_client(requests_per_minute=2, body_bytes=2048)
    large = client.post(f"{PREFIX}/chat", json={"query_text": "x" * 3000})
    assert (large.status_code, large.json()["error"]) == (413, "payload_too_large")
    client.post(f"{PREFIX}/chat", json={"query_text": "x" * 3000})
    often = client.post(f"{PREFIX}/chat", json={"query_text": "Hello"})
    assert (often.status_code, often.json()["error"]) == (429, "rate_limited")
    assert often.headers["Retry-After"] == str(often.json()["details"]["retry_after_seconds"])
    assert (often.headers["RateLimit-Limit"], often.headers["RateLimit-Remaining"]) == ("2", "0")


@pytest.mark.parametrize(
    ("settings", "code", "is_retryable"),
    [
        ({"home": "nowhere"}, "no_book", False),
        ({"qdrant_url": "http://127.0.0.1:1"}, "retrieval_unavailable", True),
        (
            {"model": "m", "model_base_url": "http://127.0.0.1:1/v1", "model_api_key": "k"},
            "agent_unavailable",
            True,
        ),
        ({"database_url": "postgresql://nobody@127.0.0.1:1/none"}, "storage_unavailable", True),
    ],
)
def test_what_is_away_is_told_with_when_to_come_back(
    make_client: MakeClient, tmp_path: Path, settings: dict[str, str], code: str, is_retryable: bool
):
    if "home" in settings:
        settings = {"home": str(tmp_path / settings["home"])}
    client = make_client(**settings)
    reply = client.post(f"{PREFIX}/chat", json={"query_text": "What is a topic?"})
    told = reply.json()
    assert (reply.status_code, told["error"], told["details"]["retryable"]) == (503, code, is_retryable)
    assert reply.headers.get("Retry-After") == (
        str(told["details"]["retry_after_seconds"]) if is_retryable else None
    )
    assert "127.0.0.1" not in reply.text
    assert client.get(f"{PREFIX}/health").json()["status"] == "degraded"


@pytest.mark.parametrize("kind", list(ProblemKind))
def test_every_kind_of_problem_has_a_code_and_the_same_body(kind: ProblemKind):
    problem = Problem(kind, STATUS[kind], "A sentence.", retryable=True, trace_id="7" * 32, retry_after=0.2)
    reply = render(problem)
    told = json.loads(bytes(reply.body))
    assert (told["error"], reply.status_code) == (CODES[kind], STATUS[kind])
    assert told["message"]
    assert told["details"] == {
        "fields": [],
        "retryable": True,
        "retry_after_seconds": 1,
        "trace_id": "7" * 32,
    }
    assert reply.headers["retry-after"] == "1"


def _bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def _without_trace(told: dict[str, Any]) -> dict[str, Any]:
    return {**told, "details": {**told["details"], "trace_id": ""}}
