"""Places in a text that are found in one pass.

A lazy pattern such as `<!--.*?-->` looks for a missing end again from every beginning: a text of nothing but
beginnings then takes the square of its length. Here every end is looked for once.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate

from glossator.model import Span

_TICKS = re.compile("`+")
_FENCE = re.compile(r"^[ \t>]*+(?P<marks>`{3,}|~{3,})", re.MULTILINE)
_FENCE_TICKS = 3
_CODE = re.compile(rf"(?m:{_FENCE.pattern})|`+")


class Spans:
    """Spans of one text, in which a place is looked up without walking through them."""

    def __init__(self, spans: Iterable[Span]) -> None:
        ordered = sorted(spans)
        self._starts = [span.start for span in ordered]
        self._reach = list(accumulate((span.end for span in ordered), max))
        """How far the spans up to each one go: they may stand in one another."""

    def cover(self, span: Span) -> bool:
        """Whether one of them holds all of it."""
        before = bisect_right(self._starts, span.start)
        return before > 0 and span.end <= self._reach[before - 1]

    def touch(self, span: Span) -> bool:
        """Whether one of them holds any of it."""
        before = bisect_left(self._starts, span.end)
        return before > 0 and span.start < self._reach[before - 1]


def code_ends(text: str) -> dict[int, int]:
    """Where inline code ends, for each run of backticks that a later run as long as itself closes."""
    ends, later = dict[int, int](), dict[int, int]()
    for run in reversed(list(_TICKS.finditer(text))):
        length = run.end() - run.start()
        if length in later:
            ends[run.start()] = later[length]
        later[length] = run.end()
    return ends


def code_spans(text: str) -> Iterator[Span]:
    """Fences, to the end of the text where they are not closed, and inline code, in order."""
    ends, at = code_ends(text), 0
    while opening := _CODE.search(text, at):
        end = _fence_end(text, opening) if opening["marks"] else ends.get(opening.start())
        if end is not None:
            yield Span(opening.start(), end)
        at = end or opening.end()


def _fence_end(text: str, opening: re.Match[str]) -> int:
    for line in _FENCE.finditer(text, opening.end()):
        if line["marks"].startswith(opening["marks"]):
            return line.start("marks") + len(opening["marks"])
    return len(text)


def open_code(text: str) -> int | None:
    """Where inline code begins that nothing has closed yet, in the last paragraph of a growing text."""
    begin = text.rfind("\n\n") + 1
    ends, at = code_ends(text[begin:]), 0
    while run := _TICKS.search(text, begin + at):
        end = ends.get(run.start() - begin)
        if end is None and run.end() - run.start() < _FENCE_TICKS:
            return run.start()
        at = end or run.end() - begin
    return None


def spans_between(text: str, opens: re.Pattern[str], closes: re.Pattern[str]) -> Iterator[Span]:
    """From each opening to the next closing, both included; an opening that nothing closes is none."""
    at = 0
    while (opening := opens.search(text, at)) and (closing := closes.search(text, opening.end())):
        at = closing.end()
        yield Span(opening.start(), at)


def without(text: str, spans: Iterable[Span], blank: str = "") -> str:
    """The text with `blank` in the place of the spans, which are in order."""
    kept, at = list[str](), 0
    for span in spans:
        kept += (text[at : span.start], blank)
        at = span.end
    return "".join([*kept, text[at:]])
