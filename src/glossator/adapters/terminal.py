"""How far an ingest is: a bar on a terminal, plain lines elsewhere."""

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

from glossator import ports


class LinesProgress:
    """A line when a step begins and one for every quarter of it that is done."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._what, self._total, self._done, self._told = "", 0, 0, 0

    def start(self, what: str, total: int) -> None:
        self._what, self._total, self._done, self._told = what, total, 0, 0
        if total:
            print(f"{what}: {total}", file=self._out, flush=True)

    def advance(self, done: int) -> None:
        self._done += done
        quarter = self._done * 4 // self._total
        if self._told < quarter < 4:
            print(f"{self._what}: {self._done} of {self._total}", file=self._out, flush=True)
        self._told = quarter

    def finish(self) -> None:
        return


def progress_for(out: TextIO) -> ports.Progress:
    if not out.isatty():
        return LinesProgress(out)
    # Drawing takes longer to import than most ingests of a changed page.

    return BarProgress(out)


# A bar with rate and time left, for people.


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text(f"{speed:,.0f}/s" if speed else "", style="progress.data.speed")


class BarProgress:
    """For people."""

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
