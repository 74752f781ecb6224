"""A database that is not there, does not answer, or dies in between is an error of ours, in time."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sqlite3
import stat
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest
from sqlalchemy import Connection, text

from glossator.adapters.records.database import Database, PostgresAddress, SqliteAddress, address_of
from glossator.errors import GlossatorError, RecordsUnavailable, SettingsError
from glossator.web.problem import problem_of
from support.records_database import execute
from support.records_line import PASSWORD, line_to
from support.records_story import Records, answer, opened


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:///records.sqlite", Path("records.sqlite")),
        ("sqlite:////srv/records.sqlite", Path("/srv/records.sqlite")),
        ("sqlite+aiosqlite:////srv/records.sqlite", Path("/srv/records.sqlite")),
        ("sqlite:////srv/a%20book/records.sqlite?mode=rwc", Path("/srv/a book/records.sqlite")),
    ],
)
def test_urls_of_sqlite_name_a_file(url: str, path: Path):
    assert address_of(url) == SqliteAddress(path)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://bob:pw@db.example:5432/book",
        "postgres://bob:pw@db.example:5432/book",
        "postgresql+asyncpg://bob:pw@db.example:5432/book",
    ],
)
def test_urls_of_postgresql_have_many_beginnings(url: str):
    assert address_of(url) == PostgresAddress("postgresql://bob:pw@db.example:5432/book")


def test_what_only_libpq_knows_is_left_out_of_the_url():
    given = "postgresql://bob:pw@db.example/book?sslmode=require&channel_binding=require"
    assert address_of(given) == PostgresAddress("postgresql://bob:pw@db.example/book?sslmode=require")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "mysql://bob:hunter2@db.example/book",
        "sqlite://",
        "sqlite:///:memory:",
        "postgresql://bob:hunter2/x@db.example/book",
        "postgresql://bob:hunter2#x@db.example/book",
        "postgresql://[hunter2@db.example/book",
    ],
)
def test_a_url_that_cannot_be_used_is_refused_and_not_repeated(url: str):
    with pytest.raises(SettingsError) as refused:
        Database.open(url, seconds=5)
    assert "hunter2" not in _everything_said(refused.value)


def test_the_file_and_the_folder_it_is_in_are_private(empty_sqlite_url: str):
    file = Path(empty_sqlite_url.removeprefix("sqlite:///"))

    async def story():
        async with opened(empty_sqlite_url) as records:
            await records.ask()
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()}
            assert set(modes.values()) == {0o600}, modes
            assert {file.name, f"{file.name}-wal"} <= set(modes)

    umask = os.umask(0)
    try:
        asyncio.run(story())
    finally:
        os.umask(umask)
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_only_a_migration_makes_the_file(tmp_path: Path):
    async def story():
        database = Database.open(f"sqlite:///{tmp_path / 'records.sqlite'}", seconds=1)
        with pytest.raises(RecordsUnavailable):
            await Records.over(database).retention_store.ping()
        with pytest.raises(RecordsUnavailable):
            await Records.over(database).ask()
        assert list(tmp_path.iterdir()) == []
        await database.migrate()
        await Records.over(database).ask()
        await database.aclose()

    asyncio.run(story())


def test_a_path_may_have_any_characters(tmp_path: Path):
    folder = tmp_path / "a book? 100%25 #1 آپ"

    async def story():
        async with opened(f"sqlite:///{quote(str(folder))}/records.sqlite") as records:
            await records.ask()

    asyncio.run(story())
    assert (folder / "records.sqlite").is_file()


def test_a_server_that_is_not_there_is_told_at_once():
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"postgresql://bob:{PASSWORD}@127.0.0.1:{taken.getsockname()[1]}/book"
        _is_unavailable(url)


def test_a_server_that_takes_calls_and_says_nothing_is_waited_for_in_vain_only_so_long():
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        url = f"postgresql://bob:{PASSWORD}@127.0.0.1:{silent.getsockname()[1]}/book"
        _is_unavailable(url)


@pytest.mark.parametrize("wrong", ["folder", "garbage", "no folder can be made"])
def test_a_file_that_is_none_is_an_error_of_ours(tmp_path: Path, wrong: str):
    path = tmp_path / "records.sqlite"
    match wrong:
        case "folder":
            path.mkdir()
        case "garbage":
            path.write_bytes(b"This is not a database. " * 1000)
        case _:
            (tmp_path / "file").touch()
            path = tmp_path / "file" / "records.sqlite"
    _is_unavailable(f"sqlite:///{path}")


def test_the_operator_hears_why_the_database_cannot_be_used_and_a_reader_does_not(postgres_url: str):
    url = postgres_url.replace("/glossator_", "/no_database_like_")

    async def story():
        database = Database.open(url, seconds=5)
        with pytest.raises(RecordsUnavailable, match="no_database_like_"):
            await database.migrate()
        with pytest.raises(RecordsUnavailable) as heard:
            await database.read(lambda connection: connection.scalar(text("SELECT 1")))
        assert "no_database_like_" in str(heard.value), "which the log tells"
        assert problem_of(heard.value).message == "The database does not answer."
        await database.aclose()

    asyncio.run(story())


def test_connections_that_died_in_the_pool_are_not_noticed(postgres_url: str):
    async def story():
        async with opened(postgres_url) as records:
            await asyncio.gather(*(records.ask(f"session {n}") for n in range(10)))
            await asyncio.to_thread(_end_all_connections, postgres_url)
            await asyncio.gather(*(records.ask(f"session {n}") for n in range(10)))
            await asyncio.to_thread(_end_all_connections, postgres_url)
            assert len(await records.questions("session 3")) == 2

    asyncio.run(story())


@pytest.mark.parametrize("code", ["40001", "40P01"])
def test_a_transaction_that_lost_against_another_is_done_again(postgres_url: str, code: str):
    calls = list[int]()

    def work(connection: Connection) -> str:
        calls.append(1)
        connection.execute(
            text("INSERT INTO api_keys VALUES ('k', 's', '', '', '[]', '[]', now(), NULL, false)")
        )
        if len(calls) == 1:
            connection.exec_driver_sql(f"DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '{code}'; END $$")
        return "done"

    async def story():
        async with opened(postgres_url) as records:
            assert await records.database.write(work) == "done"

    asyncio.run(story())
    assert len(calls) == 2


def test_a_transaction_that_loses_twice_is_given_up(postgres_url: str):
    calls = list[int]()

    def work(connection: Connection) -> None:
        calls.append(1)
        connection.exec_driver_sql("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$")

    async def story():
        async with opened(postgres_url) as records:
            with pytest.raises(RecordsUnavailable):
                await records.database.write(work)
            await records.ask()

    asyncio.run(story())
    assert len(calls) == 2


def test_a_commit_whose_fate_nobody_knows_is_not_done_again(postgres_url: str):
    calls = list[int]()

    def work(connection: Connection) -> None:
        calls.append(1)
        connection.execute(text("SELECT 1"))

    async def story():
        async with line_to(postgres_url) as (line, url), opened(url) as records:
            line.cuts_at = b"COMMIT"
            with pytest.raises(RecordsUnavailable):
                await records.database.write(work)
            line.cuts_at = None
            await records.ask()

    asyncio.run(story())
    assert len(calls) == 1


def test_a_line_that_freezes_is_an_error_in_time_and_heals(postgres_url: str):
    async def story():
        async with line_to(postgres_url) as (line, url), opened(url, seconds=0.4) as records:
            await records.ask()
            line.moves.clear()
            for work in (records.ask(), records.questions(), records.retention_store.ping()):
                with pytest.raises(RecordsUnavailable):
                    await work
            line.moves.set()
            line.cut()
            await records.ask("another")

    asyncio.run(story())


def test_a_file_that_another_holds_is_waited_for_only_so_long(sqlite_url: str):
    async def story():
        async with opened(sqlite_url, seconds=0.3) as records:
            with _write_lock(sqlite_url):
                with pytest.raises(RecordsUnavailable):
                    await records.ask()
                assert await records.insight_store.list_sessions() == []
            await _until_it_works(lambda: records.ask("afterwards"))
            assert len(await records.insight_store.list_sessions()) == 1

    asyncio.run(story())


def test_what_nobody_waits_for_any_more_is_taken_back(sqlite_url: str):
    has_begun, may_end = threading.Event(), threading.Event()

    async def story():
        async with opened(sqlite_url) as records:
            turn = records.turn()

            def work(connection: Connection) -> None:
                connection.execute(
                    text("INSERT INTO api_keys VALUES ('k', '', '', '', '[]', '[]', '', NULL, 0, '[]')")
                )
                has_begun.set()
                may_end.wait(timeout=10)

            writing = asyncio.create_task(records.database.write(work))
            await asyncio.to_thread(has_begun.wait, 10)
            writing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await writing
            may_end.set()
            await records.turns.accept(turn)
            await records.turns.complete(turn.id, answer(), records.clock.now)
            assert await records.keys.all() == []
            assert await records.questions() == [turn.question]

    asyncio.run(story())


def test_a_database_can_be_closed_twice(database_url: str):
    async def story():
        async with opened(database_url) as records:
            await records.ask()
            await records.database.aclose()

    asyncio.run(story())


def test_questions_do_not_stand_in_errors(play, caplog: pytest.LogCaptureFixture):
    """Not even in what an error was caused by: that goes to the log."""
    caplog.set_level(logging.DEBUG)

    async def story(records: Records):
        turn = records.turn(question="Where are the xylophones?")
        await records.turns.accept(turn)
        again = records.turn("another", question="Where are the xylophones?", id=turn.id)
        with pytest.raises(RecordsUnavailable) as refused:
            await records.turns.accept(again)
        assert "xylophones" not in _everything_said(refused.value)
        assert await records.questions("s") == []
        assert [found.id for found in await records.insight_store.list_sessions()] == ["s"]

    play(story)
    assert "xylophones" not in caplog.text


def _is_unavailable(url: str) -> None:
    """For whoever migrates and whoever reads, and without a word of the password."""

    async def story():
        database = Database.open(url, seconds=0.3)
        assert PASSWORD not in repr(database)
        try:
            for work in (
                database.migrate,
                lambda: database.read(lambda c: c.scalar(text("SELECT 1 FROM sessions"))),
            ):
                with pytest.raises(RecordsUnavailable) as refused:
                    await work()
                assert PASSWORD not in _everything_said(refused.value)
        finally:
            await database.aclose()

    asyncio.run(story())


def _everything_said(error: GlossatorError) -> str:
    return repr(error) + "".join(traceback.format_exception(error))


def _end_all_connections(url: str) -> None:
    execute(
        url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )


@contextmanager
def _write_lock(url: str) -> Iterator[None]:
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


async def _until_it_works(work) -> None:
    deadline = time.monotonic() + 10
    while True:
        try:
            await work()
        except RecordsUnavailable:
            assert time.monotonic() < deadline
        else:
            return
