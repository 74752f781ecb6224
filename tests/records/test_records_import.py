"""What readers asked a server of the first designs is taken over from its own tables, whole and once."""

from __future__ import annotations

import asyncio
import itertools
import json
import sqlite3
import uuid
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from glossator.adapters.records.foreign import Unimported, read_tables, sessions_in
from glossator.adapters.records.importing import Importer, ImportReport
from glossator.adapters.records.retention import Retention
from glossator.errors import RecordsError
from glossator.model import Contract, Level, Owner
from support.glossator_command import run_command
from support.records_database import execute
from support.records_story import HOUR, LIFECYCLES, NOON, Records, opened

KEY = "k"
THREAD, CHAT, TALK = (str(uuid.uuid4()) for _ in range(3))
LATER = NOON + HOUR
CREATE = {
    "conversations": "id, session_id, query, response, sources, mode, selected_text, chunks_retrieved, latency_ms, created_at",
    "conversation_threads": "thread_id, messages, created_at, updated_at, topic_summary, metadata",
    "chat_sessions": "id, user_id, created_at, updated_at, metadata",
    "chat_messages": "id, session_id, role, content, created_at, metadata",
}
SOURCE = {
    "source_url": "https://book.example/ros2#nodes",
    "page_title": "ROS 2",
    "section_heading": "Nodes",
    "chunk_text": "A node is a process.",
    "relevance_score": 0.91,
}

Tables = Mapping[str, Sequence[Sequence[Any]]]


def talk(session_id: str = TALK, at: str = NOON.isoformat(), **more: Any) -> list[Any]:
    row = {
        "id": str(uuid.uuid4()),
        "session_id": session_id,
        "query": "What is a node?",
        "response": "A process [1].",
        "sources": json.dumps([SOURCE]),
        "mode": "general",
        "selected_text": None,
        "chunks_retrieved": 1,
        "latency_ms": 1500.0,
        "created_at": at,
        **more,
    }
    return list(row.values())


def said(role: str, content: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, "timestamp": "2026-03-01T12:00:00Z", **more}


def thread(*messages: Mapping[str, Any], thread_id: str = THREAD) -> list[Any]:
    return [thread_id, json.dumps(messages), NOON.isoformat(), NOON.isoformat(), None, '{"tags": ["urdf"]}']


def foreign(folder: Path, tables: Tables) -> str:
    """A SQLite database that another server has left."""
    path = folder / "old.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        for name, rows in tables.items():
            connection.execute(f"CREATE TABLE {name} ({CREATE[name]})")
            marks = ", ".join("?" * len(CREATE[name].split(",")))
            connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
    return f"sqlite:///{path}"


async def taken(records: Records, url: str, *, dry_run: bool = False) -> ImportReport:
    left = Unimported()
    importer = Importer(records.database, Retention(LIFECYCLES, records.clock), KEY, dry_run)
    return await importer.take(sessions_in(await read_tables(url), left), left)


def test_conversations_become_sessions_of_citations(play, tmp_path: Path):
    selected = {**SOURCE, "source_url": "selected_text", "char_start": 4, "char_end": 24}
    url = foreign(
        tmp_path,
        {
            "conversations": [
                talk(
                    at=LATER.isoformat(),
                    query="And then?",
                    mode="selected_text",
                    selected_text="So, A node is a process.",
                    sources=json.dumps([selected]),
                ),
                talk(),
            ]
        },
    )

    async def story(records: Records):
        assert await taken(records, url) == ImportReport(1, 2)
        session = await records.sessions.find(TALK, Owner(KEY))
        assert (session.contract, session.exchanges, session.updated_at) == (Contract.CITATIONS, 2, LATER)
        first, then = await records.exchanges.of_session(TALK, Owner(KEY))
        assert (first.question, first.answer.text, first.latency_ms) == (
            "What is a node?",
            "A process [1].",
            1500,
        )
        (cited,) = first.answer.citations
        assert (cited.url, cited.page_title, cited.section, cited.quote, cited.similarity) == tuple(
            SOURCE.values()
        )
        assert then.selection is not None
        assert (then.mode, then.selection.text) == ("selected_text", "So, A node is a process.")
        assert (then.answer.citations[0].page, then.answer.citations[0].start) == ("", 4)

    play(story)


