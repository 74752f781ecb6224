"""Sessions whose time is over are deleted by one server, however many start at once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg
import pytest

from support.proof_server import is_soon
from support.records_database import execute
from support.replicas_stage import SERVERS, Dependencies, Replicas, client_of, from_elsewhere

pytestmark = [pytest.mark.slow, pytest.mark.qdrant]

EXPIRED = 5
TRIED = """
SELECT 1 FROM pg_stat_activity
WHERE query LIKE 'SELECT pg_try_advisory_lock%' OR query LIKE 'SELECT exchanges.id%exchanges.status IN%'
"""
"""Connections on which a server has asked for the lock, or looked for abandoned turns, which it does next."""
DELETING = (
    "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'DELETE FROM sessions%' AND wait_event_type = 'Lock'"
)


def test_one_server_at_a_time_deletes_what_is_over(replicas: Replicas, dependencies: Dependencies) -> None:
    database_url = dependencies.postgres.get_uri()
    with client_of(replicas.balancer.url) as client:
        opened = [client.post("/v1/sessions", json={}, headers=from_elsewhere()) for _ in range(EXPIRED)]
    ids = [reply.json()["id"] for reply in opened]
    replicas.stop()
    old = "UPDATE sessions SET updated_at = updated_at - interval '1 year' WHERE id = ANY($1)"
    execute(database_url, old, ids)

    with held_open(database_url, ids):
        # Nobody asks for anything, so that all they do is upkeep.
        replicas.start()
        assert is_soon(lambda: len(execute(database_url, TRIED)) == SERVERS)
        assert is_soon(lambda: execute(database_url, DELETING))
        assert len(execute(database_url, DELETING)) == 1

    left = "SELECT 1 FROM sessions WHERE id = ANY($1)"
    assert is_soon(lambda: not execute(database_url, left, ids))
    assert is_soon(lambda: any(replicas.logged("swept")))
    swept = [line["deleted"] for lines in replicas.logged("swept") for line in lines]
    assert swept == [EXPIRED]
    replicas.balance()


@contextmanager
def held_open(database_url: str, ids: list[str]) -> Iterator[None]:
    """Whoever deletes these sessions has to wait until the end of this."""
    loop = asyncio.new_event_loop()
    connection = loop.run_until_complete(asyncpg.connect(database_url))
    try:
        loop.run_until_complete(connection.execute("BEGIN"))
        held = connection.fetch("SELECT 1 FROM sessions WHERE id = ANY($1) FOR UPDATE", ids)
        assert len(loop.run_until_complete(held)) == len(ids)
        yield
    finally:
        loop.run_until_complete(connection.close())
        loop.close()
