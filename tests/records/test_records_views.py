"""SQL that was written for the tables of the first designs works on ours."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from records_database import execute
from records_story import ALICE, BOB, DAY, Records, answer, citation, opened, refusal

from glossator.errors import RecordsUnavailable
from glossator.model import Contract, Owner, Selection

VIEWS = ["conversation_threads", "conversations", "chat_sessions", "chat_messages"]


async def rows(records: Records, statement: str) -> list[dict[str, Any]]:
    def read(connection):
        return [dict(row) for row in connection.exec_driver_sql(statement).mappings()]

    return await records.database.read(read)


def test_a_thread_is_a_row_with_its_messages(play):
    async def story(records: Records):
        await records.ask("t", question="What is URDF?", session={"metadata": {"tags": ["urdf"]}})
        await records.ask("t", question="An example?", reply=answer("Here is one [1].", confidence=None))
        await records.sessions.open(records.turn("empty").session)
        found = await rows(
            records,
            "SELECT thread_id, messages, topic_summary, metadata FROM conversation_threads ORDER BY updated_at",
        )
        by_id = {row["thread_id"]: row for row in found}
        messages = json.loads(by_id["t"]["messages"])
        assert [message["role"] for message in messages] == ["user", "assistant", "user", "assistant"]
        assert messages[0] == {
            "role": "user",
            "content": "What is URDF?",
            "timestamp": "2026-03-01T12:00:00.250Z",
        }
        assert messages[1]["content"] == "Nodes talk over topics [1]."
        assert (messages[1]["timestamp"], messages[1]["confidence"]) == ("2026-03-01T12:00:02.250Z", 0.93)
        assert json.loads(by_id["t"]["metadata"]) == {"tags": ["urdf"]}
        assert json.loads(by_id["empty"]["messages"]) == []
        assert by_id["empty"]["topic_summary"] is None

    play(story)


def test_a_thread_shows_its_last_fifty_messages(play):
    async def story(records: Records):
        for n in range(27):
            await records.ask("t", question=f"Number {n}")
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
        long = "x" * 600
        first = citation(1, "Nodes")
        cited = answer(citations=(first, citation(2, "Topics")))
        told = await records.ask(
            "c", reply=cited, selection=Selection(long), mode="selected_text", contract=Contract.CITATIONS
        )
        await records.ask("c", reply=refusal(confidence=None), contract=Contract.CITATIONS)
        await records.turns.accept(records.turn("c"))
        found = await rows(
            records,
            """
            SELECT id, session_id, query, response, sources, mode, selected_text, chunks_retrieved, latency_ms
            FROM conversations WHERE session_id = 'c' ORDER BY created_at DESC LIMIT 20
            """,
        )
        refused, answered = found
        assert (answered["id"], answered["query"]) == (told.id, told.question)
        assert (answered["mode"], answered["selected_text"]) == ("selected_text", long)
        assert (answered["chunks_retrieved"], answered["latency_ms"]) == (5, 2000)
        sources = json.loads(answered["sources"])
        assert [source["section_heading"] for source in sources] == ["Nodes", "Topics"]
        assert sources[0] == {
            "source_url": first.url,
            "page_title": "ROS 2",
            "section_heading": "Nodes",
            "chunk_text": first.quote,
            "relevance_score": 0.91,
        }
        assert json.loads(refused["sources"]) == []
        assert (refused["chunks_retrieved"], refused["selected_text"]) == (0, None)

    play(story)


def test_chat_messages_are_read_in_their_order(play):
    async def story(records: Records):
        await records.ask(
            "chat", question="What are nodes?", selection=Selection("rclpy"), contract=Contract.COURSE
        )
        found = await rows(
            records,
            """
            SELECT m.role, m.content, m.metadata, s.user_id
            FROM chat_messages m JOIN chat_sessions s ON s.id = m.session_id
            WHERE m.session_id = 'chat' ORDER BY m.created_at ASC
            """,
        )
        question, reply = found
        assert (question["role"], question["content"]) == ("user", "What are nodes?")
        assert json.loads(question["metadata"]) == {"selected_text": "rclpy"}
        assert (reply["role"], reply["content"]) == ("assistant", "Nodes talk over topics [1].")
        assert json.loads(reply["metadata"]) == {"sources": ["ros2.md"]}
        assert question["user_id"] == "alice"

    play(story)


def test_sessions_of_two_owners_with_the_same_id_are_not_mixed_up(play):
    async def story(records: Records):
        await records.ask("1", ALICE, question="Alice asks", contract=Contract.COURSE)
        await records.ask("1", BOB, question="Bob asks", contract=Contract.COURSE)
        await records.ask("2", Owner("key-1"), question="Nobody asks")
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
            ("bob", "Bob asks"),
            (None, "Nobody asks"),
        ]
        alices, bobs, _ = (row["id"] for row in found)
        assert alices == "1"
        assert bobs.startswith("1~")

    play(story)


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
            await records.ask(session={"metadata": {"device": "desktop"}})
            records.clock.now = records.clock.now - 100 * DAY
            await records.ask("old")

    asyncio.run(story())
    old = execute(postgres_url, "SELECT id FROM chat_sessions WHERE updated_at < timestamptz '2026-01-01'")
    assert [row["id"] for row in old] == ["old"]
    device = execute(postgres_url, "SELECT id FROM chat_sessions WHERE metadata ->> 'device' = 'desktop'")
    assert [row["id"] for row in device] == ["s"]
    cited = execute(
        postgres_url,
        """SELECT session_id FROM conversations WHERE sources @> '[{"page_title": "ROS 2"}]' AND session_id = 's'""",
    )
    assert len(cited) == 1
    counted = execute(postgres_url, "SELECT jsonb_array_length(messages) AS n FROM conversation_threads")
    assert [row["n"] for row in counted] == [2, 2]


def test_times_in_sqlite_are_understood_by_its_own_functions(sqlite_url: str):
    async def story():
        async with opened(sqlite_url) as records:
            await records.ask()
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