def test_threads_become_threads_and_what_is_not_whole_is_named(play, tmp_path: Path):
    other = str(uuid.uuid4())
    url = foreign(
        tmp_path,
        {
            "conversation_threads": [
                thread(
                    said("user", "What is URDF?"),
                    said("assistant", "A format.", confidence=0.8),
                    said("user", "Are you there?"),
                    said("user", "An example?"),
                    said("assistant", "Here."),
                    said("user", "And?"),
                ),
                thread(said("assistant", "Hello."), thread_id=other),
                thread(thread_id="not a uuid"),
                thread(said("user", "?"), said("assistant", "!"), thread_id=str(uuid.uuid1())),
            ]
        },
    )

    async def story(records: Records):
        done = await taken(records, url)
        assert (done.sessions, done.exchanges) == (1, 2)
        assert {reason: len(names) for reason, names in done.left.items()} == {
            "a question has no answer": 2,
            "an answer has no question": 1,
            "it has no whole exchange": 1,
            "its id is no UUID of version 4": 2,
        }
        session = await records.sessions.find(THREAD, Owner(KEY))
        assert (session.contract, session.metadata) == (Contract.THREADS, {"tags": ["urdf"]})
        first, second = await records.exchanges.of_session(THREAD, Owner(KEY))
        assert first.answer.confidence is not None
        assert (first.answer.confidence.score, first.answer.confidence.level) == (0.8, Level.MEDIUM)
        assert (second.question, second.answer.confidence) == ("An example?", None)

    play(story)


def test_chats_become_sessions_of_the_course_for_their_users(play, tmp_path: Path):
    def message(role: str, content: str, minute: int, metadata: object = None) -> list[Any]:
        about = None if metadata is None else json.dumps(metadata)
        return [str(uuid.uuid4()), CHAT, role, content, f"2026-03-01 12:0{minute}:00", about]

    url = foreign(
        tmp_path,
        {
            "chat_sessions": [
                [CHAT, "browser_abc123", NOON.isoformat(), NOON.isoformat(), '{"device": "desktop"}'],
                ["a/b", "ada", NOON.isoformat(), NOON.isoformat(), None],
                ["nobodys", " ", NOON.isoformat(), NOON.isoformat(), None],
                ["broken", "ada", "yesterday", NOON.isoformat(), None],
            ],
            "chat_messages": [
                message("assistant", "A process.", 2, {"sources": ["03-ros2.md", "03-ros2.md"]}),
                message("user", "What is a node?", 1, {"selected_text": "rclpy"}),
            ],
        },
    )

    async def story(records: Records):
        done = await taken(records, url)
        assert (done.sessions, done.exchanges) == (1, 1)
        assert [*done.left.values()] == [["a/b"], ["nobodys"], ["broken"]]
        session = await records.sessions.find_by_id(CHAT, Owner(KEY), Contract.COURSE)
        assert (session.owner, session.metadata) == (Owner(KEY, "browser_abc123"), {"device": "desktop"})
        (kept,) = await records.exchanges.of_session(CHAT, session.owner)
        assert kept.selection is not None
        assert (kept.question, kept.selection.text) == ("What is a node?", "rclpy")
        assert [citation.page for citation in kept.answer.citations] == ["03-ros2.md"]

    play(story)


def chat(chat_id: str, at: Any = "2026-03-01 12:01:00") -> dict[str, list[list[Any]]]:
    """One question with its answer, in their two tables."""
    messages = [
        [str(uuid.uuid4()), chat_id, role, role, moment, None]
        for role, moment in (("user", "2026-03-01 12:00:00"), ("assistant", at))
    ]
    session = [chat_id, "ada", NOON.isoformat(), NOON.isoformat(), None]
    return {"chat_sessions": [session], "chat_messages": messages}


def side_by_side(*tables: Mapping[str, list[Any]]) -> Tables:
    return {name: [row for one in tables for row in one[name]] for name in tables[0]}


TIMES = [None, "", "yesterday", 7, b"\xff", "0001-01-01T00:00:00+14:00"]
"""None of them can be read."""


@pytest.mark.parametrize("time", TIMES)
def test_a_time_that_cannot_be_read_leaves_its_session_and_no_other(play, tmp_path: Path, time: Any):
    other = str(uuid.uuid4())
    messages = side_by_side(chat("good"), chat("bad", time))
    url = foreign(tmp_path, {"conversations": [talk(other, at=time), talk(other), talk()], **messages})

    async def story(records: Records):
        assert await taken(records, url) == ImportReport(2, 2, {"its row cannot be read": [other, "bad"]})

    play(story)


JUNK = [*TIMES, "a\0b", "[1]", "{", '{"a": 1}', '{"a": NaN, "b\\ud800": "\\u0000"}', float("inf")]


def old_sessions(*ids: str) -> dict[str, list[list[Any]]]:
    """One of each kind, with a question and its answer."""
    talk_id, thread_id, chat_id = ids or [str(uuid.uuid4()) for _ in range(3)]
    return {
        "conversations": [talk(talk_id)],
        "conversation_threads": [thread(said("user", "?"), said("assistant", "!"), thread_id=thread_id)],
        **chat(chat_id),
    }


