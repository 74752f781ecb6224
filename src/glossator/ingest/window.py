"""Divide chunks into passages, which the embedding model reads whole, and choose where to cut.

A passage stays inside one section. Its reading begins with the page's title and the headings above it, so
that the model knows what "it" is. Its units are the sentences, rows and pieces of code that an answer quotes.
`partition` chooses the cuts, for passages here and for chunks in `split`. The windows that the reader reads
are other ones, see `answer/windows.py`.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from glossator.ingest.measure import READ_WHOLE, CountTokens, MeasuredBlock, memoized
from glossator.ingest.parse import BlockKind
from glossator.model import Chunk, Passage, Section, Span, Unit, UnitKind

LONGEST_HEADING = 48
"""Tokens of the window that the title and the headings may take."""


@dataclass(frozen=True, slots=True)
class _Draft:
    """A passage whose units have no token counts yet."""

    chunk: Chunk
    number: int
    span: Span
    heading: str
    leaves: Sequence[Leaf]


def windows(
    chunks: Sequence[Chunk], blocks: Sequence[MeasuredBlock], count_tokens: CountTokens, window: int
) -> list[Passage]:
    """The passages of a page's chunks; together they cover all of their text."""
    count_once = memoized(count_tokens)
    count_once([_full_heading(chunk, section) for chunk in chunks for section in chunk.sections])
    drafts = [draft for chunk in chunks for draft in _drafts(chunk, blocks, count_once, window)]
    count_once([leaf.reading for draft in drafts for leaf in draft.leaves])
    return [_passage(draft, count_once) for draft in drafts]


def _drafts(
    chunk: Chunk, blocks: Sequence[MeasuredBlock], count_tokens: CountTokens, window: int
) -> Iterator[_Draft]:
    numbers = iter(range(len(chunk.text) + 1))
    for index, (section, span) in enumerate(_parts(chunk)):
        heading = _heading(chunk, section, count_tokens)
        room = window - count_tokens([heading])[0]
        passages = list(_passage_spans(list(_pieces(blocks, span, room)), room))
        if not passages and not _has_subsection(chunk, index):
            passages = [(span, list[Leaf]())]
        for passage_span, leaves in passages:
            yield _Draft(chunk, next(numbers), passage_span, heading, leaves)


def _parts(chunk: Chunk) -> Iterator[tuple[Section, Span]]:
    starts = [chunk.start, *(section.start for section in chunk.sections[1:]), chunk.end]
    for section, start, end in zip(chunk.sections, starts, starts[1:], strict=False):
        yield section, Span(start, end)


