"""What supervisor and worker exchange: the job, the report of the start, heartbeats, and the stop event."""

from __future__ import annotations

import asyncio
import os
from asyncio import Event
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass
from json import dumps, loads
from typing import TextIO

from starlette.types import ASGIApp


class Stop(Event):
    """Set when nothing new is started any more, and running answers have `stop_seconds`."""

    is_announced = False
    """True since SIGTERM. Readers are served until the event is set, and `/readyz` sends them elsewhere."""

    def announce(self, drain_seconds: float) -> None:
        self.is_announced = True
        asyncio.get_running_loop().call_later(drain_seconds, self.set)


MakeApp = Callable[[Stop], ASGIApp]


@dataclass(frozen=True, slots=True)
class WorkerJob:
    make_app: str
    """`package.module:function`, the path of a MakeApp."""
    listener: int
    """The file descriptor of the listening socket."""
    header_seconds: float
    drain_seconds: float
    stop_seconds: float
    watchdog_seconds: float
    shared: str | None = None
    """The folder in which several workers share their metrics."""

    def to_json(self) -> str:
        return dumps(asdict(self))

    @classmethod
    def of(cls, text: str) -> WorkerJob:
        return cls(**loads(text))


@dataclass(frozen=True, slots=True)
class WorkerReport:
    """The first line of a worker's standard output; the heartbeats of its event loop follow."""

    failure: str | None = None
    """Why the worker does not serve; None when it does."""

    def to_json(self) -> str:
        return dumps(asdict(self))

    @classmethod
    def of(cls, text: str) -> WorkerReport:
        return cls(**loads(text))


# Heartbeats: a worker's event loop writes them, and the supervisor notices when they stop.

_CHECKS = 10
"""The loop counts as stopped after so many checks in a row without a beat."""
_BEATS_PER_CHECK = 2
_READ_BYTES = 4096


@asynccontextmanager
async def heartbeat(pipe: TextIO, silent_seconds: float) -> AsyncGenerator[None]:
    """The event loop writes bytes into the pipe inside this context, and closes it at the end."""
    os.set_blocking(pipe.fileno(), False)
    beats = asyncio.create_task(_beat(pipe.fileno(), silent_seconds / _CHECKS / _BEATS_PER_CHECK))
    try:
        yield
    finally:
        beats.cancel()
        pipe.close()


async def _beat(pipe: int, seconds: float) -> None:
    while True:
        # A full pipe holds enough beats, and a pipe without a reader needs none.
        with suppress(OSError):
            os.write(pipe, b".")
        await asyncio.sleep(seconds)


async def heartbeat_stopped(pipe: asyncio.StreamReader, silent_seconds: float) -> bool:
    """True once no beat came for `silent_seconds`; False when the pipe was closed.

    Counts checks instead of reading the clock, so that a machine's sleep is not taken for silence.
    """
    missed = 0
    while missed < _CHECKS:
        try:
            async with asyncio.timeout(silent_seconds / _CHECKS):
                if not await pipe.read(_READ_BYTES):
                    return False
            missed = 0
        except TimeoutError:
            missed += 1
    return True
