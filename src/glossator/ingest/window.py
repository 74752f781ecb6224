"""A chunk becomes passages: windows that the embedding model reads whole.

A passage stays inside one section, and begins with the page's title and the headings above it, so that
the model knows what "it" is.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from glossator.ingest.measure import CountTokens, Measured, remembering
from glossator.ingest.parse import Kind
from glossator.ingest.partition import Joint, Wanted, partition
from glossator.model import Chunk, Passage, Section, Span

LONGEST_HEADING = 48
"""Tokens of the window that title and headings may take."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a section that is not cut further."""

    measured: Measured
    goes_on: bool
    """Whether it stands in one block with the piece before it."""


def windows(
    chunks: Sequence[Chunk], blocks: Sequence[Measured], count_tokens: CountTokens, window: int
) -> list[Passage]:
    """The passages of a page's chunks; together they show the model every word of them."""
    counted = remembering(count_tokens)
    counted([_full_heading(chunk, section) for chunk in chunks for section in chunk.sections])
    return [passage for chunk in chunks for passage in _passages(chunk, blocks, counted, window)]


def _passages(
    chunk: Chunk, blocks: Sequence[Measured], count_tokens: CountTokens, window: int
) -> Iterator[Passage]:
    numbers = iter(range(len(chunk.text) + 1))
    for index, (section, span) in enumerate(_parts(chunk)):
        heading = _heading(chunk, section, count_tokens)
        room = window - count_tokens([heading])[0]
        packed = list(_packed(list(_pieces(blocks, span, room)), room))
        if not packed and not _has_subsection(chunk, index):
            packed = [(span, "")]
        for place, words in packed:
            reading = f"{heading}\n{words}" if words else heading
            yield Passage(chunk, next(numbers), place.start, place.end, reading)


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


def _pieces(blocks: Sequence[Measured], span: Span, room: int) -> Iterator[_Piece]:
    first = bisect_right(blocks, span.start, key=lambda block: block.span.end)
    after_last = bisect_left(blocks, span.end, key=lambda block: block.span.start)
    for block in _inside(blocks[first:after_last], span):
        if block.kind is not Kind.HEADING:
            yield from _opened(block, room, goes_on=False)


def _inside(blocks: Sequence[Measured], span: Span) -> Iterator[Measured]:
    """The blocks inside the span, and the inside parts of those that reach over its edge."""
    for block in blocks:
        if span.start <= block.span.start and block.span.end <= span.end:
            yield block
        elif block.span.start < span.end and span.start < block.span.end:
            yield from _inside(block.children, span)


def _opened(block: Measured, room: int, *, goes_on: bool) -> Iterator[_Piece]:
    """The block whole where it is short, otherwise its parts; code stays whole while it fits."""
    long = room if block.kind in (Kind.CODE, Kind.LINE) else room // 3
    if block.reading <= long or not block.children:
        if block.reading:
            yield _Piece(block, goes_on)
        return
    for number, part in enumerate(block.children):
        yield from _opened(part, room, goes_on=goes_on or number > 0)


def _packed(pieces: Sequence[_Piece], room: int) -> Iterator[tuple[Span, str]]:
    joints = [Joint(cut=3.0 if piece.goes_on else 1.0) for piece in pieces]
    wanted = Wanted(least=max(room // 2, 1), most=room)
    for run in partition([piece.measured.reading for piece in pieces], joints, wanted):
        window = pieces[run.start : run.stop]
        yield Span(window[0].measured.span.start, window[-1].measured.span.end), _joined(window)


def _joined(pieces: Sequence[_Piece]) -> str:
    """Sentences run on; everything else begins a line."""
    words = pieces[0].measured.block.reading
    for piece in pieces[1:]:
        runs_on = piece.goes_on and piece.measured.kind is Kind.SENTENCE
        words += (" " if runs_on else "\n") + piece.measured.block.reading
    return words
