"""A chunk becomes passages: windows that the embedding model reads whole.

A passage stays inside one section, and begins with the page's title and the headings above it, so that
the model knows what "it" is.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from glossator.ingest.measure import READ_WHOLE, CountTokens, Measured, remembering
from glossator.ingest.parse import BlockKind
from glossator.ingest.units import Leaf, Piece, Surroundings, joined, leaves_of, surroundings, units_of
from glossator.model import Chunk, Passage, Section, Span

LONGEST_HEADING = 48
"""Tokens of the window that title and headings may take."""


@dataclass(frozen=True, slots=True)
class _Draft:
    """A passage whose units are not counted yet."""

    chunk: Chunk
    number: int
    span: Span
    heading: str
    leaves: Sequence[Leaf]


def windows(
    chunks: Sequence[Chunk], blocks: Sequence[Measured], count_tokens: CountTokens, window: int
) -> list[Passage]:
    """The passages of a page's chunks; together they show the model every word of them."""
    counted = remembering(count_tokens)
    counted([_full_heading(chunk, section) for chunk in chunks for section in chunk.sections])
    drafts = [draft for chunk in chunks for draft in _drafts(chunk, blocks, counted, window)]
    counted([leaf.reading for draft in drafts for leaf in draft.leaves])
    return [_passage(draft, counted) for draft in drafts]


def _drafts(
    chunk: Chunk, blocks: Sequence[Measured], count_tokens: CountTokens, window: int
) -> Iterator[_Draft]:
    numbers = iter(range(len(chunk.text) + 1))
    for index, (section, span) in enumerate(_parts(chunk)):
        heading = _heading(chunk, section, count_tokens)
        room = window - count_tokens([heading])[0]
        packed = list(_packed(list(_pieces(blocks, span, room)), room))
        if not packed and not _has_subsection(chunk, index):
            packed = [(span, list[Leaf]())]
        for place, leaves in packed:
            yield _Draft(chunk, next(numbers), place, heading, leaves)


def _parts(chunk: Chunk) -> Iterator[tuple[Section, Span]]:
    starts = [chunk.start, *(section.start for section in chunk.sections[1:]), chunk.end]
    for section, start, end in zip(chunk.sections, starts, starts[1:], strict=False):
        yield section, Span(start, end)


def _heading(chunk: Chunk, section: Section, count_tokens: CountTokens) -> str:
    """As many of the nearest headings as the window has room for."""
    heading = _full_heading(chunk, section)
    names = [chunk.page_title, *section.path]
    while count_tokens([heading])[0] > LONGEST_HEADING:
        names = names[1:]
        heading = " > ".join(names) if names else heading[: len(heading) * 3 // 4]
    return heading


def _full_heading(chunk: Chunk, section: Section) -> str:
    return " > ".join([chunk.page_title, *section.path])


def _has_subsection(chunk: Chunk, index: int) -> bool:
    """Whether the next section stands below this one, and so carries its heading too."""
    following = chunk.sections[index + 1 : index + 2]
    path = chunk.sections[index].path
    return bool(following) and following[0].path[: len(path)] == path


def _pieces(blocks: Sequence[Measured], span: Span, room: int) -> Iterator[Piece]:
    first = bisect_right(blocks, span.start, key=lambda block: block.span.end)
    after_last = bisect_left(blocks, span.end, key=lambda block: block.span.start)
    for block, around in _inside(blocks[first:after_last], span, None):
        if block.kind is not BlockKind.HEADING:
            yield from _opened(block, around, room, goes_on=False)


def _inside(
    blocks: Sequence[Measured], span: Span, around: Surroundings | None
) -> Iterator[tuple[Measured, Surroundings]]:
    """The blocks inside the span, and the inside parts of those that reach over its edge."""
    for block in blocks:
        own = surroundings(block, around)
        if span.start <= block.span.start and block.span.end <= span.end:
            yield block, own
        elif block.span.start < span.end and span.start < block.span.end:
            yield from _inside(block.children, span, own)


def _opened(block: Measured, around: Surroundings, room: int, *, goes_on: bool) -> Iterator[Piece]:
    """The block whole where it is short, otherwise its parts; code stays whole while it fits."""
    long = room if block.kind in (*READ_WHOLE, BlockKind.LINE) else room // 3
    if block.reading <= long or not block.children:
        if block.reading:
            yield Piece(block, around, goes_on)
        return
    for number, part in enumerate(block.children):
        yield from _opened(part, surroundings(part, around), room, goes_on=goes_on or number > 0)


def _packed(pieces: Sequence[Piece], room: int) -> Iterator[tuple[Span, list[Leaf]]]:
    joints = [Joint(cut=3.0 if piece.goes_on else 1.0) for piece in pieces]
    wanted = Wanted(least=max(room // 2, 1), most=room)
    for run in partition([piece.measured.reading for piece in pieces], joints, wanted):
        window = pieces[run.start : run.stop]
        span = Span(window[0].measured.span.start, window[-1].measured.span.end)
        yield span, [leaf for piece in window for leaf in leaves_of(piece)]


def _passage(draft: _Draft, count_tokens: CountTokens) -> Passage:
    words = joined(draft.leaves)
    return Passage(
        draft.chunk,
        draft.number,
        draft.span.start,
        draft.span.end,
        f"{draft.heading}\n{words}" if words else draft.heading,
        units_of(draft.leaves, count_tokens, len(draft.heading) + 1),
    )


# The best way to cut a row of units into runs of a wanted size.


@dataclass(frozen=True, slots=True)
class Joint:
    """The place before a unit: what it costs to cut here, and what it costs not to."""

    cut: float
    keep: float = 0.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """A run of a wanted size; a run below `least` costs more the smaller it is."""

    least: int
    most: int

    def shortage(self, size: int) -> float:
        return 10.0 + 10.0 * (self.least - size) / self.least if size < self.least else 0.0


def partition(
    sizes: Sequence[int], joints: Sequence[Joint], wanted: Wanted, room: Callable[[int], int] | None = None
) -> list[range]:
    """Runs of consecutive units, together all of them, at the least total cost.

    A run is never larger than `wanted.most`, or `room(first unit)` where that is given, unless a single
    unit is. `joints[i]` stands before unit i. A shortage always costs more than keeping one joint, so two
    neighbours that fit together stay apart only when both are large enough.
    """
    costs = [0.0] + [math.inf] * len(sizes)
    starts = [0] * (len(sizes) + 1)
    for start in range(len(sizes)):
        most = room(start) if room else wanted.most
        so_far = costs[start] + (joints[start].cut if start else 0.0)
        size, kept = 0, 0.0
        for end in range(start + 1, len(sizes) + 1):
            size += sizes[end - 1]
            if size > most and end > start + 1:
                break
            kept += joints[end - 1].keep if end > start + 1 else 0.0
            cost = so_far + kept + wanted.shortage(size)
            if cost < costs[end]:
                costs[end], starts[end] = cost, start
    return _runs(starts)


def _runs(starts: Sequence[int]) -> list[range]:
    runs = list[range]()
    end = len(starts) - 1
    while end > 0:
        runs.append(range(starts[end], end))
        end = starts[end]
    return runs[::-1]
