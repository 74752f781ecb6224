"""The tables are made and changed by whoever comes first, whole or not at all."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect

from glossator.adapters.records.database import Database
from glossator.adapters.records.migrate import REVISIONS, VERSION_TABLE, VIEWS
from glossator.adapters.records.tables import metadata
from glossator.errors import RecordsError, RecordsOutdated, RecordsUnavailable
from support.records_process import another_process
from support.records_story import NOON, Records, opened


def test_the_revisions_are_those_in_the_folder():
    config = Config()
    config.set_main_option("script_location", "glossator.adapters.records:migrations")
    script = ScriptDirectory.from_config(config)
    assert script.get_heads() == [REVISIONS[-1]]
    assert tuple(revision.revision for revision in reversed(list(script.walk_revisions()))) == REVISIONS


def test_an_empty_database_gets_the_tables_that_the_code_works_with(empty_database_url: str):
    async def story():
        async with opened(empty_database_url) as records:
            assert await records.database.write(_differences) == []
            assert await records.database.read(_names) == {*metadata.tables, *VIEWS, VERSION_TABLE}
            await records.ask()

    asyncio.run(story())


def test_migrating_again_changes_nothing(database_url: str):
    async def story():
        async with opened(database_url) as records:
            told = await records.ask()
            before = await records.database.read(_names)
            for _ in range(3):
                await records.database.migrate()
            assert await records.database.read(_names) == before
            assert await records.questions() == [told.question]

    asyncio.run(story())


def test_processes_that_start_at_once_all_find_their_tables(empty_database_url: str):
    with ExitStack() as running:
        starting = [running.enter_context(another_process("migrate", empty_database_url)) for _ in range(4)]
        said = [process.communicate()[0].strip() for process in starting]
    assert said == ["migrated"] * 4


def test_databases_of_one_process_that_start_at_once_do_not_disturb_each_other(
    empty_sqlite_url: str, empty_postgres_url: str
):
    async def story():
        databases = [Database.open(url, seconds=30) for url in (empty_sqlite_url, empty_postgres_url) * 3]
        await asyncio.gather(*(database.migrate() for database in databases))
        for database in databases:
            await Records.over(database).retention_store.ping()
            await database.aclose()

    asyncio.run(story())


def test_the_loop_is_free_while_tables_are_made(empty_database_url: str):
    async def story():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        ticking = asyncio.create_task(tick())
        async with opened(empty_database_url):
            ticking.cancel()
        assert ticks > 50

    asyncio.run(story())


def test_a_database_of_a_newer_version_is_left_alone(database_url: str):
    async def story():
        async with opened(database_url) as records:
            await records.database.write(
                lambda connection: connection.exec_driver_sql(
                    f"UPDATE {VERSION_TABLE} SET version_num = '9999'"
                )
            )
            with pytest.raises(RecordsOutdated, match="newer"):
                await records.database.migrate()

    asyncio.run(story())


@pytest.mark.parametrize("taken", ["conversations", "sessions"])
def test_tables_that_are_not_ours_are_left_alone(empty_database_url: str, taken: str):
    async def story():
        database = await _used_by_others(empty_database_url, f"CREATE TABLE {taken} (id INTEGER)")
        with pytest.raises(RecordsError, match=f"a table {taken} that Glossator did not make"):
            await database.migrate()
        assert await database.read(_names) == {taken}
        await database.aclose()

    asyncio.run(story())


def test_a_migration_that_fails_halfway_leaves_nothing_behind(empty_database_url: str):
    async def story():
        # An index of ours cannot be made, for its name is taken; by then the first tables were.
        database = await _used_by_others(
            empty_database_url,
            "CREATE TABLE foreign_table (id INTEGER)",
            "CREATE INDEX unanswered_asked ON foreign_table (id)",
        )
        with pytest.raises(RecordsUnavailable, match="unanswered_asked"):
            await database.migrate()
        assert await database.read(_names) == {"foreign_table"}
        await database.write(lambda connection: connection.exec_driver_sql("DROP TABLE foreign_table"))
        await database.migrate()
        assert (await Records.over(database).insight_store.overview(NOON)).exchanges == 0
        await database.aclose()

    asyncio.run(story())


async def _used_by_others(url: str, *statements: str) -> Database:
    if url.startswith("sqlite"):
        file = Path(url.removeprefix("sqlite:///"))
        file.parent.mkdir(parents=True)
        file.touch()
    database = Database.open(url, seconds=5)

    def work(connection: Connection) -> None:
        for statement in statements:
            connection.exec_driver_sql(statement)

    await database.write(work)
    return database


def _differences(connection: Connection) -> list[object]:
    options = {"compare_type": False, "version_table": VERSION_TABLE, "include_object": _is_of_both}
    return compare_metadata(MigrationContext.configure(connection, opts=options), metadata)


def _is_of_both(thing: object, name: str | None, *_: object) -> bool:
    """Only PostgreSQL has a type for ids, and an index of a name as one."""
    return name != "sessions_name_uuid"


def _names(connection: Connection) -> set[str]:
    found = inspect(connection)
    return {*found.get_table_names(), *found.get_view_names()} - {"sqlite_sequence"}
