"""`glossator doctor` at a real PostgreSQL and a real Redis."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pydantic import SecretStr

from glossator.settings import Settings
from glossator.wiring.doctor import Finding, Findings, Severity
from glossator.wiring.doctor.services import check_database, check_redis, compare_clocks
from support.access_redis import RedisServer


def _database(url: str) -> list[Finding]:
    findings = Findings()
    asyncio.run(check_database(Settings(database_url=SecretStr(url)), findings))
    return findings.all


def test_a_database_that_answers_is_well(postgres_url: str):
    (found,) = _database(postgres_url)
    assert found.level is Severity.OK
    assert found.text.startswith("PostgreSQL ")


def test_an_empty_database_is_changed_by_the_next_start_and_not_by_the_doctor(empty_postgres_url: str):
    for _ in range(2):
        (found,) = _database(empty_postgres_url)
        assert (found.level, found.todo) == (Severity.NOTE, "The next start changes them.")


def test_tables_of_a_newer_version_and_a_file_that_is_no_database_are_faults(sqlite_url: str, tmp_path: Path):
    with closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))) as database, database:
        database.execute("UPDATE glossator_version SET version_num = '9999'")
    (newer,) = _database(sqlite_url)
    assert (newer.level, "by a newer Glossator" in newer.text) == (Severity.FAULT, True)
    (tmp_path / "page.md").write_text("# A page, not a database\n" * 100)
    (broken,) = _database(f"sqlite:///{tmp_path / 'page.md'}")
    assert broken.level is Severity.FAULT


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path)
    server.start()
    yield server
    server.stop()


def _redis(url: str) -> Finding:
    findings = Findings()
    asyncio.run(check_redis(Settings(redis_url=SecretStr(url)), findings))
    (found,) = findings.all
    return found


def test_redis_answers_or_is_noted_without_its_password(redis: RedisServer):
    assert _redis(redis.url).level is Severity.OK
    wrong = _redis(redis.url.replace("redis-password", "wrong-password"))
    assert (wrong.level, "password" in wrong.text) == (Severity.NOTE, False)
    redis.stop()
    assert _redis(redis.url).level is Severity.NOTE
    assert _redis("no address at all").level is Severity.NOTE


def test_a_clock_that_differs_is_noted():
    findings = Findings()
    compare_clocks(time.time(), "Redis", findings)
    compare_clocks(time.time() - 100, "Redis", findings)
    (found,) = findings.all
    assert "s ahead of Redis's" in found.text
