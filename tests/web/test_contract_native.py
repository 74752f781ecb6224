"""The native contract: every field, limit, status and event of it."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from glossator.model import Grounding
from support.recorded_examples import check_document, examples_of, play
from support.records_story import answer, opened
from support.web_app import events_of

TOPIC = "What is a topic?"
FOREIGN = "Who won the football world cup in 1998?"
STREAM = {"accept": "text/event-stream"}


def ask(client: TestClient, question: str = TOPIC, **more: Any) -> dict[str, Any]:
    reply = client.post("/v1/ask", json={"question": question, **more})
    assert reply.status_code == 200, reply.text
    return reply.json()


@pytest.mark.parametrize("name", examples_of("native"))
def test_recorded(client: TestClient, name: str) -> None:
    play(client, "native", name)


def test_the_openapi_document_is_the_one_that_was_agreed(client: TestClient) -> None:
    check_document(client, "native")


def test_every_citation_quotes_the_source_exactly(client: TestClient, book: Path) -> None:
    answer = ask(client)
    assert answer["citations"]
    for citation in answer["citations"]:
        source = (book / citation["page"]).read_text("utf-8")
        assert source[citation["start"] : citation["end"]] == citation["quote"]
        assert citation["url"].startswith(f"{citation['page']}#")


def test_the_texts_of_the_claims_joined_are_the_answer(client: TestClient) -> None:
    told = events_of(client.post("/v1/ask", json={"question": TOPIC}, headers=STREAM))
    names = [name for name, _, _ in told]
    assert names[:2] == ["status", "found"]
    assert names[-1] == "answer"
    stages = [data["stage"] for name, data, _ in told if name == "status"]
    assert stages == ["searching", "writing", "checking"]
    answer = told[-1][1]
    claims = [data for name, data, _ in told if name == "claim"]
    assert "".join(claim["text"] for claim in claims) == answer["text"]
    assert claims == answer["claims"]
    assert [id.split(":")[1] for _, _, id in told if id] == [str(n) for n in range(1, len(told) + 1)]
    assert {id.split(":")[0] for _, _, id in told if id} == {answer["id"]}
    hits = next(data["hits"] for name, data, _ in told if name == "found")
    assert {"chunk_id", "page", "chapter", "section", "url", "similarity"} == set(hits[0])


def test_the_stream_is_not_held_back_on_its_way(client: TestClient) -> None:
    reply = client.post("/v1/ask", json={"question": TOPIC}, headers=STREAM)
    assert reply.headers["content-type"].startswith("text/event-stream")
    assert reply.headers["x-accel-buffering"] == "no"
    assert "no-cache" in reply.headers["cache-control"]


def test_whole_and_streamed_are_the_same_answer(client: TestClient) -> None:
    whole = ask(client, remember=False)
    streamed = events_of(client.post("/v1/ask", json={"question": TOPIC, "remember": False}, headers=STREAM))[
        -1
    ][1]
    for field in ("outcome", "text", "claims", "citations", "confidence", "grounding", "writer", "index"):
        assert whole[field] == streamed[field], field


def test_what_the_book_lacks_is_refused_with_the_nearest_sections(client: TestClient) -> None:
    answer = ask(client, FOREIGN)
    assert answer["outcome"] == "not_in_book"
    assert answer["claims"] == answer["citations"] == []
    assert answer["confidence"]["should_answer"] is False


@pytest.mark.parametrize(
    ("question", "outcome"),
    [("Hello!", "small_talk"), ("zebra", "needs_more_words"), (TOPIC, "answered"), (FOREIGN, "not_in_book")],
)
def test_outcomes(client: TestClient, question: str, outcome: str) -> None:
    assert ask(client, question)["outcome"] == outcome


def test_a_selection_alone_is_all_that_is_looked_at(client: TestClient) -> None:
    text = "The gripper closes at 30 N. It opens in half a second."
    answer = ask(client, "How hard does the gripper close?", selection={"text": text, "only": True})
    assert answer["outcome"].startswith("answered")
    [citation] = answer["citations"]
    assert text[citation["start"] : citation["end"]] == citation["quote"]
    assert citation["quote"].startswith("The gripper closes at 30 N.")
    assert answer["index"] is None
    refused = ask(client, TOPIC, selection={"text": text, "only": True})
    assert refused["outcome"] == "not_in_selection"


def test_a_selection_stands_beside_the_book(client: TestClient) -> None:
    answer = ask(
        client,
        "What is a topic, and what is this?",
        selection={"text": "A zorp is a lamp.", "page_url": "/p"},
    )
    assert answer["index"] is not None


def test_filters_keep_to_their_part_of_the_book(client: TestClient) -> None:
    chapters = client.get("/v1/chapters").json()["chapters"]
    for named in ("chapter", "section", "page"):
        hit = client.get("/v1/search", params={"q": TOPIC}).json()["hits"][-1]
        found = client.get("/v1/search", params={"q": TOPIC, named: hit[named]}).json()["hits"]
        assert {result[named] for result in found} == {hit[named]}
        asked = ask(client, TOPIC, filters={named: [hit[named], "nowhere"]})
        assert {citation[named] for citation in asked["citations"]} <= {hit[named]}
    first = ask(client, TOPIC, through_chapter=1)
    assert {citation["chapter"] for citation in first["citations"]} <= {chapters[0]["title"]}


def test_a_session_is_opened_unless_nothing_is_to_be_remembered(client: TestClient) -> None:
    first = ask(client)
    assert uuid.UUID(first["session"]["id"])
    assert ask(client, remember=False)["session"] is None
    second = ask(client, "Can you say more about it?", session={"id": first["session"]["id"]})
    assert second["session"]["id"] == first["session"]["id"]
    told = client.get(f"/v1/sessions/{first['session']['id']}").json()
    assert [exchange["question"] for exchange in told["exchanges"]] == [TOPIC, "Can you say more about it?"]
    assert [exchange["id"] for exchange in told["exchanges"]] == [first["id"], second["id"]]
    assert told["exchanges"][0]["answer"]["text"] == first["text"]
    assert told["state"] == "active"


def test_an_unknown_session_is_not_opened_by_naming_it(client: TestClient) -> None:
    reply = client.post("/v1/ask", json={"question": TOPIC, "session": {"id": "nobodys"}})
    assert (reply.status_code, reply.json()["code"]) == (404, "not_found")


def test_the_life_of_a_session(client: TestClient) -> None:
    opened = client.post("/v1/sessions", json={"user": "u1", "metadata": {"course": "robots"}})
    assert opened.status_code == 201
    session = opened.json()
    assert (session["state"], session["user"], session["exchanges"]) == ("created", "u1", [])
    assert session["metadata"] == {"course": "robots"}
    path = f"/v1/sessions/{session['id']}"
    assert client.get(path).status_code == 404, "a session of a user is found with the user"
    ask(client, session={"id": session["id"]}, user="u1")
    assert client.get(path, params={"user": "u1"}).json()["state"] == "active"
    exported = client.get(f"{path}/export", params={"user": "u1"})
    assert "attachment" in exported.headers["content-disposition"]
    assert len(exported.json()["exchanges"]) == 1
    reset = client.post(f"{path}/reset", params={"user": "u1"})
    assert (reset.status_code, reset.json()["id"], reset.json()["exchanges"]) == (200, session["id"], [])
    assert client.delete(path, params={"user": "u1"}).status_code == 204
    for gone in (client.get(path, params={"user": "u1"}), client.delete(path, params={"user": "u1"})):
        assert gone.status_code == 404


def test_a_topic_summary_exists_from_the_fifth_exchange_on(client: TestClient) -> None:
    session = {"id": ask(client)["session"]["id"]}
    for number in range(2, 6):
        assert client.get(f"/v1/sessions/{session['id']}").json()["topic_summary"] is None, number
        ask(client, "What is quality of service?", session=session)
    summary = client.get(f"/v1/sessions/{session['id']}").json()["topic_summary"]
    assert "Quality of service" in summary
    assert len(summary) <= 200


@pytest.mark.parametrize(
    "metadata",
    [
        {"a": "x" * 501},
        {"n" * 101: 1},
        {str(n): n for n in range(21)},
        {"a": 10**40},
        {"a": 2**53 + 1},
        {"a": ["x"]},
        {"": 1},
    ],
    ids=[
        "a long value",
        "a long name",
        "too many",
        "a huge number",
        "an inexact number",
        "a list",
        "no name",
    ],
)
def test_metadata_has_its_bounds(client: TestClient, metadata: dict[str, Any]) -> None:
    reply = client.post("/v1/sessions", json={"metadata": metadata})
    assert reply.status_code == 400
    assert "x" * 20 not in reply.text


def test_feedback_is_kept_and_may_be_said_again(client: TestClient) -> None:
    answer = ask(client)
    for helpful in (True, False):
        said = {"exchange_id": answer["id"], "helpful": helpful, "reason": "because"}
        assert client.post("/v1/feedback", json=said).status_code == 204
    unknown = {"exchange_id": str(uuid.uuid4()), "helpful": True}
    assert client.post("/v1/feedback", json=unknown).status_code == 404


def test_a_reader_is_forgotten_with_a_receipt(client: TestClient) -> None:
    user = f"reader-{uuid.uuid4()}"
    session = ask(client, user=user)["session"]["id"]
    ask(client, FOREIGN, user=user, session={"id": session})
    receipt = client.delete(f"/v1/users/{user}").json()
    assert receipt["user"] == user
    assert receipt["erased"] == {"sessions": 1, "exchanges": 2, "feedback": 0, "unanswered": 1}
    assert client.get(f"/v1/sessions/{session}", params={"user": user}).status_code == 404
    assert client.delete(f"/v1/users/{user}").json()["erased"]["sessions"] == 0


def test_search_tells_all_that_the_retrieval_knows(client: TestClient) -> None:
    told = client.get("/v1/search", params={"q": TOPIC, "top_k": 3, "include": "embedding"}).json()
    assert told["query"] == TOPIC
    assert told["total_results"] == len(told["hits"]) <= 3
    assert set(told["hits"][0]) == {
        "chunk_id", "text", "page", "chapter", "section", "url", "chunk_index", "content_hash",
        "token_count", "similarity", "scores", "start", "end",
    }  # fmt: skip
    similarities = [hit["similarity"] for hit in told["hits"]]
    assert told["average_score"] == pytest.approx(sum(similarities) / len(similarities), abs=1e-3)
    assert len(told["query_embedding"]) == 384
    assert told["retrieval_time_ms"] > 0
    assert isinstance(told["has_sufficient_context"], bool)
    assert told["timestamp"].endswith("Z")
    assert client.get("/v1/search", params={"q": TOPIC}).json()["query_embedding"] is None
    assert client.get("/v1/search", params={"q": FOREIGN, "threshold": 0.99}).json()["hits"] == []


def test_a_section_is_read_by_the_id_of_its_chunk(client: TestClient) -> None:
    hit = client.get("/v1/search", params={"q": TOPIC}).json()["hits"][0]
    section = client.get(f"/v1/sections/{hit['chunk_id'].replace('#', '%23')}").json()
    assert (section["chunk_id"], section["text"]) == (hit["chunk_id"], hit["text"])
    assert client.get("/v1/sections/nothing.md%230").status_code == 404


def test_chapters_are_in_reading_order_with_their_sections(client: TestClient) -> None:
    told = client.get("/v1/chapters").json()
    assert told["total_count"] == len(told["chapters"])
    assert len({chapter["id"] for chapter in told["chapters"]}) == told["total_count"]
    assert any("Quality of service" in chapter["sections"] for chapter in told["chapters"])


CHESS = "Which chess opening did the robot cook prefer in Vienna?"


def test_an_operator_sees_what_was_asked_and_not_answered(client: TestClient) -> None:
    for _ in range(3):
        ask(client, CHESS)
    told = client.get("/v1/admin/gaps", params={"days": 1}).json()
    gap = next(gap for gap in told["gaps"] if CHESS in gap["questions"])
    assert set(gap) == {
        "example", "questions", "count", "sessions", "outcomes", "nearest", "missing", "last_asked", "state",
    }  # fmt: skip
    assert gap["sessions"] >= 3
    assert gap["outcomes"]["not_in_book"] == gap["count"]
    assert {"chess", "Vienna"} <= set(gap["missing"])
    assert told["questions"] >= told["held_back"] + gap["count"]
    overview = client.get("/v1/admin/overview", params={"days": 1}).json()["overview"]
    assert overview["outcomes"]["not_in_book"] >= 3
    assert sum(overview["outcomes"].values()) == overview["exchanges"]
    assert sum(day["exchanges"] for day in overview["days"]) == overview["exchanges"]
    assert (
        sum(day["outcomes"].get("not_in_book", 0) for day in overview["days"])
        == (overview["outcomes"]["not_in_book"])
    )
    assert client.get("/v1/admin/flagged").json()["total_count"] == overview["flagged"]


def test_what_few_sessions_asked_is_shown_to_an_operator_who_says_so(client: TestClient) -> None:
    asked = "Does the lighthouse keeper collect Etruscan vases?"
    ask(client, asked)

    def shown(**params: int) -> set[str]:
        gaps = client.get("/v1/admin/gaps", params={"days": 1, **params}).json()["gaps"]
        return {question for gap in gaps for question in gap["questions"]}

    assert asked not in shown()
    assert asked in shown(least_sessions=1)
    for wrong in ({"least_sessions": 0}, {"days": 0}, {"days": 366}, {"last_sessions": 1}):
        assert client.get("/v1/admin/gaps", params=wrong).status_code == 400


def test_an_operator_sees_nothing_of_what_is_not_to_be_remembered(client: TestClient) -> None:
    asked = "How many accordions does the submarine choir own?"
    for _ in range(3):
        ask(client, asked, remember=False)
    assert asked not in client.get("/v1/admin/gaps", params={"least_sessions": 1}).text


def test_an_operator_sees_which_sections_answers_rest_on(client: TestClient) -> None:
    cited = ask(client)["citations"][0]
    told = client.get("/v1/admin/cited", params={"days": 1}).json()
    most = {(section["page"], section["title"]): section for section in told["most"]}
    assert most[cited["page"], cited["section"]]["count"] >= 1
    assert cited["url"].startswith(most[cited["page"], cited["section"]]["url"])
    assert all(section["count"] == 0 for section in told["never"])
    # A section that another test's book had, cited within the day, is among the most cited and not in this book.
    assert len(told["never"]) < told["sections"] <= len(told["most"]) + len(told["never"])


def test_an_operator_sees_a_claim_that_failed_beside_the_words_of_the_book(
    make_client: Callable[..., TestClient], tmp_path: Path, book: Path
) -> None:
    client = make_client()
    told = "The battery pack lasts forty hours of walking."
    asyncio.run(_flagged(f"sqlite:///{tmp_path / 'records.sqlite'}", told))
    reply = client.get("/v1/admin/flagged").json()
    assert reply["total_count"] == 1
    [flagged] = reply["flagged"]
    [claim] = flagged["unsupported_claims"]
    assert (flagged["question"], claim["text"]) == ("How long?", told)
    source = (book / claim["nearest"]["page"]).read_text("utf-8")
    assert source[claim["nearest"]["start"] : claim["nearest"]["end"]] == claim["nearest"]["quote"]
    assert "four hours" in claim["nearest"]["quote"]


async def _flagged(url: str, claim: str) -> None:
    async with opened(url) as records:
        # Otherwise it is past its time, and the server sweeps it away.
        records.clock.now = datetime.now(UTC)
        await records.ask(question="How long?", reply=answer(grounding=Grounding(False, (claim,))))


LIMITS = [
    ({"question": "x" * 2000}, 200),
    ({"question": "x" * 2001}, 400),
    ({"question": " "}, 400),
    ({"question": TOPIC, "user": " "}, 400),
    ({"question": ""}, 400),
    ({}, 400),
    ({"question": 7}, 400),
    ({"question": TOPIC, "top_k": 0}, 400),
    ({"question": TOPIC, "top_k": 1}, 200),
    ({"question": TOPIC, "top_k": 20}, 200),
    ({"question": TOPIC, "top_k": 21}, 400),
    ({"question": TOPIC, "top_k": True}, 400),
    ({"question": TOPIC, "threshold": 0}, 200),
    ({"question": TOPIC, "threshold": 1}, 200),
    ({"question": TOPIC, "threshold": 1.01}, 400),
    ({"question": TOPIC, "threshold": -0.01}, 400),
    ({"question": TOPIC, "through_chapter": 0}, 400),
    ({"question": TOPIC, "selection": {"text": "x" * 10_000}}, 200),
    ({"question": TOPIC, "selection": {"text": "x" * 10_001}}, 400),
    ({"question": TOPIC, "selection": {"text": " ", "only": True}}, 400),
    ({"question": TOPIC, "filters": {"author": "me"}}, 400),
    ({"question": TOPIC, "user": ""}, 400),
    ({"question": TOPIC, "user": "u" * 255}, 200),
    ({"question": TOPIC, "user": "u" * 256}, 400),
    ({"question": TOPIC, "session": {"id": "a b"}}, 400),
    ({"question": "a\x00b"}, 400),
]  # fmt: skip


@pytest.mark.parametrize(("sent", "status"), LIMITS, ids=[json.dumps(sent)[:60] for sent, _ in LIMITS])
def test_limits(client: TestClient, sent: dict[str, Any], status: int) -> None:
    reply = client.post("/v1/ask", json={"remember": False, **sent})
    assert reply.status_code == status, reply.text
    if status == 400:
        problem = reply.json()
        assert reply.headers["content-type"] == "application/problem+json"
        assert (problem["code"], problem["retryable"]) == ("invalid", False)
        assert problem["trace_id"] == reply.headers["x-trace-id"]


@pytest.mark.parametrize("body", [b'{"question": "a\\ud800b"}', b"{", b"[]", b"null", b"\xff\xfe", b""])
def test_what_is_no_request_is_a_400_that_repeats_nothing(client: TestClient, body: bytes) -> None:
    reply = client.post("/v1/ask", content=body, headers={"content-type": "application/json"})
    assert (reply.status_code, reply.json()["code"]) == (400, "invalid")


def test_input_is_never_repeated(client: TestClient) -> None:
    secret = "kumquat-7731"
    for sent in (
        {"question": secret * 400},
        {"question": TOPIC, "top_k": secret},
        {"question": {"a": secret}},
    ):
        assert secret not in client.post("/v1/ask", json=sent).text
    assert secret not in client.get(f"/v1/{secret}").text
    assert secret not in client.get(f"/v1/sessions/{secret}").text


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/v1/nothing", 404, "not_found"),
        ("GET", "/v1/ask", 405, "method_not_allowed"),
        ("PUT", "/v1/sessions/x", 405, "method_not_allowed"),
        ("GET", "/nothing", 404, "not_found"),
        ("POST", "/livez", 405, "method_not_allowed"),
    ],
)
def test_what_is_not_there_is_said_in_the_contracts_own_shape(
    client: TestClient, method: str, path: str, status: int, code: str
) -> None:
    reply = client.request(method, path)
    assert (reply.status_code, reply.json()["code"]) == (status, code)


def test_the_root_contract_is_served_at_the_root_as_well(make_client: Callable[..., TestClient]) -> None:
    client = make_client(root_contract="threads")
    asked = {"message": TOPIC}
    for path in ("/chat/run", "/contracts/threads/chat/run"):
        assert client.post(path, json=asked).status_code == 200
    assert client.get("/livez").json() == {"status": "alive"}
    assert client.post("/v1/ask", json={"question": TOPIC}).status_code == 200


def test_readiness_names_the_dependencies_with_their_latency(client: TestClient) -> None:
    told = client.get("/readyz").json()
    assert told["status"] == "ready"
    assert set(told["dependencies"]) == {"index", "records", "writer", "embedder"}
    assert all(
        dependency["status"] == "up" and dependency["latency_ms"] >= 0
        for dependency in told["dependencies"].values()
    )


def test_without_a_book_it_says_so(make_client: Callable[..., TestClient], tmp_path: Path) -> None:
    client = make_client(home=tmp_path / "empty")
    reply = client.post("/v1/ask", json={"question": TOPIC})
    assert (reply.status_code, reply.json()["code"]) == (503, "no_book")
    assert client.get("/readyz").status_code == 503
    assert client.get("/livez").status_code == 200
