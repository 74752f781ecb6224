"""Progress of a long job as a bar on a terminal."""

from __future__ import annotations

from typing import TextIO

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text


class BarProgress:
    """A bar with rate and time left."""

    def __init__(self, out: TextIO) -> None:
        self._console = Console(file=out)
        self._bar: Progress | None = None
        self._task = TaskID(0)

    def start(self, what: str, total: int) -> None:
        if not total:
            return
        columns = (
            TextColumn("{task.description:<20}"),
            BarColumn(),
            MofNCompleteColumn(),
            _Rate(),
            TimeRemainingColumn(),
        )
        self._bar = Progress(*columns, console=self._console, transient=False)
        self._task = self._bar.add_task(what, total=total)
        self._bar.start()

    def advance(self, done: int) -> None:
        if self._bar:
            self._bar.advance(self._task, done)

    def finish(self) -> None:
        if self._bar:
            self._bar.stop()
        self._bar = None


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text(f"{speed:,.0f}/s" if speed else "", style="progress.data.speed")
