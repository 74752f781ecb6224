"""Checks of what this server calls: the database, Redis and the language model."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, text

from glossator.adapters.records.database import Database, SqliteAddress, address_of
from glossator.adapters.records.migrate import REVISIONS, revision_of
from glossator.errors import GlossatorError, RecordsError, WriterUnavailable
from glossator.extras import has_extra
from glossator.model import Exchange
from glossator.resilience.health import connect
from glossator.settings import Settings, WriterKind
from glossator.wiring import rewriter_of
from glossator.wiring.doctor.findings import Findings, Severity
from glossator.wiring.engine import database_url_of, open_database
from glossator.wiring.health import key_check, service_address

_CLOCK_SECONDS = 5.0
"""A larger difference between two clocks is worth a note: leases of sessions last ten seconds."""
_REDIS_SECONDS = 3.0
_SESSION = Exchange("What is a node?", "A node is a process.")


async def check_database(settings: Settings, findings: Findings) -> None:
    with findings.faults("database", "Start the database and check GLOSSATOR_DATABASE_URL."):
        address = address_of(database_url_of(settings))
        if isinstance(address, SqliteAddress) and not address.path.exists():
            findings.ok("database", f"{address.path} is made at the first start")
            return
        database = open_database(settings)
        try:
            await _examine(database, findings, is_server=not isinstance(address, SqliteAddress))
        finally:
            await database.aclose()


async def _examine(database: Database, findings: Findings, *, is_server: bool) -> None:
    revision = await database.read(revision_of)
    if revision is None or revision in REVISIONS[:-1]:
        findings.note("database", "Its tables are those of an older version.", "The next start changes them.")
        return
    if revision not in REVISIONS:
        raise RecordsError("The database was made by a newer Glossator: update this one.")
    await database.ping()
    if is_server:
        server, now = await database.read(_server_and_clock)
        compare_clocks(now.timestamp(), "PostgreSQL", findings)
        findings.ok("database", f"PostgreSQL {server} answers")
    else:
        findings.ok("database", "The SQLite file can be read and written")


def _server_and_clock(connection: Connection) -> tuple[str, datetime]:
    server, now = connection.execute(
        text("SELECT current_setting('server_version'), clock_timestamp()")
    ).one()
    return server, now if now.tzinfo else now.replace(tzinfo=UTC)


async def check_redis(settings: Settings, findings: Findings) -> None:
    if settings.redis_url is None or not has_extra("redis"):
        return
    from redis.exceptions import RedisError

    try:
        seconds = await asyncio.wait_for(_redis_time(settings.redis_url.get_secret_value()), _REDIS_SECONDS)
    except (RedisError, OSError, ValueError) as error:
        findings.note(
            "redis",
            f"Redis does not answer ({type(error).__name__}): each server counts its rate limits alone.",
            "Start it and check GLOSSATOR_REDIS_URL.",
        )
        return
    compare_clocks(seconds, "Redis", findings)
    findings.ok("redis", "Redis answers")


async def _redis_time(url: str) -> float:
    from redis.asyncio import Redis

    client: Any = Redis.from_url(url)  # pyright: ignore[reportUnknownMemberType]
    async with client as redis:
        seconds, _ = await redis.time()
    return float(seconds)


def compare_clocks(other: float, name: str, findings: Findings) -> None:
    difference = time.time() - other
    direction = "ahead of" if difference > 0 else "behind"
    if abs(difference) > _CLOCK_SECONDS:
        findings.note(
            "clock",
            f"This machine's clock is {abs(difference):,.0f} s {direction} {name}'s.",
            "Set both (systemd-timesyncd, chrony): leases and session tokens go by them.",
        )


async def check_language_model(settings: Settings, findings: Findings, *, call: bool) -> None:
    if settings.writer is WriterKind.EXTRACTIVE:
        findings.ok("writer", "No language model (GLOSSATOR_MODEL): answers are the book's own sentences")
        return
    level = Severity.NOTE if settings.fallback_writer else Severity.FAULT
    todo = "Check GLOSSATOR_MODEL, GLOSSATOR_MODEL_BASE_URL and GLOSSATOR_MODEL_API_KEY."
    with findings.faults("writer", todo, level):
        if call:
            seconds = await _call(settings)
            findings.ok("writer", f"{settings.model} answered a short call in {seconds:.1f} s")
            return
        await _look(settings)
        findings.ok("writer", f"{settings.model}: its service is there (`glossator doctor --model` calls it)")


async def _call(settings: Settings) -> float:
    started = time.monotonic()
    rewriter = rewriter_of(settings, seconds=settings.write_seconds)
    await rewriter.rewrite("How do I make one?", [_SESSION])
    return time.monotonic() - started


async def _look(settings: Settings) -> None:
    """Makes no call that costs money: only sees whether its port is open and the key is accepted."""
    if address := service_address(settings.model_base_url):
        try:
            await connect(address, WriterUnavailable)
        except GlossatorError as error:
            raise WriterUnavailable(f"Nothing answers at {address[0]}:{address[1]}.") from error
    if check := key_check(settings.model_base_url, settings.model_api_key, WriterUnavailable):
        await check()
