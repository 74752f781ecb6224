"""The questions of one session come one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from glossator.engine.asking import Asking
from glossator.errors import SessionBusy

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
    async def turn(self, asking: Asking) -> AsyncGenerator[None]:
        if asking.session_id is None or not asking.remember:
            yield
            return
        place = (asking.contract, asking.owner.key, asking.owner.user, asking.session_id)
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
