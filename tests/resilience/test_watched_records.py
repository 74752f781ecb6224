"""The records behind their breaker keep what they kept, and fail at once when there is no point."""

from __future__ import annotations

import asyncio

import pytest

from glossator.errors import GlossatorError, RecordsUnavailable, SessionUnknown
from glossator.resilience.circuit_breaker import Dependency, State
from glossator.resilience.watched import watched_records
from support.watched_bench import MOST, SECONDS, Bench


class Sessions:
    """Of the records' ports, the part that these tests need."""

    def __init__(self) -> None:
        self.failure: GlossatorError | None = None
        self.asked = list[tuple[object, ...]]()

    async def delete(self, session_id: str, owner: str) -> str:
        self.asked.append((session_id, owner))
        if self.failure:
            raise self.failure
        return "deleted"

    async def sweep(self, now: int, *, dry_run: bool = False) -> bool:
        return dry_run


def test_records_are_kept_as_without_a_breaker() -> None:
    inner = Sessions()
    records = watched_records(inner, Bench(Dependency.RECORDS).breaker)
    assert asyncio.run(records.delete("s", owner="o")) == "deleted"
    assert asyncio.run(records.sweep(0, dry_run=True)) is True
    assert inner.asked == [("s", "o")]


def test_records_that_are_down_are_left_alone_by_all_their_ports() -> None:
    bench, inner = Bench(Dependency.RECORDS), Sessions()
    sessions, retention_store = (
        watched_records(inner, bench.breaker),
        watched_records(Sessions(), bench.breaker),
    )
    inner.failure = RecordsUnavailable()
    for _ in range(MOST):
        with pytest.raises(RecordsUnavailable):
            asyncio.run(sessions.delete("s", "o"))
    with pytest.raises(RecordsUnavailable) as refused:
        asyncio.run(retention_store.sweep(0))
    assert (refused.value.retry_after, len(inner.asked)) == (SECONDS, MOST)
    bench.clock.now += SECONDS
    assert asyncio.run(retention_store.sweep(0)) is False
    assert bench.breaker.state is State.CLOSED


def test_a_session_that_nobody_knows_is_no_failure_of_the_records() -> None:
    bench, inner = Bench(Dependency.RECORDS), Sessions()
    inner.failure = SessionUnknown()
    for _ in range(2 * MOST):
        with pytest.raises(SessionUnknown):
            asyncio.run(watched_records(inner, bench.breaker).delete("s", "o"))
    assert bench.breaker.state is State.CLOSED