def test_whatever_stands_in_a_row_keeps_nothing_else_from_being_imported(play, tmp_path: Path):
    broken = list[dict[str, list[list[Any]]]]()
    for table, columns in CREATE.items():
        for column, junk in itertools.product(range(len(columns.split(","))), JUNK):
            broken.append(old_sessions())
            broken[-1][table][0][column] = junk
    url = foreign(tmp_path, side_by_side(*broken, old_sessions(TALK, THREAD, CHAT)))

    async def story(records: Records):
        await taken(records, url)
        for session_id in (TALK, THREAD, CHAT):
            assert await records.insight_store.find(session_id)

    play(story)


def test_a_dry_run_writes_nothing_and_a_second_run_nothing_more(play, tmp_path: Path):
    url = foreign(tmp_path, {"conversations": [talk()]})

    async def story(records: Records):
        assert await taken(records, url, dry_run=True) == ImportReport(1, 1)
        assert await records.insight_store.list_sessions() == []
        assert await taken(records, url) == ImportReport(1, 1)
        assert await taken(records, url) == ImportReport(0, 0, {"it is here already": [TALK]})
        assert len(await records.exchanges.of_session(TALK, Owner(KEY))) == 1

    play(story)


def test_what_its_contract_would_not_keep_any_more_is_named(play, tmp_path: Path):
    url = foreign(tmp_path, {"conversation_threads": [thread(said("user", "?"), said("assistant", "!"))]})

    async def story(records: Records):
        records.clock.forward(days=91)
        done = await taken(records, url)
        assert done == ImportReport(0, 0, {"it is older than its contract keeps sessions": [THREAD]})

    play(story)


def test_a_postgresql_of_another_server_is_read_too(postgres_url: str, empty_postgres_url: str):
    execute(
        empty_postgres_url,
        "CREATE TABLE conversations (id uuid, session_id varchar(36), query text, response text, sources jsonb,"
        " mode varchar(20), selected_text text, chunks_retrieved integer, latency_ms float, created_at timestamptz)",
    )
    execute(
        empty_postgres_url,
        f"INSERT INTO conversations VALUES (gen_random_uuid(), '{TALK.upper()}', 'What is a node?', 'A process [1].',"
        f" '{json.dumps([SOURCE])}', 'general', null, 1, 1500, timestamptz '2026-03-01 12:00Z')",
    )

    async def story() -> None:
        async with opened(postgres_url) as records:
            assert await taken(records, empty_postgres_url) == ImportReport(1, 1)
            (kept,) = await records.exchanges.of_session(TALK, Owner(KEY))
            assert kept.answer.citations[0].quote == SOURCE["chunk_text"]

    asyncio.run(story())


def test_a_time_that_a_postgresql_does_not_have_leaves_its_session_and_no_other(
    postgres_url: str, empty_postgres_url: str
):
    columns = "id uuid, user_id varchar(255), created_at timestamptz, updated_at timestamptz, metadata jsonb"
    execute(empty_postgres_url, f"CREATE TABLE chat_sessions ({columns})")
    columns = "session_id uuid, role varchar(20), content text, created_at timestamptz, metadata jsonb"
    execute(empty_postgres_url, f"CREATE TABLE chat_messages ({columns})")
    for chat_id, at in ((THREAD, "null"), (CHAT, "now()")):
        execute(empty_postgres_url, f"INSERT INTO chat_sessions VALUES ('{chat_id}', 'ada', now(), now())")
        for role, moment in (("user", "now()"), ("assistant", at)):
            execute(
                empty_postgres_url, f"INSERT INTO chat_messages VALUES ('{chat_id}', '{role}', 'x', {moment})"
            )

    async def story() -> None:
        async with opened(postgres_url) as records:
            done = await taken(records, empty_postgres_url)
            assert done == ImportReport(1, 1, {"its row cannot be read": [THREAD]})

    asyncio.run(story())


@pytest.mark.parametrize("name", ["nothing.db", "text.db", "empty.db"])
def test_what_is_no_such_database_is_told_in_a_sentence(tmp_path: Path, name: str):
    (tmp_path / "text.db").write_text("no database " * 100)
    sqlite3.connect(tmp_path / "empty.db").close()
    with pytest.raises(RecordsError, match="That database"):
        asyncio.run(read_tables(f"sqlite:///{tmp_path / name}"))
    assert not (tmp_path / "nothing.db").exists()


def test_the_command_says_what_it_took_and_what_it_left(tmp_path: Path):
    url = foreign(tmp_path, {"conversations": [talk(), talk("no uuid")]})
    settings = {"GLOSSATOR_HOME": str(tmp_path / "home"), "GLOSSATOR_LIFECYCLE": "{}"}
    done = run_command(tmp_path, "import", url, "--key", KEY, "--dry-run", **settings)
    assert done.returncode == 0, done.stderr
    assert "Left 1: its id is no UUID (no uuid)" in done.stdout
