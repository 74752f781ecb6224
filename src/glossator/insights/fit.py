"""How well similarity keeps its word in the book that serves; measured once a generation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event

from glossator.answer.book import ServedBook
from glossator.model.search import Fit
from glossator.ports import Progress

MeasureFit = Callable[[Progress], Fit]
"""Takes some seconds."""


@dataclass(slots=True)
class BackgroundFit:
    book: ServedBook
    look: MeasureFit
    _measured: tuple[int, asyncio.Task[Fit]] | None = None

    async def current(self) -> Fit:
        """Whoever leaves while it is measured does not stop it: the next one finds it done."""
        generation = (await self.book.manifest()).generation
        if self._measured is None or self._measured[0] != generation or _has_failed(self._measured[1]):
            measuring = asyncio.create_task(self._measure())
            # A failure that nobody waited for is looked at all the same, or the loop would complain.
            measuring.add_done_callback(_has_failed)
            self._measured = (generation, measuring)
        return await asyncio.shield(self._measured[1])

    async def _measure(self) -> Fit:
        progress = _UntilStopped()
        try:
            return await asyncio.to_thread(self.look, progress)
        except asyncio.CancelledError:
            progress.stop()
            raise


class _Stopped(Exception):
    """The server ends, and would wait for its threads."""


class _UntilStopped:
    """A progress that nobody sees; the work ends at the next step after it is stopped."""

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
