"""How far an ingest is: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

from typing import TextIO

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
    from glossator.adapters.progress_bar import BarProgress

    return BarProgress(out)
