"""How far an ingest is: a bar with rate and time left on a terminal, plain lines elsewhere."""

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


class SilentProgress:
    """For callers that show nothing."""

    def start(self, what: str, total: int) -> None:
        return

    def advance(self, done: int) -> None:
        return

    def finish(self) -> None:
        return


class LinesProgress:
    """A line when a step begins and one for every tenth of it that is done."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._what, self._total, self._done, self._told = "", 0, 0, 0

    def start(self, what: str, total: int) -> None:
        self._what, self._total, self._done, self._told = what, total, 0, 0
        if total:
            print(f"{what}: {total}", file=self._out, flush=True)

    def advance(self, done: int) -> None:
        self._done += done
        tenth = self._done * 10 // self._total
        if tenth > self._told and tenth < 10:
            print(f"{self._what}: {self._done} of {self._total}", file=self._out, flush=True)
        self._told = tenth

    def finish(self) -> None:
        return


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text(f"{speed:,.0f}/s" if speed else "", style="progress.data.speed")


class BarProgress:
    """For people."""

    def __init__(self, console: Console) -> None:
        self._console = console
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


def progress_for(out: TextIO) -> ports.Progress:
    return BarProgress(Console(file=out)) if out.isatty() else LinesProgress(out)