def _heading(chunk: Chunk, section: Section, count_tokens: CountTokens) -> str:
    """The title and headings; where they are too long, without the outermost of them."""
    heading = _full_heading(chunk, section)
    names = [chunk.page_title, *section.path]
    while count_tokens([heading])[0] > LONGEST_HEADING:
        names = names[1:]
        heading = " > ".join(names) if names else heading[: len(heading) * 3 // 4]
    return heading


def _full_heading(chunk: Chunk, section: Section) -> str:
    return " > ".join([chunk.page_title, *section.path])


def _has_subsection(chunk: Chunk, index: int) -> bool:
    """Whether the next section is nested in this one, so that its passages include this heading."""
    following = chunk.sections[index + 1 : index + 2]
    path = chunk.sections[index].path
    return bool(following) and following[0].path[: len(path)] == path


def _pieces(blocks: Sequence[MeasuredBlock], span: Span, room: int) -> Iterator[Piece]:
    first = bisect_right(blocks, span.start, key=lambda block: block.span.end)
    after_last = bisect_left(blocks, span.end, key=lambda block: block.span.start)
    for block, around in _inside(blocks[first:after_last], span, None):
        if block.kind is not BlockKind.HEADING:
            yield from _opened(block, around, room, goes_on=False)


def _inside(
    blocks: Sequence[MeasuredBlock], span: Span, around: Surroundings | None
) -> Iterator[tuple[MeasuredBlock, Surroundings]]:
    """The blocks inside the span, and of blocks that cross its edge the parts inside."""
    for block in blocks:
        context = surroundings(block, around)
        if span.start <= block.span.start and block.span.end <= span.end:
            yield block, context
        elif block.span.start < span.end and span.start < block.span.end:
            yield from _inside(block.children, span, context)


def _opened(block: MeasuredBlock, around: Surroundings, room: int, *, goes_on: bool) -> Iterator[Piece]:
    """The block where it is short, otherwise its parts; code stays whole while it fits."""
    long = room if block.kind in (*READ_WHOLE, BlockKind.LINE) else room // 3
    if block.reading <= long or not block.children:
        if block.reading:
            yield Piece(block, around, goes_on)
        return
    for number, part in enumerate(block.children):
        yield from _opened(part, surroundings(part, around), room, goes_on=goes_on or number > 0)


def _passage_spans(pieces: Sequence[Piece], room: int) -> Iterator[tuple[Span, list[Leaf]]]:
    boundaries = [Boundary(cut=3.0 if piece.goes_on else 1.0) for piece in pieces]
    target = TargetSize(least=max(room // 2, 1), most=room)
    for run in partition([piece.measured.reading for piece in pieces], boundaries, target):
        window = pieces[run.start : run.stop]
        span = Span(window[0].measured.span.start, window[-1].measured.span.end)
        yield span, [leaf for piece in window for leaf in leaves_of(piece)]


def _passage(draft: _Draft, count_tokens: CountTokens) -> Passage:
    text = join_readings(draft.leaves)
    return Passage(
        draft.chunk,
        draft.number,
        draft.span.start,
        draft.span.end,
        f"{draft.heading}\n{text}" if text else draft.heading,
        units_of(draft.leaves, count_tokens, len(draft.heading) + 1),
    )


@dataclass(frozen=True, slots=True)
class Boundary:
    """The boundary before a unit: the cost of cutting there, and the cost of not cutting there."""

    cut: float
    keep: float = 0.0


@dataclass(frozen=True, slots=True)
class TargetSize:
    """The size of a run in tokens; below `least`, a smaller run costs more."""

    least: int
    most: int

    def shortage(self, size: int) -> float:
        return 10.0 + 10.0 * (self.least - size) / self.least if size < self.least else 0.0


def partition(
    sizes: Sequence[int],
    boundaries: Sequence[Boundary],
    target: TargetSize,
    room: Callable[[int], int] | None = None,
) -> list[range]:
    """Divide all units into runs of consecutive units, at the least total cost.

    A run is never larger than `target.most`, or `room(first unit)` where that is given, unless a single unit
    is. `boundaries[i]` is the one before unit i. A shortage always costs more than not cutting at one
    boundary, so two neighbours that fit together stay apart only when both are large enough.
    """
    costs = [0.0] + [math.inf] * len(sizes)
    starts = [0] * (len(sizes) + 1)
    for start in range(len(sizes)):
        most = room(start) if room else target.most
        cost_before = costs[start] + (boundaries[start].cut if start else 0.0)
        size, uncut = 0, 0.0
        for end in range(start + 1, len(sizes) + 1):
            size += sizes[end - 1]
            if size > most and end > start + 1:
                break
            uncut += boundaries[end - 1].keep if end > start + 1 else 0.0
            cost = cost_before + uncut + target.shortage(size)
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


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The list, table, code or paragraph around a block, which decides the kind of its units."""

    kind: UnitKind
    block: Span


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a section that is not divided between passages."""

    measured: MeasuredBlock
    around: Surroundings
    goes_on: bool
    """Whether it belongs to the same block as the piece before it."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A part of a piece that is one unit, or one line of a unit of code."""

    around: Surroundings
    words: Span
    reading: str
    runs_on: bool
    """Whether it follows the leaf before it on the same line."""


def surroundings(block: MeasuredBlock, outer: Surroundings | None) -> Surroundings:
    """Code and tables keep their kind everywhere; any other block inside a list belongs to the list."""
    words = block.block.words
    match block.kind:
        case BlockKind.CODE:
            return Surroundings(UnitKind.CODE, words)
        case BlockKind.TABLE:
            return Surroundings(UnitKind.ROW, words)
        case BlockKind.LIST if outer is None or outer.kind is not UnitKind.ITEM:
            return Surroundings(UnitKind.ITEM, block.span)
        case BlockKind.PARAGRAPH | BlockKind.HTML | BlockKind.HEADING if (
            outer is None or outer.kind is UnitKind.PROSE
        ):
            return Surroundings(UnitKind.PROSE, words)
        case _:
            return outer or Surroundings(UnitKind.PROSE, words)


def leaves_of(piece: Piece) -> Iterator[Leaf]:
    runs_on = piece.goes_on and piece.measured.kind is BlockKind.SENTENCE
    return _leaves(piece.measured, piece.around, runs_on=runs_on)


def _leaves(measured: MeasuredBlock, around: Surroundings, *, runs_on: bool) -> Iterator[Leaf]:
    block = measured.block
    # A long block without children of its own may have been cut by `measure`; it fits whole here.
    if not block.children or measured.kind in READ_WHOLE:
        if block.reading:
            yield Leaf(around, block.words, block.reading, runs_on)
        return
    for number, part in enumerate(measured.children):
        goes_on = part.kind is BlockKind.SENTENCE and number > 0
        yield from _leaves(part, surroundings(part, around), runs_on=goes_on)


def join_readings(leaves: Sequence[Leaf]) -> str:
    """The readings as one text: a sentence follows on the same line, everything else begins a new one."""
    text = ""
    for leaf in leaves:
        text += (" " if leaf.runs_on else "\n") + leaf.reading
    return text[1:]


def units_of(leaves: Sequence[Leaf], count_tokens: CountTokens, start: int) -> tuple[Unit, ...]:
    """The units; `start` is where the text of `join_readings` begins in the reading of the passage."""
    units = list[Unit]()
    for leaf, tokens in zip(leaves, count_tokens([leaf.reading for leaf in leaves]), strict=True):
        reading = Span(start, start + len(leaf.reading))
        start = reading.end + 1
        unit = Unit(leaf.around.kind, *leaf.words, tokens, leaf.around.block, reading)
        if units and _continues(units[-1], unit):
            units[-1] = _joined(units[-1], unit)
        elif tokens:
            units.append(unit)
    return tuple(units)


def _joined(previous: Unit, unit: Unit) -> Unit:
    reading = Span(previous.reading.start, unit.reading.end)
    return previous._replace(end=unit.end, tokens=previous.tokens + unit.tokens, reading=reading)


def _continues(previous: Unit, unit: Unit) -> bool:
    """Whether the unit is the next line of the same code."""
    return unit.kind is UnitKind.CODE and unit.block == previous.block
