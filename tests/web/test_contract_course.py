"""The course contract over the whole server: every field, limit and status of it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from glossator.model import KeyKind
from glossator.web.contracts.course import SENTENCES, STATUSES, render
from glossator.web.problem import Problem, ProblemKind
from support.recorded_examples import add_key, check_document, examples_of, play
from support.writers_server import model_server, says

PREFIX = "/contracts/course"
READER = "browser_abc123"
MakeClient = Callable[..., TestClient]


def _chat(client: TestClient, **sent: Any) -> Any:
    reply = client.post(f"{PREFIX}/chat", json={"user_id": READER, "message": "What is a topic?", **sent})
    assert reply.status_code == 200, reply.text
    return reply.json()


def _history(client: TestClient, session_id: str, user_id: str | None = READER, **query: object) -> Any:
    named = {"session_id": session_id, "user_id": user_id, **query}
    return client.get(
        f"{PREFIX}/history", params={name: value for name, value in named.items() if value is not None}
    )


@pytest.mark.parametrize("name", examples_of("course"))
def test_a_recorded_example_is_answered_as_it_was(client: TestClient, name: str):
    play(client, "course", name)


def _said(sentence: str) -> dict[str, str]:
    return {"error": sentence, "detail": sentence}


def test_the_document_of_the_contract_is_what_it_was(client: TestClient):
    check_document(client, "course")


@pytest.mark.parametrize(
    ("field", "value", "status"),
    [
        ("user_id", "u", 200),
        ("user_id", "ü" * 255, 200),
        ("user_id", "x" * 256, 400),
        ("user_id", "", 400),
        ("user_id", " \u3000", 400),
        ("user_id", " u ", 200),
        ("user_id", "a\u0000", 400),
        ("user_id", "a\n", 400),
        ("user_id", None, 400),
        ("message", "?", 200),
        ("message", "x" * 2000, 200),
        ("message", "x" * 2001, 400),
        ("message", "", 400),
        ("message", "\t", 400),
        ("message", "a\u0007b", 400),
        ("message", ["x"], 400),
        ("session_id", "a", 200),
        ("session_id", f"A-Za.z0:9_{'x' * 118}", 200),
        ("session_id", "x" * 129, 400),
        ("session_id", "", 400),
        ("session_id", "a/b", 400),
        ("session_id", "a\n", 400),
        ("selected_text", None, 200),
        ("selected_text", "", 200),
        ("selected_text", "   ", 200),
        ("selected_text", "x" * 5000, 200),
        ("selected_text", "x" * 5001, 400),
        ("selected_text", "a\u0000b", 400),
        ("whatever", "is not known", 200),
    ],
)
def test_both_sides_of_each_limit(client: TestClient, field: str, value: object, status: int):
    sent = {"user_id": f"limits-{uuid.uuid4()}", "message": "What is a topic?", field: value}
    reply = client.post(f"{PREFIX}/chat", json=sent)
    assert reply.status_code == status, reply.text
    if status == 400:
        _check_sentence(reply.json())


@pytest.mark.parametrize(
    ("limit", "status"), [("1", 200), ("100", 200), ("0", 400), ("101", 400), ("ten", 400)]
)
def test_both_sides_of_the_limit_of_a_history(client: TestClient, limit: str, status: int):
    session_id = _chat(client)["session_id"]
    assert _history(client, session_id, limit=limit).status_code == status


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"user_id": "u", "message": "\\ud800"}',
        b'{"user_id": "\\ud800", "message": "x"}',
        b'{"user_id": "u", "message": "x", "selected_text": "\\udc00"}',
    ],
)
def test_what_is_no_request_is_a_friendly_400(client: TestClient, body: bytes):
    reply = client.post(f"{PREFIX}/chat", content=body, headers={"content-type": "application/json"})
    assert reply.status_code == 400
    _check_sentence(reply.json())


def test_sources_are_sorted_and_the_marks_count_them(make_client: MakeClient):
    sentences = (
        "A node is one program of a robot that does one job, such as reading a camera [2]. ",
        "A topic is a named stream of messages [1].",
    )
    with model_server() as server:
        server.will(says(*sentences))
        client = make_client(model="m", model_base_url=server.url, model_api_key="k", model_tools=False)
        told = _chat(client, message="What is a topic?")
    scores = [source["relevance_score"] for source in told["sources"]]
    assert len(scores) == 2
    assert scores == sorted(scores, reverse=True)
    assert all(source["page"].endswith((".md", ".mdx")) for source in told["sources"])
    place = [source["section"] for source in told["sources"]].index("Nodes") + 1
    assert f"such as reading a camera. [{place}]" in told["response"]


def test_what_only_the_selection_says_has_the_selection_as_its_source(client: TestClient):
    selected = "The pneumatic gripper opens at two bar. Its spare fingers cost nine euro."
    told = _chat(client, message="At how many bar does the pneumatic gripper open?", selected_text=selected)
    pages = [source["page"] for source in told["sources"]]
    place = pages.index("selected_text") + 1
    assert told["response"] == f"{selected} [{place}]"
    assert (told["sources"][place - 1]["section"], told["sources"][place - 1]["url"]) == (
        "User Selection",
        "",
    )
    asked, answered = _history(client, told["session_id"]).json()["messages"]
    assert asked["metadata"] == {"selected_text": selected}
    assert answered["metadata"] == {"selected_text": selected, "sources": pages}


def test_a_session_is_told_back_with_what_it_was_opened_with(client: TestClient):
    opened = {"device": "desktop", "tags": ["ros2", {"deep": None}]}
    session_id = _chat(client, metadata=opened)["session_id"]
    _chat(client, session_id=session_id, metadata={"device": "phone"})
    assert _history(client, session_id).json()["metadata"] == opened


@pytest.mark.parametrize("metadata", [{"x": "y" * 4096}, [], "x", None])
def test_metadata_is_an_object_that_is_not_too_large(client: TestClient, metadata: object):
    sent = {"user_id": READER, "message": "What is a topic?", "metadata": metadata}
    reply = client.post(f"{PREFIX}/chat", json=sent)
    assert (reply.status_code, "metadata" in reply.json()["error"]) == (400, True)


def test_the_id_of_a_session_is_enough_to_read_and_to_forget_it(client: TestClient):
    session_id = _chat(client)["session_id"]
    by_id = {"session_id": session_id}
    read = client.get(f"{PREFIX}/history", params=by_id)
    assert (read.status_code, len(read.json()["messages"])) == (200, 2)
    assert client.delete(f"{PREFIX}/history", params=by_id).status_code == 204
    assert client.get(f"{PREFIX}/history", params=by_id).status_code == 404


def test_an_id_that_can_be_guessed_is_read_with_its_user_only(client: TestClient):
    session_id = f"mine-{uuid.uuid4()}"
    _chat(client, session_id=session_id)
    assert client.get(f"{PREFIX}/history", params={"session_id": session_id}).status_code == 404
    assert _history(client, session_id).status_code == 200


def test_a_history_is_of_fifty_messages_unless_asked_otherwise(client: TestClient):
    session_id = f"long-{uuid.uuid4()}"
    for number in range(51):
        _chat(client, message=f"Hello{'!' * number}", session_id=session_id)
    told = _history(client, session_id).json()
    assert (len(told["messages"]), told["session_id"]) == (50, session_id)
    assert told["messages"][0]["content"] == f"Hello{'!' * 26}"
    assert told["messages"][-2]["content"] == f"Hello{'!' * 50}"
    assert len(_history(client, session_id, limit=100).json()["messages"]) == 100
    three = _history(client, session_id, limit=3).json()["messages"]
    assert [message["role"] for message in three] == ["assistant", "user", "assistant"]
    times = [message["timestamp"] for message in told["messages"]]
    assert times == sorted(times)


def test_two_readers_may_call_their_sessions_the_same(client: TestClient):
    session_id = f"same-{uuid.uuid4()}"
    _chat(client, user_id="ada", message="What is a topic?", session_id=session_id)
    _chat(client, user_id="bob", message="What is a node?", session_id=session_id)
    (asked, _answer) = _history(client, session_id, "ada").json()["messages"]
    assert asked["content"] == "What is a topic?"
    assert (
        client.delete(f"{PREFIX}/history", params={"session_id": session_id, "user_id": "bob"}).status_code
        == 204
    )
    assert _history(client, session_id, "ada").status_code == 200
    assert _history(client, session_id, "bob").status_code == 404


@pytest.mark.parametrize("user_id", ["somebody-else", READER.upper()])
def test_another_reader_hears_the_same_as_for_an_unknown_session(client: TestClient, user_id: str):
    session_id = _chat(client)["session_id"]
    wrong = _history(client, session_id, user_id)
    assert (wrong.status_code, wrong.json()) == (404, _history(client, "unknown").json())


def test_a_session_of_another_contract_is_unknown_here(client: TestClient):
    asked = client.post("/v1/ask", json={"question": "What is a topic?", "user": READER}).json()
    assert _history(client, asked["session"]["id"]).status_code == 404


def test_the_same_idempotency_key_asks_once_however_often_it_is_sent(client: TestClient):
    sent = {"user_id": READER, "message": "What is a topic?"}
    named = {"Idempotency-Key": str(uuid.uuid4())}
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda _: client.post(f"{PREFIX}/chat", json=sent, headers=named), range(8)))
    assert {(reply.status_code, reply.text) for reply in replies} == {(200, replies[0].text)}
    assert len(_history(client, replies[0].json()["session_id"]).json()["messages"]) == 2
    changed = client.post(f"{PREFIX}/chat", json={**sent, "message": "What is a node?"}, headers=named)
    assert (changed.status_code, changed.json()) == (400, _said(SENTENCES[ProblemKind.CONFLICT]))


def test_where_tokens_are_required_a_key_that_everybody_has_reads_with_the_token_of_the_session(
    make_client: MakeClient, tmp_path: Path
):
    key = add_key(tmp_path / "records.sqlite", KeyKind.PUBLISHABLE, origins=["https://book.example"])
    client = make_client(session_tokens="required")
    page = {"Authorization": f"Bearer {key}", "Origin": "https://book.example"}
    told = client.post(
        f"{PREFIX}/chat", json={"user_id": READER, "message": "What is a topic?"}, headers=page
    )
    session_id = told.json()["session_id"]
    with_token = {**page, "X-Glossator-Session": told.headers["X-Glossator-Session"]}
    path = f"{PREFIX}/history?session_id={session_id}&user_id={READER}"
    assert client.get(path, headers=page).status_code == 404
    assert client.delete(path, headers=page).status_code == 404
    assert client.get(path, headers=with_token).status_code == 200
    assert client.get(path.replace(READER, "eve"), headers=with_token).status_code == 404
    assert client.delete(path, headers=with_token).status_code == 204


def test_what_does_not_get_in_is_told_in_the_same_shape(make_client: MakeClient, tmp_path: Path):
    key = add_key(tmp_path / "records.sqlite")
    client = make_client(requests_per_minute=2, body_bytes=2048)
    named = {"Authorization": f"Bearer {key}"}
    missing = client.post(f"{PREFIX}/chat", json={})
    assert (missing.status_code, missing.json()) == (401, _said(SENTENCES[ProblemKind.UNAUTHORIZED]))
    large = client.post(f"{PREFIX}/chat", json={"message": "x" * 3000}, headers=named)
    assert (large.status_code, large.json()) == (413, _said(SENTENCES[ProblemKind.TOO_LARGE]))
    client.get(f"{PREFIX}/history", headers=named)
    often = client.get(f"{PREFIX}/history", headers=named)
    assert (often.status_code, often.json()) == (429, _said(SENTENCES[ProblemKind.RATE_LIMITED]))
    assert int(often.headers["Retry-After"]) >= 1


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        ({"home": "nowhere"}, ProblemKind.NO_BOOK),
        ({"qdrant_url": "http://127.0.0.1:1"}, ProblemKind.INDEX),
        ({"model": "m", "model_base_url": "http://127.0.0.1:1/v1", "model_api_key": "k"}, ProblemKind.WRITER),
        ({"database_url": "postgresql://nobody@127.0.0.1:1/none"}, ProblemKind.RECORDS),
    ],
)
def test_what_is_away_is_one_friendly_sentence(
    make_client: MakeClient, tmp_path: Path, settings: dict[str, str], kind: ProblemKind
):
    client = make_client(
        **{name: str(tmp_path / to) if name == "home" else to for name, to in settings.items()}
    )
    reply = client.post(f"{PREFIX}/chat", json={"user_id": READER, "message": "What is a topic?"})
    assert (reply.status_code, reply.json()) == (503, _said(SENTENCES[kind]))
    assert ("Retry-After" in reply.headers) is (kind is not ProblemKind.NO_BOOK)
    assert client.get(f"{PREFIX}/health").json()["status"] == "degraded"


@pytest.mark.parametrize("kind", list(ProblemKind))
def test_every_kind_of_problem_is_one_sentence_with_a_status_of_the_contract(kind: ProblemKind):
    problem = Problem(kind, 599, "Not for this contract.", retryable=True, trace_id="7" * 32, retry_after=4.1)
    reply = render(problem)
    told = json.loads(bytes(reply.body))
    assert told == _said(SENTENCES[kind])
    _check_sentence(told)
    assert reply.status_code == STATUSES[kind]
    assert reply.status_code in {400, 401, 403, 404, 405, 413, 429, 500, 503}
    assert reply.headers["retry-after"] == "5"


def _check_sentence(told: dict[str, str]) -> None:
    assert list(told) == ["error", "detail"]
    assert told["detail"] == told["error"]
    assert told["error"][0].isupper()
    assert told["error"].endswith(".")
    assert told["error"].count(". ") == 0
