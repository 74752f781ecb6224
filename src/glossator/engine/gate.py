"""How many questions are answered at once, and how many may wait for that."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from time import monotonic

from glossator.errors import Overloaded, Stopping

_FORGETTING = 0.1
"""How much of the usual time the latest answer decides."""


class Gate:
    """Beyond the queue a question is turned away at once, so that those inside do not get slower."""

    def __init__(self, running: int = 64, waiting: int = 192) -> None:
        self._places = asyncio.Semaphore(running)
        self._running = running
        self._most_waiting = waiting
        self._usual_seconds = 0.05
        self.waiting = 0
        self.refused = 0
        self._is_closed = False

    @asynccontextmanager
    async def place(self) -> AsyncGenerator[None]:
        await self._enter()
        begun = monotonic()
        try:
            yield
        finally:
            self._usual_seconds += _FORGETTING * (monotonic() - begun - self._usual_seconds)
            self._places.release()

    def close(self) -> None:
        """Nobody comes in any more; those who wait are still served."""
        self._is_closed = True

    def check_room(self) -> None:
        """Raises what `place` would raise at once: it costs less to say so before anything was read."""
        if self._is_closed:
            raise Stopping(retry_after=1.0)
        if self._places.locked() and self.waiting >= self._most_waiting:
            self.refused += 1
            raise Overloaded(retry_after=self._seconds_to_wait())

    async def _enter(self) -> None:
        self.check_room()
        self.waiting += 1
        try:
            await self._places.acquire()
        finally:
            self.waiting -= 1

    def _seconds_to_wait(self) -> float:
        return max(1.0, self.waiting * self._usual_seconds / self._running)
