"""Find code and comments in a text in linear time, look up spans, and remove them.

A lazy pattern such as `<!--.*?-->` searches for a missing end again from every beginning, which takes
quadratic time for a text of nothing but beginnings. Here every end is searched for once.
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
    """Spans of one text, with lookup by binary search."""

    def __init__(self, spans: Iterable[Span]) -> None:
        ordered = sorted(spans)
        self._starts = [span.start for span in ordered]
        self._reach = list(accumulate((span.end for span in ordered), max))
        """The farthest end of the spans up to each one, because spans may be nested."""

    def cover(self, span: Span) -> bool:
        """Whether one of the spans contains all of `span`."""
        before = bisect_right(self._starts, span.start)
        return before > 0 and span.end <= self._reach[before - 1]

    def touch(self, span: Span) -> bool:
        """Whether one of the spans overlaps `span`."""
        before = bisect_left(self._starts, span.end)
        return before > 0 and span.start < self._reach[before - 1]


def code_ends(text: str) -> dict[int, int]:
    """The end of inline code, by the start of each run of backticks that a run of its length closes."""
    ends, later = dict[int, int](), dict[int, int]()
    for run in reversed(list(_TICKS.finditer(text))):
        length = run.end() - run.start()
        if length in later:
            ends[run.start()] = later[length]
        later[length] = run.end()
    return ends


def code_spans(text: str) -> Iterator[Span]:
    """Inline code and fences, in order; a fence that is not closed goes to the end of the text."""
    ends, position = code_ends(text), 0
    while opening := _CODE.search(text, position):
        end = _fence_end(text, opening) if opening["marks"] else ends.get(opening.start())
        if end is not None:
            yield Span(opening.start(), end)
        position = end or opening.end()


def _fence_end(text: str, opening: re.Match[str]) -> int:
    for line in _FENCE.finditer(text, opening.end()):
        if line["marks"].startswith(opening["marks"]):
            return line.start("marks") + len(opening["marks"])
    return len(text)


def open_code(text: str) -> int | None:
    """The start of inline code that is not closed yet, in the last paragraph of a growing text."""
    begin = text.rfind("\n\n") + 1
    ends, position = code_ends(text[begin:]), 0
    while run := _TICKS.search(text, begin + position):
        end = ends.get(run.start() - begin)
        if end is None and run.end() - run.start() < _FENCE_TICKS:
            return run.start()
        position = end or run.end() - begin
    return None


def spans_between(text: str, opens: re.Pattern[str], closes: re.Pattern[str]) -> Iterator[Span]:
    """From each opening to the next closing, both included; openings without a closing are left out."""
    position = 0
    while (opening := opens.search(text, position)) and (closing := closes.search(text, opening.end())):
        position = closing.end()
        yield Span(opening.start(), position)


def remove_spans(text: str, spans: Iterable[Span], blank: str = "") -> str:
    """The text with `blank` instead of each span; the spans must be in order."""
    parts, position = list[str](), 0
    for span in spans:
        parts += (text[position : span.start], blank)
        position = span.end
    return "".join([*parts, text[position:]])
