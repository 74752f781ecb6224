"""What a worker is told to do, and what it tells of itself."""

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

# How the application hears that the server is going down.


class Stop(Event):
    """Set at once on SIGTERM: from then on nothing new is begun, and what runs has `stop_seconds` to end."""


MakeApp = Callable[[Stop], ASGIApp]


@dataclass(frozen=True, slots=True)
class WorkerJob:
    make_app: str
    """`package.module:function`, of a MakeApp."""
    listener: int
    """The descriptor of a socket that listens."""
    header_seconds: float
    stop_seconds: float
    watchdog_seconds: float
    shared: str | None = None
    """The folder in which workers count together, where there are several."""

    def to_json(self) -> str:
        return dumps(asdict(self))

    @classmethod
    def of(cls, sent: str) -> WorkerJob:
        return cls(**loads(sent))


@dataclass(frozen=True, slots=True)
class WorkerReport:
    """The first line that a worker says on its standard output; the beats of its event loop follow."""

    failure: str | None = None
    """Why it does not serve; None when it does."""

    def to_json(self) -> str:
        return dumps(asdict(self))

    @classmethod
    def of(cls, said: str) -> WorkerReport:
        return cls(**loads(said))


# A worker's event loop shows that it runs; whoever watches the worker notices when it does not.

_LOOKS = 10
"""In a row without a beat, until a loop counts as silent."""
_BEATS_A_LOOK = 2
_MANY = 4096


@asynccontextmanager
async def beating(pipe: TextIO, silent_seconds: float) -> AsyncGenerator[None]:
    """The loop writes a byte again and again until the end of this, when the pipe is closed."""
    os.set_blocking(pipe.fileno(), False)
    beats = asyncio.create_task(_beat(pipe.fileno(), silent_seconds / _LOOKS / _BEATS_A_LOOK))
    try:
        yield
    finally:
        beats.cancel()
        pipe.close()


async def _beat(pipe: int, seconds: float) -> None:
    while True:
        # A pipe that is full has enough of them, and one that nobody reads any more needs none.
        with suppress(OSError):
            os.write(pipe, b".")
        await asyncio.sleep(seconds)


async def is_silent(pipe: asyncio.StreamReader, silent_seconds: float) -> bool:
    """True once no beat has come for so long; False when the pipe was closed.

    Counted in looks and not by the clock: when the whole machine was asleep, nobody looked meanwhile.
    """
    missed = 0
    while missed < _LOOKS:
        try:
            async with asyncio.timeout(silent_seconds / _LOOKS):
                if not await pipe.read(_MANY):
                    return False
            missed = 0
        except TimeoutError:
            missed += 1
    return True
