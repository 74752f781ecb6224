"""SQL that was written for the tables of the first designs works on ours."""

from __future__ import annotations

import asyncio
import json
import re
import uuid
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Connection

from glossator.errors import RecordsUnavailable
from glossator.model import Contract, Owner, Selection
from glossator.web.contracts.citations import sources_of
from support.records_database import execute
from support.records_story import ALICE, BOB, DAY, Records, answer, citation, opened, refusal

VIEWS = ["conversation_threads", "conversations", "chat_sessions", "chat_messages"]


async def rows(records: Records, statement: str) -> list[dict[str, Any]]:
    def read(connection):
        return [dict(row) for row in connection.exec_driver_sql(statement).mappings()]

    return await records.database.read(read)


def thread(name: str) -> str:
    """An id as the contracts have it."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, name))


def test_a_thread_is_a_row_with_its_messages(play):
    async def story(records: Records):
        of_threads: dict[str, Any] = {"contract": Contract.THREADS}
        await records.ask(
            thread("t"), question="What is URDF?", session={"metadata": {"tags": ["urdf"]}}, **of_threads
        )
        unsure = replace(answer("Here is one [1].", confidence=None), disclaimer="Please check it.")
        await records.ask(thread("t"), question="An example?", reply=unsure, **of_threads)
        await records.sessions.open(records.turn(thread("empty"), **of_threads).session)
        await records.ask(thread("of the widget"))
        found = await rows(
            records,
            "SELECT thread_id, messages, topic_summary, metadata FROM conversation_threads ORDER BY updated_at",
        )
        by_id = {row["thread_id"]: row for row in found}
        assert set(by_id) == {thread("t"), thread("empty")}
        messages = json.loads(by_id[thread("t")]["messages"])
        assert [message["role"] for message in messages] == ["user", "assistant", "user", "assistant"]
        assert messages[0] == {
            "role": "user",
            "content": "What is URDF?",
            "timestamp": "2026-03-01T12:00:00.250Z",
        }
        assert messages[1]["content"] == "Nodes talk over topics [1]."
        assert (messages[1]["timestamp"], messages[1]["confidence"]) == ("2026-03-01T12:00:02.250Z", 0.93)
        assert messages[3]["content"] == "Here is one [1].\n\nPlease check it."
        assert json.loads(by_id[thread("t")]["metadata"]) == {"tags": ["urdf"]}
        assert json.loads(by_id[thread("empty")]["messages"]) == []
        assert by_id[thread("empty")]["topic_summary"] is None

    play(story)


def test_a_thread_shows_its_last_fifty_messages(play):
    async def story(records: Records):
        for n in range(27):
            await records.ask(thread("t"), question=f"Number {n}", contract=Contract.THREADS)
        (row,) = await rows(records, "SELECT messages, topic_summary FROM conversation_threads")
        messages = json.loads(row["messages"])
        assert (len(messages), messages[0]["content"], messages[-2]["content"]) == (
            50,
            "Number 2",
            "Number 26",
        )
        assert row["topic_summary"].startswith("Number 0")

    play(story)


def test_a_conversation_is_a_row_for_each_exchange(play):
    async def story(records: Records):
        of_citations: dict[str, Any] = {"contract": Contract.CITATIONS}
        first = citation(1, "Nodes")
        cited = replace(answer(citations=(first, citation(2, ""))), disclaimer="Please check it in the book.")
        told = await records.ask(thread("c"), reply=cited, id=str(uuid.uuid4()), **of_citations)
        await records.ask(thread("c"), reply=refusal(confidence=None), **of_citations)
        await records.ask(thread("of the widget"), mode="book")
        await records.turns.accept(records.turn(thread("c"), **of_citations))
        found = await rows(
            records,
            f"""
            SELECT id, session_id, query, response, sources, mode, selected_text, chunks_retrieved, latency_ms
            FROM conversations WHERE session_id = '{thread("c")}' ORDER BY created_at DESC LIMIT 20
            """,
        )
        refused, answered = found
        assert (str(answered["id"]), answered["query"]) == (told.id, told.question)
        assert answered["response"] == "Nodes talk over topics [1].\n\nPlease check it in the book."
        assert (answered["mode"], answered["selected_text"]) == ("general", None)
        assert (answered["chunks_retrieved"], answered["latency_ms"]) == (5, 2000)
        sources = json.loads(answered["sources"])
        assert [source["section_heading"] for source in sources] == ["Nodes", "Introduction"]
        assert sources[0] == {
            "source_url": first.url,
            "page_title": "ROS 2",
            "section_heading": "Nodes",
            "chunk_text": first.quote,
            "relevance_score": 0.91,
        }
        assert json.loads(refused["sources"]) == []
        assert (refused["chunks_retrieved"], refused["selected_text"]) == (0, None)
        assert {row["mode"] for row in await rows(records, "SELECT mode FROM conversations")} == {"general"}

    play(story)


def test_a_conversation_says_of_a_selection_what_the_reply_said(play):
    async def story(records: Records):
        selection = Selection("Ring é twice.\n\nThe pump moves\nfour litres.\nThen stop.", only=True)
        start = selection.text.index("The pump")
        cited = replace(
            citation(1, "User Selection"),
            page="",
            page_title="User Selection",
            url="",
            quote="The pump moves\nfour litres.",
            start=start,
            end=start + 27,
        )
        kept = await records.ask(
            thread("c"),
            reply=answer(citations=(cited,)),
            selection=selection,
            mode="selected_text",
            contract=Contract.CITATIONS,
        )
        (row,) = await rows(records, "SELECT sources, selected_text, mode FROM conversations")
        (said,) = sources_of(kept.answer, selection)
        assert json.loads(row["sources"]) == [said.model_dump(mode="json")]
        assert (row["selected_text"], row["mode"]) == (selection.text, "selected_text")

    play(story)


def test_chat_messages_are_read_in_their_order(play):
    async def story(records: Records):
        exchange, session = str(uuid.uuid4()), thread("chat")
        await records.ask(
            session,
            question="What are nodes?",
            selection=Selection("rclpy"),
            contract=Contract.COURSE,
            id=exchange,
        )
        found = await rows(
            records,
            f"""
            SELECT m.id, m.role, m.content, m.metadata, s.user_id
            FROM chat_messages m JOIN chat_sessions s ON s.id = m.session_id
            WHERE m.session_id = '{session}' ORDER BY m.created_at ASC
            """,
        )
        question, reply = found
        assert (question["role"], question["content"]) == ("user", "What are nodes?")
        assert json.loads(question["metadata"]) == {"selected_text": "rclpy"}
        assert (reply["role"], reply["content"]) == ("assistant", "Nodes talk over topics [1].")
        assert json.loads(reply["metadata"]) == {"selected_text": "rclpy", "sources": ["ros2.md"]}
        assert question["user_id"] == "alice"
        assert str(reply["id"]) == exchange
        assert str(question["id"]) == exchange[:14] + "8" + exchange[15:]

    play(story)


def test_sessions_of_two_owners_with_the_same_id_are_not_mixed_up(play):
    async def story(records: Records):
        of_course: dict[str, Any] = {"contract": Contract.COURSE}
        for owner, asked in ((ALICE, "Alice asks"), (BOB, "Bob asks")):
            await records.ask(thread("1"), owner, question=asked, **of_course)
            await records.ask("not a uuid", owner, question=f"{asked} again", **of_course)
        await records.ask("2", Owner("key-1"), question="Nobody asks")
        await records.ask(thread("1"), question="Alice asks once more", **of_course)
        found = await rows(
            records,
            """
            SELECT s.id, s.user_id, m.content
            FROM chat_sessions s JOIN chat_messages m ON m.session_id = s.id
            WHERE m.role = 'user' ORDER BY m.created_at
            """,
        )
        assert [(row["user_id"], row["content"]) for row in found] == [
            ("alice", "Alice asks"),
            ("alice", "Alice asks again"),
            ("bob", "Bob asks"),
            ("bob", "Bob asks again"),
            ("alice", "Alice asks once more"),
        ]
        names = [str(uuid.UUID(str(row["id"]))) for row in found]
        assert names[0] == names[4] == thread("1")
        assert len(set(names)) == 4

    play(story)


QUERIES = [
    "SELECT query FROM conversations WHERE session_id = '{id}' ORDER BY created_at DESC LIMIT 20",
    "SELECT query FROM conversations WHERE created_at > '2026-03-01' AND created_at < '2026-03-02'",
    "SELECT messages FROM conversation_threads WHERE thread_id = '{id}'",
    "SELECT thread_id FROM conversation_threads WHERE created_at < '2026-01-01'",
    "SELECT content FROM chat_messages WHERE session_id = '{id}' ORDER BY created_at",
    "SELECT id FROM chat_sessions WHERE id = '{id}'",
    "SELECT id FROM chat_sessions WHERE user_id = 'alice'",
    "SELECT id FROM chat_sessions WHERE created_at < '2026-01-01'",
]


@pytest.mark.parametrize("query", QUERIES)
def test_through_a_view_a_session_and_a_time_are_found_by_an_index(play, query: str):
    async def story(records: Records):
        steps = await records.database.read(
            lambda connection: _plan(connection, query.format(id=thread("t")))
        )
        assert steps
        assert not [step for step in steps if re.search(r"SCAN [se]\b|Seq Scan", step)], steps

    play(story)


def _plan(connection: Connection, query: str) -> list[str]:
    if connection.dialect.name == "sqlite":
        return [row.detail for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}")]
    # Where there is nothing yet, reading all of it would be the quickest.
    connection.exec_driver_sql("SET enable_seqscan = off")
    return [row[0] for row in connection.exec_driver_sql(f"EXPLAIN {query}")]


@pytest.mark.parametrize("view", VIEWS)
def test_the_views_are_there_to_be_read(play, view: str):
    async def story(records: Records):
        await records.ask()
        with pytest.raises(RecordsUnavailable):
            await records.database.write(lambda connection: connection.exec_driver_sql(f"DELETE FROM {view}"))
        assert len(await records.questions()) == 1

    play(story)


def test_times_and_documents_have_the_types_that_sql_for_postgresql_expects(postgres_url: str):
    async def story():
        async with opened(postgres_url) as records:
            new = {"session": {"metadata": {"device": "desktop"}}, "contract": Contract.COURSE}
            await records.ask(thread("new"), **new)
            for contract in (Contract.CITATIONS, Contract.THREADS):
                await records.ask(thread(contract), contract=contract)
            records.clock.now = records.clock.now - 100 * DAY
            await records.ask(thread("old"), contract=Contract.COURSE)

    asyncio.run(story())
    old = execute(postgres_url, "SELECT id FROM chat_sessions WHERE updated_at < timestamptz '2026-01-01'")
    assert [row["id"] for row in old] == [uuid.UUID(thread("old"))]
    device = execute(postgres_url, "SELECT id FROM chat_sessions WHERE metadata ->> 'device' = 'desktop'")
    assert [row["id"] for row in device] == [uuid.UUID(thread("new"))]
    joined = execute(
        postgres_url,
        f"""SELECT m.id FROM chat_messages m JOIN chat_sessions s ON s.id = m.session_id
        WHERE m.session_id = '{thread("new")}'::uuid""",
    )
    assert len({row["id"] for row in joined if isinstance(row["id"], uuid.UUID)}) == 2
    cited = execute(
        postgres_url,
        """SELECT id, session_id FROM conversations WHERE sources @> '[{"page_title": "ROS 2"}]'""",
    )
    assert [row["session_id"] for row in cited] == [thread("citations")]
    counted = execute(postgres_url, "SELECT jsonb_array_length(messages) AS n FROM conversation_threads")
    assert [row["n"] for row in counted] == [2]


def test_times_in_sqlite_are_understood_by_its_own_functions(sqlite_url: str):
    async def story():
        async with opened(sqlite_url) as records:
            await records.ask(contract=Contract.COURSE)
            (row,) = await rows(
                records,
                """
                SELECT datetime(created_at) AS began, julianday(updated_at) - julianday(created_at) AS days
                FROM chat_sessions WHERE updated_at < datetime('2026-03-02') AND created_at > datetime('2026-03-01')
                """,
            )
            assert row["began"] == "2026-03-01 12:00:00"
            assert row["days"] == pytest.approx(2 / 86_400, abs=1e-7)

    asyncio.run(story())
