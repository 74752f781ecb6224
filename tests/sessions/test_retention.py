"""What is done beside the questions."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime

from glossator.errors import RecordsUnavailable
from glossator.model import ErasedReader, Owner, RetentionReport
from glossator.sessions.retention import RetentionSweeper


class CountingKeeper:
    def __init__(self, clock: list[datetime], fails: int = 0) -> None:
        self.clock, self.fails = clock, fails
        self.calls = list[str]()

    async def sweep(self, now: datetime, *, dry_run: bool = False) -> RetentionReport:
        return self._called("sweep", RetentionReport())

    async def end_abandoned(self, now: datetime) -> Sequence[str]:
        return self._called("end", [])

    async def erase(self, user: str, books: Sequence[str] = ()) -> ErasedReader:
        raise NotImplementedError

    async def erase_session(
        self, session_id: str, owner: Owner, *, created_at: datetime | None = None
    ) -> ErasedReader:
        raise NotImplementedError

    async def ping(self) -> None: ...

    def _called(self, what, result):
        self.calls.append(what)
        if self.fails:
            self.fails -= 1
            raise RecordsUnavailable
        return result


def looks(retention_store: CountingKeeper, *times: datetime) -> list[str]:
    """What is done at each of those times, one look after the other."""

    async def run() -> None:
        moments = iter(times)
        now = [next(moments)]

        def clock() -> datetime:
            return now[0]

        task = asyncio.create_task(RetentionSweeper(retention_store, every=0, clock=clock).run())
        for number, moment in enumerate([*times[1:], times[-1]], 1):
            while len(retention_store.calls) < number:
                await asyncio.sleep(0)
            now[0] = moment
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    asyncio.run(run())
    return retention_store.calls[: len(times)]


NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
NIGHT = datetime(2026, 3, 2, 2, tzinfo=UTC)


def test_retention_runs_at_the_start_and_at_two_in_the_morning() -> None:
    retention_store = CountingKeeper([])
    assert looks(retention_store, NOON, NOON, NOON, NIGHT, NIGHT) == ["sweep", "end", "end", "sweep", "end"]


def test_a_database_that_is_down_is_tried_again_at_the_next_look() -> None:
    retention_store = CountingKeeper([], fails=2)
    assert looks(retention_store, NOON, NOON, NOON, NOON) == ["sweep", "sweep", "sweep", "end"]
