"""Progress of a long job: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

from typing import TextIO

from glossator import ports


def progress_for(out: TextIO) -> ports.Progress:
    if not out.isatty():
        return LinesProgress(out)
    # Importing rich takes longer than most ingests of a changed page.
    from glossator.adapters.progress_bar import BarProgress

    return BarProgress(out)


class LinesProgress:
    """Prints a line when a step begins and after each quarter of it."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._step, self._total, self._done, self._quarters_printed = "", 0, 0, 0

    def start(self, what: str, total: int) -> None:
        self._step, self._total, self._done, self._quarters_printed = what, total, 0, 0
        if total:
            print(f"{what}: {total}", file=self._out, flush=True)

    def advance(self, done: int) -> None:
        self._done += done
        quarter = self._done * 4 // self._total
        if self._quarters_printed < quarter < 4:
            print(f"{self._step}: {self._done} of {self._total}", file=self._out, flush=True)
        self._quarters_printed = quarter

    def finish(self) -> None:
        return
