"""What the reader reads at once: a run of a passage's parts that has room beside a question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from glossator.model import Part, Passage, Span, UnitKind, Window

ROOM = 112
"""Word pieces of a window: about five sentences. The reader was trained with the same."""

_LINE = re.compile(r"\S[^\n]*")


def windows(passage: Passage) -> list[Window]:
    """Windows that together cover the passage; each begins near the middle of the one before it."""
    parts = parts_of(passage)
    return [_window(passage, parts, run) for run in _runs([part.tokens for part in parts])]


def neighbourhoods(passage: Passage) -> list[Window]:
    """Each part with those beside it: what a claim is compared with."""
    parts = parts_of(passage)
    return [
        _window(passage, parts, range(max(place - 1, 0), min(place + 2, len(parts))))
        for place in range(len(parts))
    ]


def parts_of(passage: Passage) -> list[Part]:
    return [part for number in range(len(passage.units)) for part in _parts(passage, number)]


def _parts(passage: Passage, number: int) -> Iterator[Part]:
    """Code by its lines, so that a long listing can be read in several windows; all else by whole units."""
    unit = passage.units[number]
    if unit.kind is not UnitKind.CODE:
        yield Part(number, unit.reading, unit.tokens)
        return
    begin, end = unit.reading
    lines = [Span(*line.span()) for line in _LINE.finditer(passage.reading, begin, end)]
    total = sum(line.end - line.start for line in lines)
    left = unit.tokens
    for place, line in enumerate(lines):
        # How many pieces one line has is not known; by its letters it is close enough.
        share = round(unit.tokens * (line.end - line.start) / total) if place + 1 < len(lines) else left
        tokens = min(share, left)
        left -= tokens
        yield Part(number, line, tokens)


def source_spans(passage: Passage, parts: Sequence[Part]) -> list[Span]:
    """Where parts that follow each other stand in the page; a line of code where its letters do."""
    chunk, spans, after = passage.chunk, list[Span](), 0
    for part in parts:
        unit = passage.units[part.unit]
        span = Span(unit.start, unit.end)
        if unit.kind is UnitKind.CODE:
            line = passage.reading[part.reading.start : part.reading.end].strip()
            at = chunk.text.find(line, max(after, unit.start - chunk.start), unit.end - chunk.start)
            if at >= 0:
                after = at + len(line)
                span = Span(at + chunk.start, after + chunk.start)
        spans.append(span)
    return spans


def _runs(sizes: Sequence[int]) -> Iterator[range]:
    """Places of the parts of each window; a part that alone has no room stands alone."""
    first = 0
    while first < len(sizes):
        after, size = first + 1, sizes[first]
        while after < len(sizes) and size + sizes[after] <= ROOM:
            size += sizes[after]
            after += 1
        yield range(first, after)
        if after == len(sizes):
            return
        skipped, first = sizes[first], first + 1
        while first < after and skipped + sizes[first] <= size // 2:
            skipped += sizes[first]
            first += 1


def _window(passage: Passage, parts: Sequence[Part], run: range) -> Window:
    first = sum(part.tokens for part in parts[: run.start])
    chosen = tuple(parts[run.start : run.stop])
    return Window(passage, chosen, first, first + sum(part.tokens for part in chosen))
