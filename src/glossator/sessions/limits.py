"""Limits on how many questions run and wait at once: in total, per caller and per session."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from math import ceil
from time import monotonic

from glossator.errors import Overloaded, SessionBusy, Stopping
from glossator.sessions.running import TurnRequest
from glossator.work import CALLER

_SMOOTHING = 0.1
"""Weight of the latest answer in the moving average of answer times."""
_CALLER_SHARE = 0.75
"""Part of the slots and of the queue that one caller may take, so that others still find room."""


@dataclass(slots=True)
class _Arrival:
    """A request that was let in and has not come to `ConcurrencyLimiter.place` yet."""

    caller: str
    is_over: bool = False


_ARRIVAL: ContextVar[_Arrival | None] = ContextVar("glossator_arrival", default=None)


class ConcurrencyLimiter:
    """Refuses a question at once when the queue is full, so that accepted ones do not get slower.

    Waiting questions are admitted round-robin by caller, however many a single caller has sent.
    """

    def __init__(self, running: int = 64, waiting: int = 256) -> None:
        self._max_running, self._max_waiting = running, waiting
        self._running = Counter[str]()
        self._queues = OrderedDict[str, deque[asyncio.Future[None]]]()
        self._arriving = Counter[str]()
        self._mean_seconds = 0.05
        self.refused = 0
        self._is_closed = False

    @property
    def waiting(self) -> int:
        return sum(map(len, self._queues.values()))

    @asynccontextmanager
    async def place(self) -> AsyncGenerator[None]:
        caller = CALLER.get()
        await self._enter(caller)
        started = monotonic()
        try:
            yield
        finally:
            self._mean_seconds += _SMOOTHING * (monotonic() - started - self._mean_seconds)
            self._leave(caller)

    def close(self) -> None:
        """Refuses new questions; those that wait are still answered."""
        self._is_closed = True

    def check_room(self) -> None:
        """Raises what `place` would raise at once, to refuse a request before its body is read."""
        if self._is_closed:
            raise Stopping(retry_after=1.0)
        if not self._has_room() or not self._has_room_for(CALLER.get()):
            self.refused += 1
            raise Overloaded(retry_after=max(1.0, self.waiting * self._mean_seconds / self._max_running))

    @contextmanager
    def arrive(self) -> Generator[None]:
        """Counts a request while it is on its way to `place`.

        Otherwise all requests of a burst would pass `check_room` before the first of them has its place.
        """
        self.check_room()
        arrival = _Arrival(CALLER.get())
        self._arriving[arrival.caller] += 1
        token = _ARRIVAL.set(arrival)
        try:
            yield
        finally:
            _ARRIVAL.reset(token)
            self._end_arrival(arrival)

    def _end_arrival(self, arrival: _Arrival | None) -> None:
        if arrival is not None and not arrival.is_over:
            arrival.is_over = True
            self._arriving[arrival.caller] -= 1
            if not self._arriving[arrival.caller]:
                del self._arriving[arrival.caller]

    async def _enter(self, caller: str) -> None:
        self._end_arrival(_ARRIVAL.get())
        self.check_room()
        if not self._is_full() and self._may_run(caller):
            self._running[caller] += 1
            return
        admission = asyncio.get_running_loop().create_future()
        self._queues.setdefault(caller, deque()).append(admission)
        try:
            await admission
        except asyncio.CancelledError:
            if admission.done() and not admission.cancelled():
                self._leave(caller)
            else:
                self._dequeue(caller, admission)
            raise

    def _leave(self, caller: str) -> None:
        self._running[caller] -= 1
        if not self._running[caller]:
            del self._running[caller]
        self._admit_waiting()

    def _admit_waiting(self) -> None:
        while not self._is_full():
            caller = next(filter(self._may_run, self._queues), None)
            if caller is None:
                return
            admission = self._queues[caller][0]
            self._queues.move_to_end(caller)
            self._dequeue(caller, admission)
            if not admission.cancelled():
                self._running[caller] += 1
                admission.set_result(None)

    def _dequeue(self, caller: str, admission: asyncio.Future[None]) -> None:
        queue = self._queues.get(caller, deque())
        if admission in queue:
            queue.remove(admission)
        if not queue:
            self._queues.pop(caller, None)

    def _is_full(self) -> bool:
        return self._running.total() >= self._max_running

    def _may_run(self, caller: str) -> bool:
        return self._running[caller] < _share(self._max_running)

    def _has_room(self) -> bool:
        taken = self._running.total() + self.waiting + self._arriving.total()
        return taken < self._max_running + self._max_waiting

    def _has_room_for(self, caller: str) -> bool:
        """Whether the caller's share of the slots and of the queue has room for one more question."""
        slots = min(
            self._max_running - self._running.total(), _share(self._max_running) - self._running[caller]
        )
        queue = _share(self._max_waiting) - len(self._queues.get(caller, ()))
        return max(slots, 0) + queue > self._arriving[caller]


def _share(places: int) -> int:
    return ceil(_CALLER_SHARE * places)


_MAX_WAITING_IN_SESSION = 8
"""More than these at once from one reader are refused, so that they do not fill the queue of all."""

_SessionKey = tuple[str, str, str | None, str]
"""Contract, key of the owner, user of the owner, session id."""


@dataclass(slots=True)
class _Queue:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0


class SessionQueues:
    """Runs the turns of a session one at a time within this process; the records do so across processes."""

    def __init__(self) -> None:
        self._queues = dict[_SessionKey, _Queue]()

    @asynccontextmanager
    async def turn(self, request: TurnRequest) -> AsyncGenerator[None]:
        if request.session_id is None or not request.remember:
            yield
            return
        key = (
            request.contract,
            request.owner.key,
            request.owner.user,
            request.session_id,
        )
        queue = self._queues.setdefault(key, _Queue())
        if queue.waiting > _MAX_WAITING_IN_SESSION:
            raise SessionBusy(retry_after=1.0)
        queue.waiting += 1
        try:
            async with queue.lock:
                yield
        finally:
            queue.waiting -= 1
            if not queue.waiting:
                self._queues.pop(key, None)
