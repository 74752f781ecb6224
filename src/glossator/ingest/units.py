"""What a passage is made of: the sentences, rows and pieces of code that an answer quotes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from glossator.ingest.measure import READ_WHOLE, CountTokens, Measured
from glossator.ingest.parse import BlockKind
from glossator.model import Span, Unit, UnitKind


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a block stands in, which decides the kind of its units."""

    kind: UnitKind
    block: Span


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a section that a passage takes whole."""

    measured: Measured
    around: Surroundings
    goes_on: bool
    """Whether it stands in one block with the piece before it."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """What of a piece is one unit, or one line of it."""

    around: Surroundings
    words: Span
    reading: str
    runs_on: bool
    """Whether it goes on in the line of the leaf before it."""


def surroundings(block: Measured, outer: Surroundings | None) -> Surroundings:
    """Code and tables are what they are wherever they stand; in a list everything else is of the list."""
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


def _leaves(measured: Measured, around: Surroundings, *, runs_on: bool) -> Iterator[Leaf]:
    block = measured.block
    # One without children may still have been cut, for it is long; here it has room whole.
    if not block.children or measured.kind in READ_WHOLE:
        if block.reading:
            yield Leaf(around, block.words, block.reading, runs_on)
        return
    for number, part in enumerate(measured.children):
        goes_on = part.kind is BlockKind.SENTENCE and number > 0
        yield from _leaves(part, surroundings(part, around), runs_on=goes_on)


def joined(leaves: Sequence[Leaf]) -> str:
    """Sentences run on; everything else begins a line."""
    words = ""
    for leaf in leaves:
        words += (" " if leaf.runs_on else "\n") + leaf.reading
    return words[1:]


def units_of(leaves: Sequence[Leaf], count_tokens: CountTokens, first: int) -> tuple[Unit, ...]:
    """The leaves' readings stand in that of the passage from `first` on, as `joined` joins them."""
    units = list[Unit]()
    for leaf, tokens in zip(leaves, count_tokens([leaf.reading for leaf in leaves]), strict=True):
        reading = Span(first, first + len(leaf.reading))
        first = reading.end + 1
        unit = Unit(leaf.around.kind, *leaf.words, tokens, leaf.around.block, reading)
        if units and _is_more_of(units[-1], unit):
            units[-1] = _joined(units[-1], unit)
        elif tokens:
            units.append(unit)
    return tuple(units)


def _joined(before: Unit, unit: Unit) -> Unit:
    reading = Span(before.reading.start, unit.reading.end)
    return before._replace(end=unit.end, tokens=before.tokens + unit.tokens, reading=reading)


def _is_more_of(before: Unit, unit: Unit) -> bool:
    """Whether it is the next line of the same code."""
    return unit.kind is UnitKind.CODE and unit.block == before.block
