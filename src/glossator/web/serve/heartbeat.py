"""A worker's event loop shows that it runs; whoever watches the worker notices when it does not."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import TextIO

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
