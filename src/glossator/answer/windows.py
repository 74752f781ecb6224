"""Cuts a passage into windows: runs of its parts that fit into the reader's input beside a question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from glossator.model import Part, Passage, Span, UnitKind, Window

ROOM = 112
"""Word pieces of a window, about five sentences. The reader was trained with this size."""

_LINE = re.compile(r"\S[^\n]*")


def windows(passage: Passage) -> list[Window]:
    """Overlapping windows that cover the passage; each starts near the middle of the one before."""
    parts = parts_of(passage)
    return [_window(passage, parts, run) for run in _runs([part.tokens for part in parts])]


def neighbourhoods(passage: Passage) -> list[Window]:
    """Each part with its neighbours, to compare claims with."""
    parts = parts_of(passage)
    return [
        _window(passage, parts, range(max(position - 1, 0), min(position + 2, len(parts))))
        for position in range(len(parts))
    ]


def parts_of(passage: Passage) -> list[Part]:
    return [part for number in range(len(passage.units)) for part in _parts(passage, number)]


def _parts(passage: Passage, number: int) -> Iterator[Part]:
    """Code is cut into lines, so that a long listing fits into several windows; other units stay whole."""
    unit = passage.units[number]
    if unit.kind is not UnitKind.CODE:
        yield Part(number, unit.reading, unit.tokens)
        return
    begin, end = unit.reading
    lines = [Span(*line.span()) for line in _LINE.finditer(passage.reading, begin, end)]
    total = sum(line.end - line.start for line in lines)
    left = unit.tokens
    for index, line in enumerate(lines):
        # The word pieces of a line are not known; its share of the characters is close enough.
        share = round(unit.tokens * (line.end - line.start) / total) if index + 1 < len(lines) else left
        tokens = min(share, left)
        left -= tokens
        yield Part(number, line, tokens)


def source_spans(passage: Passage, parts: Sequence[Part]) -> list[Span]:
    """The page positions of consecutive parts; a line of code is found by its text."""
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
    """The range of part indexes of each window; a part that is too long is a window of its own."""
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
