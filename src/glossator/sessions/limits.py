"""How many questions are answered at once, and how many may wait for that; of all, and of one caller."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from math import ceil
from time import monotonic

from glossator.errors import Overloaded, SessionBusy, Stopping
from glossator.sessions.running import TurnRequest
from glossator.work import CALLER

_FORGETTING = 0.1
"""How much of the usual time the latest answer decides."""
_SHARE = 0.75
"""Of the places and of the queue that one caller may have: whoever else comes finds room."""


class ConcurrencyLimiter:
    """Beyond the queue a question is turned away at once, so that those inside do not get slower.

    Those who wait come in by turns, one of each caller, however many one of them has sent.
    """

    def __init__(self, running: int = 64, waiting: int = 256) -> None:
        self._most_running, self._most_waiting = running, waiting
        self._running = Counter[str]()
        self._queues = OrderedDict[str, deque[asyncio.Future[None]]]()
        self._usual_seconds = 0.05
        self.refused = 0
        self._is_closed = False

    @property
    def waiting(self) -> int:
        return sum(map(len, self._queues.values()))

    @asynccontextmanager
    async def place(self) -> AsyncGenerator[None]:
        caller = CALLER.get()
        await self._enter(caller)
        begun = monotonic()
        try:
            yield
        finally:
            self._usual_seconds += _FORGETTING * (monotonic() - begun - self._usual_seconds)
            self._leave(caller)

    def close(self) -> None:
        """Nobody comes in any more; those who wait are still served."""
        self._is_closed = True

    def check_room(self) -> None:
        """Raises what `place` would raise at once: it costs less to say so before anything was read."""
        if self._is_closed:
            raise Stopping(retry_after=1.0)
        if self._is_full() and self.waiting >= self._most_waiting:
            self._refuse()

    async def _enter(self, caller: str) -> None:
        self.check_room()
        if not self._is_full() and self._may_run(caller):
            self._running[caller] += 1
            return
        if len(self._queues.get(caller, ())) >= ceil(_SHARE * self._most_waiting):
            self._refuse()
        place = asyncio.get_running_loop().create_future()
        self._queues.setdefault(caller, deque()).append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self._leave(caller)
            else:
                self._forget(caller, place)
            raise

    def _leave(self, caller: str) -> None:
        self._running[caller] -= 1
        if not self._running[caller]:
            del self._running[caller]
        self._let_in()

    def _let_in(self) -> None:
        while not self._is_full():
            caller = next(filter(self._may_run, self._queues), None)
            if caller is None:
                return
            place = self._queues[caller][0]
            self._queues.move_to_end(caller)
            self._forget(caller, place)
            if not place.cancelled():
                self._running[caller] += 1
                place.set_result(None)

    def _forget(self, caller: str, place: asyncio.Future[None]) -> None:
        queue = self._queues.get(caller, deque())
        if place in queue:
            queue.remove(place)
        if not queue:
            self._queues.pop(caller, None)

    def _is_full(self) -> bool:
        return self._running.total() >= self._most_running

    def _may_run(self, caller: str) -> bool:
        return self._running[caller] < ceil(_SHARE * self._most_running)

    def _refuse(self) -> None:
        self.refused += 1
        raise Overloaded(retry_after=max(1.0, self.waiting * self._usual_seconds / self._most_running))


# The questions of one session come one after the other.

_MOST_WAITING = 8
"""One reader who sends more at once does not take the places of the others."""

Place = tuple[str, str, str | None, str]


@dataclass(slots=True)
class _Queue:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0


class SessionQueues:
    """Within one process; the records see to it between processes."""

    def __init__(self) -> None:
        self._queues = dict[Place, _Queue]()

    @asynccontextmanager
    async def turn(self, turn_request: TurnRequest) -> AsyncGenerator[None]:
        if turn_request.session_id is None or not turn_request.remember:
            yield
            return
        place = (
            turn_request.contract,
            turn_request.owner.key,
            turn_request.owner.user,
            turn_request.session_id,
        )
        queue = self._queues.setdefault(place, _Queue())
        if queue.waiting > _MOST_WAITING:
            raise SessionBusy(retry_after=1.0)
        queue.waiting += 1
        try:
            async with queue.lock:
                yield
        finally:
            queue.waiting -= 1
            if not queue.waiting:
                self._queues.pop(place, None)
