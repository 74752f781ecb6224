"""The citations contract: answers with their places, from the book or from a selection."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

from glossator.model import Citation, Selection
from glossator.web.contracts.citations import SelectedTextCitation, SourceCitation
from support.recorded_examples import check_document, examples_of, play
from support.web_app import events_of

CITATIONS = "/contracts/citations"
SELECTION = "Valves are closed by hand.\r\n\n🤖 The pump moves four litres of water a minute.\nIt never sleeps.\n\nGreen is a colour."
QUESTIONS: dict[str, dict[str, Any]] = {
    "answered": {"query": "How do I stop a node?"},
    "answered with caution": {"query": "least"},
    "refused": {"query": "Who won the world cup in 1998?"},
    "small talk": {"query": "Hello!"},
    "the table of contents": {"query": "What chapters are there?"},
    "from a selection": {
        "query": "How much water does the pump move?",
        "mode": "selected_text",
        "selected_text": SELECTION,
    },
    "not in the selection": {
        "query": "What is a topic?",
        "mode": "selected_text",
        "selected_text": SELECTION,
    },
}

MakeClient = Callable[..., TestClient]


def chat(
    client: TestClient, query: str, headers: dict[str, str] | None = None, **sent: Any
) -> httpx2.Response:
    return client.post(f"{CITATIONS}/chat", json={"query": query, **sent}, headers=headers)


def stream(client: TestClient, **sent: Any) -> list[dict[str, Any]]:
    """Only data: no names and no numbers."""
    response = client.post(f"{CITATIONS}/chat/stream", json=sent)
    assert response.headers["content-type"].startswith("text/event-stream"), response.text
    events = events_of(response)
    assert {(name, number) for name, _, number in events} == {("message", None)}
    return [data for _, data, _ in events]


def conversations(client: TestClient, session_id: str, **query: int) -> list[dict[str, Any]]:
    return client.get(f"{CITATIONS}/conversations/{session_id}", params=query).json()


def place(url: str) -> str:
    return url.partition(":~:")[0]


@pytest.mark.parametrize("name", examples_of("citations"))
def test_a_recorded_example_comes_out_as_it_was(client: TestClient, name: str):
    play(client, "citations", name)


def test_the_document_of_the_contract_is_what_it_was(client: TestClient):
    check_document(client, "citations")


@pytest.mark.parametrize("kind", QUESTIONS)
def test_a_stream_is_chunks_then_sources_then_done_and_the_same_as_the_whole_reply(
    client: TestClient, kind: str
):
    whole = chat(client, **QUESTIONS[kind]).json()
    *chunks, sources, done = stream(client, **QUESTIONS[kind])
    assert chunks
    assert all(chunk.keys() == {"type", "content"} and chunk["type"] == "chunk" for chunk in chunks)
    assert "".join(chunk["content"] for chunk in chunks) == whole["answer"]
    assert sources == {"type": "sources", "sources": whole["sources"]}
    assert done.keys() == {"type", "metadata"}
    assert done["type"] == "done"
    assert done["metadata"].keys() == whole["metadata"].keys()
    for fact in ("chunks_retrieved", "model"):
        assert done["metadata"][fact] == whole["metadata"][fact]


def test_a_session_is_told_as_messages_when_asked_for(client: TestClient):
    session_id = str(uuid.uuid4())
    replies = [
        chat(client, query=query, session_id=session_id).json() for query in ("What is a topic?", "Hi!")
    ]
    told = client.get(f"{CITATIONS}/conversations/{session_id}?format=messages").json()
    assert told["total"] == 4
    assert [message["role"] for message in told["messages"]] == ["user", "assistant"] * 2
    assert [message["content"] for message in told["messages"]] == [
        "What is a topic?",
        replies[0]["answer"],
        "Hi!",
        replies[1]["answer"],
    ]
    assert [message["sources"] for message in told["messages"]] == [None, replies[0]["sources"], None, []]
    assert client.get(f"{CITATIONS}/conversations/{session_id}?format=xml").status_code == 400


def test_the_place_in_a_selection_is_exactly_that_of_the_cited_words(client: TestClient):
    reply = chat(client, **QUESTIONS["from a selection"]).json()
    assert reply["mode"] == "selected_text"
    assert reply["sources"]
    for source in reply["sources"]:
        cited = SELECTION[source["char_start"] : source["char_end"]]
        assert source["chunk_text"] == cited
        assert (source["source_url"], source["page_title"]) == ("selected_text", "User Selection")
        lines = SELECTION.split("\n")[source["line_start"] - 1 : source["line_end"]]
        assert cited in "\n".join(lines)
        assert cited.split("\n")[0] in lines[0]
        assert cited.split("\n")[-1] in lines[-1]


def test_a_long_quote_is_cut_to_five_hundred_characters_and_keeps_its_place():
    words = "x" * 501
    quoted = Citation(1, "#0", "", "", "", "", "", words, 2, 503, 0.9)
    source = SelectedTextCitation.within(Selection(f"a\n{words}\nb", only=True), quoted)
    assert (source.chunk_text, source.char_start, source.char_end) == ("x" * 500, 2, 503)
    assert (source.line_start, source.line_end) == (2, 2)
    assert SourceCitation.of(quoted).chunk_text == "x" * 500


def test_a_section_without_a_heading_is_called_an_introduction():
    assert SourceCitation.of(Citation(1, "a#0", "a", "A", "", "", "/a", "x", 0, 1, 0.9)).section_heading == (
        "Introduction"
    )


def test_a_selection_is_answered_without_a_book(make_client: MakeClient, tmp_path: Path):
    client = make_client(home=tmp_path / "empty")
    filters = {"source_url": "01-start/02-topics.md"}
    assert chat(client, **QUESTIONS["from a selection"], filters=filters).json()["sources"]
    assert chat(client, **QUESTIONS["not in the selection"]).json()["sources"] == []
    assert chat(client, **QUESTIONS["answered"]).status_code == 503


def test_a_selection_is_not_used_in_the_general_mode(client: TestClient):
    session_id = str(uuid.uuid4())
    query = QUESTIONS["from a selection"]["query"]
    reply = chat(client, query, selected_text=SELECTION, session_id=session_id).json()
    assert (reply["mode"], reply["sources"]) == ("general", [])
    assert [conversation["selected_text"] for conversation in conversations(client, session_id)] == [None]


@pytest.mark.parametrize(
    "query", ["What is quality of service?", "What is a topic?", "How do I stop a node?"]
)
def test_a_source_url_of_a_reply_is_a_filter_for_its_section(client: TestClient, query: str):
    given = chat(client, query).json()["sources"][0]["source_url"]
    assert ":~:text=" in given
    again = chat(client, query, filters={"source_url": given}).json()
    assert {place(source["source_url"]) for source in again["sources"]} == {place(given)}


@pytest.mark.parametrize(
    "page", ["01-start/01-nodes.md", "01-start/01-nodes.md/", "01-start/01-nodes.md#:~:text=A"]
)
def test_a_url_without_an_anchor_is_a_filter_for_its_page(client: TestClient, page: str):
    for query in ("How do I stop a node?", "What is a node?"):
        sources = chat(client, query, filters={"source_url": page}).json()["sources"]
        assert {source["page_title"] for source in sources} == {"Nodes"}
    sources = chat(client, "What is a topic?", filters={"source_url": page}).json()["sources"]
    assert {source["page_title"] for source in sources} <= {"Nodes"}


def test_several_values_are_alternatives_and_several_filters_must_all_match(client: TestClient):
    topics, nodes = "01-start/02-topics.md#topics", "01-start/01-nodes.md"
    asked = "What is a topic?"
    assert chat(client, asked, filters={"source_url": [nodes, topics]}).json()["sources"]
    assert chat(client, asked, filters={"section_heading": ["Topics", "Charging"]}).json()["sources"]
    others = chat(client, asked, filters={"page_title": ["Nodes", "Batteries"]}).json()["sources"]
    assert {source["page_title"] for source in others} <= {"Nodes", "Batteries"}
    assert chat(client, asked, filters={"source_url": topics, "page_title": "Nodes"}).json()["sources"] == []


def test_a_url_that_the_book_does_not_have_finds_nothing(client: TestClient):
    for url in ("https://elsewhere.example/", "selected_text", "01-start/02-topics.md#nowhere"):
        assert chat(client, "What is a topic?", filters={"source_url": url}).json()["sources"] == []


def test_no_value_is_no_filter(client: TestClient):
    empty = {"source_url": [], "page_title": [], "section_heading": []}
    for filters in (None, {}, empty):
        assert chat(client, "What is a topic?", filters=filters).json()["sources"]


def test_the_threshold_and_the_number_of_chunks_reach_the_search(client: TestClient):
    limits: list[dict[str, Any]] = [{"top_k": 1}, {"score_threshold": None}, {"score_threshold": 1}]
    retrieved = [
        chat(client, "What is a topic?", **options).json()["metadata"]["chunks_retrieved"]
        for options in limits
    ]
    assert retrieved == [1, 3, 0]


def test_a_session_keeps_its_exchanges_newest_first_whatever_the_case_of_its_id(client: TestClient):
    session_id = str(uuid.uuid4())
    asked = [f"Hello{'!' * number}" for number in range(22)]
    for query in asked:
        chat(client, query, session_id=session_id.upper())
    assert [conversation["query"] for conversation in conversations(client, session_id)] == asked[:1:-1]
    assert [
        conversation["query"] for conversation in conversations(client, session_id.upper(), limit=1)
    ] == asked[:-2:-1]
    assert [conversation["query"] for conversation in conversations(client, session_id, limit=20)] == asked[
        :1:-1
    ]
    assert {conversation["session_id"] for conversation in conversations(client, session_id)} == {session_id}


def test_a_streamed_answer_is_kept_as_it_was_told(client: TestClient):
    session_id = str(uuid.uuid4())
    *chunks, sources, done = stream(client, **QUESTIONS["answered with caution"], session_id=session_id)
    (kept,) = conversations(client, session_id)
    assert kept["response"] == "".join(chunk["content"] for chunk in chunks)
    assert kept["sources"] == sources["sources"]
    assert kept["chunks_retrieved"] == done["metadata"]["chunks_retrieved"]


def test_without_a_session_nothing_is_kept(make_client: MakeClient, tmp_path: Path):
    client = make_client()
    chat(client, "What is a topic? And my canary-5e1f?", headers={"Idempotency-Key": "once"})
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("records.sqlite*"))
    assert kept
    assert b"canary-5e1f" not in kept


def test_a_session_of_another_contract_is_not_found(client: TestClient):
    session_id = client.post("/v1/ask", json={"question": "What is a topic?"}).json()["session"]["id"]
    assert client.get(f"{CITATIONS}/conversations/{session_id}").status_code == 404


@pytest.mark.parametrize("remembered", [True, False])
def test_the_same_idempotency_key_gives_the_very_same_reply(client: TestClient, remembered: bool):
    named = {"Idempotency-Key": str(uuid.uuid4())}
    session_id = str(uuid.uuid4())
    sent = {"session_id": session_id} if remembered else {}
    first, second = (chat(client, "What is a topic?", named, **sent).json() for _ in range(2))
    assert first == second
    if remembered:
        assert len(conversations(client, session_id)) == 1
