"""The threads contract: asking, whole and streamed, and what is remembered of it."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

from glossator.answer.conclude import Trace, fixed_answer
from glossator.model import Citation, Outcome
from glossator.web.contracts.threads import ChatReply
from support.recorded_examples import check_document, examples_of, play
from support.web_app import events_of

THREADS = "/contracts/threads"
QUESTIONS = {
    "answered": "How do I stop a node?",
    "answered with caution": "least",
    "refused": "Who won the world cup in 1998?",
    "small talk": "Hello!",
    "the table of contents": "What chapters are there?",
}


def run(
    client: TestClient, message: str, headers: dict[str, str] | None = None, **sent: Any
) -> httpx2.Response:
    return client.post(f"{THREADS}/chat/run", json=_asked(message, sent), headers=headers)


def stream(client: TestClient, message: str, **sent: Any) -> list[dict[str, Any]]:
    return frames(client.post(f"{THREADS}/chat/stream", json=_asked(message, sent)))


def _asked(message: str, sent: dict[str, Any]) -> dict[str, Any]:
    """Whatever its similarity, unless the test says otherwise."""
    return {"message": message, "similarity_threshold": 0, **sent}


def frames(response: httpx2.Response) -> list[dict[str, Any]]:
    """Only data: no names and no numbers."""
    assert response.headers["content-type"].startswith("text/event-stream"), response.text
    events = events_of(response)
    assert {(name, number) for name, _, number in events} == {("message", None)}
    return [data for _, data, _ in events]


def history(client: TestClient, session_id: str) -> dict[str, Any]:
    return client.get(f"{THREADS}/session/{session_id}/history").json()


@pytest.mark.parametrize("name", examples_of("threads"))
def test_a_recorded_example_comes_out_as_it_was(client: TestClient, name: str):
    play(client, "threads", name)


def test_the_document_of_the_contract_is_what_it_was(client: TestClient):
    check_document(client, "threads")


@pytest.mark.parametrize("kind", QUESTIONS)
def test_the_tokens_joined_are_the_response_and_the_last_event_is_the_whole_reply(
    client: TestClient, kind: str
):
    whole = run(client, QUESTIONS[kind]).json()
    *tokens, done = stream(client, QUESTIONS[kind])
    assert {token["type"] for token in tokens} == {"token"}
    assert all(token.keys() == {"type", "content"} for token in tokens)
    assert done.keys() == {"type", "metadata"}
    assert done["type"] == "done"
    assert "".join(token["content"] for token in tokens) == done["metadata"]["response"]
    own = ("session_id", "timestamp")
    assert {key: value for key, value in done["metadata"].items() if key not in own} == {
        key: value for key, value in whole.items() if key not in own
    }


def test_an_answer_comes_sentence_by_sentence(client: TestClient):
    *tokens, _ = stream(client, QUESTIONS["answered"])
    assert len(tokens) > 1


def test_run_answers_as_a_stream_when_it_is_told_to(client: TestClient):
    events = frames(run(client, QUESTIONS["answered"], stream=True))
    assert [event["type"] for event in events][-1] == "done"
    assert events[-1]["metadata"]["sources"]


def test_a_stream_is_not_held_back_by_a_proxy(client: TestClient):
    response = client.post(f"{THREADS}/chat/stream", json={"message": "Hello!"})
    assert response.headers["x-accel-buffering"] == "no"
    assert "no-cache" in response.headers["cache-control"]


def test_a_session_is_made_when_there_is_none_and_goes_on_when_it_is_named(client: TestClient):
    session_id = run(client, "What is a topic?").json()["session_id"]
    assert uuid.UUID(session_id).version == 4
    assert run(client, "Thank you!", session_id=session_id.upper()).json()["session_id"] == session_id
    assert [message["role"] for message in history(client, session_id)["messages"]] == [
        "user",
        "assistant",
    ] * 2


def test_a_streamed_answer_is_in_the_history(client: TestClient):
    done = stream(client, "What is a topic?")[-1]["metadata"]
    user, assistant = history(client, done["session_id"])["messages"]
    assert user["content"] == "What is a topic?"
    assert (assistant["content"], assistant["timestamp"]) == (done["response"], done["timestamp"])
    assert assistant["confidence"] == done["confidence"]


def test_the_history_has_the_caution_that_the_reader_was_told(client: TestClient):
    told = run(client, QUESTIONS["answered with caution"]).json()
    assert history(client, told["session_id"])["messages"][1]["content"] == told["response"]


@pytest.mark.parametrize("streams", [False, True])
def test_a_thread_is_told_back_with_what_it_was_opened_with(client: TestClient, streams: bool):
    opened, session_id = {"device": "desktop", "tags": ["ros2", {"deep": None}]}, str(uuid.uuid4())
    for metadata in (opened, {"device": "phone"}):
        sent = {"session_id": session_id, "metadata": metadata, "stream": streams}
        assert run(client, "Hello!", **sent).status_code == 200
    assert history(client, session_id)["metadata"] == opened


def test_only_messages_of_the_assistant_have_a_confidence(client: TestClient):
    session_id = run(client, "What is a topic?").json()["session_id"]
    user, assistant = history(client, session_id)["messages"]
    assert user.keys() == {"role", "content", "timestamp"}
    assert assistant.keys() == {"role", "content", "timestamp", "confidence"}


def test_a_topic_summary_exists_from_the_fifth_exchange_on(client: TestClient):
    session_id = str(uuid.uuid4())
    for _ in range(4):
        run(client, "What is a topic?", session_id=session_id)
    assert history(client, session_id)["topic_summary"] is None
    run(client, "What is a topic?", session_id=session_id)
    assert history(client, session_id)["topic_summary"] == "Topics"


def test_the_last_fifty_messages_are_shown(client: TestClient):
    session_id = str(uuid.uuid4())
    for number in range(26):
        run(client, f"Hello{'!' * number}", session_id=session_id)
    messages = history(client, session_id)["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant"] * 25
    assert messages[0]["content"] == "Hello!"
    assert messages[-2]["content"] == f"Hello{'!' * 25}"
    assert [message["timestamp"] for message in messages] == sorted(
        message["timestamp"] for message in messages
    )


def test_a_thread_that_rests_is_still_readable_and_goes_on_with_the_next_message(
    make_client: Callable[..., TestClient],
):
    client = make_client(lifecycle={"threads": {"archive_after": 0, "delete_after": 3600, "in_view": 50}})
    session_id = run(client, "Hello!").json()["session_id"]
    assert len(history(client, session_id)["messages"]) == 2
    assert run(client, "What is a topic?", session_id=session_id).status_code == 200
    assert len(history(client, session_id)["messages"]) == 4


def test_a_deleted_thread_may_begin_anew(client: TestClient):
    session_id = run(client, "Hello!").json()["session_id"]
    deleted = client.delete(f"{THREADS}/session/{session_id.upper()}")
    assert (deleted.status_code, deleted.content) == (204, b"")
    run(client, "Thanks!", session_id=session_id)
    assert history(client, session_id)["messages"][0]["content"] == "Thanks!"


def test_the_same_idempotency_key_gives_the_very_same_reply_once(client: TestClient):
    named = {"Idempotency-Key": str(uuid.uuid4())}
    first, second = (run(client, "What is a topic?", named).json() for _ in range(2))
    assert first == second
    assert len(history(client, first["session_id"])["messages"]) == 2


def test_the_same_idempotency_key_with_another_question_is_a_mistake(client: TestClient):
    named = {"Idempotency-Key": str(uuid.uuid4())}
    run(client, "What is a topic?", named)
    other = run(client, "What is a node?", named)
    assert (other.status_code, other.json()["error"]) == (422, "VALIDATION_ERROR")


def test_the_threshold_and_the_number_of_chunks_reach_the_search(client: TestClient):
    assert run(client, "What is a topic?", similarity_threshold=1).json()["sources"] == []
    assert run(client, "What is a topic?", top_k=1).json()["sources"]


def test_a_long_quote_is_cut_to_five_hundred_characters():
    quoted = Citation(1, "a/b.md#12", "a/b.md", "B", "A", "C", "/b#c", "x" * 501, 7, 508, 0.9)
    answer = replace(fixed_answer("Yes. [1]", Outcome.ANSWERED, Trace()), citations=(quoted,))
    (source,) = ChatReply.of(answer, str(uuid.uuid4()), datetime.now(UTC)).sources
    assert (source.chunk_text, source.chunk_index) == ("x" * 500, 12)


def test_an_answer_is_never_insufficient_and_a_refusal_always_is(client: TestClient):
    known_word = run(client, QUESTIONS["answered with caution"]).json()
    assert (known_word["confidence_level"], known_word["should_answer"]) == ("low", True)
    unknown = run(client, QUESTIONS["refused"]).json()
    assert (unknown["confidence_level"], unknown["should_answer"], unknown["sources"]) == (
        "insufficient",
        False,
        [],
    )
