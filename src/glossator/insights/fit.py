"""Measures in the background how well similarity scores are calibrated, once per generation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event

from glossator.answer.book import ServedBook
from glossator.model.search import Fit
from glossator.ports import Progress

MeasureFit = Callable[[Progress], Fit]
"""Blocks for some seconds."""


@dataclass(slots=True)
class BackgroundFit:
    book: ServedBook
    look: MeasureFit
    _measured: tuple[int, asyncio.Task[Fit]] | None = None

    async def current(self) -> Fit:
        """A cancelled caller does not stop the measurement, so that the next caller gets its result."""
        generation = (await self.book.manifest()).generation
        if self._measured is None or self._measured[0] != generation or _has_failed(self._measured[1]):
            task = asyncio.create_task(self._measure())
            # Reads the exception even if nobody awaits the task, or the event loop would log it.
            task.add_done_callback(_has_failed)
            self._measured = (generation, task)
        return await asyncio.shield(self._measured[1])

    async def _measure(self) -> Fit:
        progress = _StoppableProgress()
        try:
            return await asyncio.to_thread(self.look, progress)
        except asyncio.CancelledError:
            progress.stop()
            raise


class _Stopped(Exception):
    """Raised in the worker thread when the server stops, which waits for its threads."""


class _StoppableProgress:
    """Shows nothing; raises at the next step after `stop`, to end the work."""

    def __init__(self) -> None:
        self._is_stopped = Event()

    def stop(self) -> None:
        self._is_stopped.set()

    def start(self, what: str, total: int) -> None:
        return

    def advance(self, done: int) -> None:
        if self._is_stopped.is_set():
            raise _Stopped

    def finish(self) -> None:
        return


def _has_failed(task: asyncio.Task[Fit]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)
