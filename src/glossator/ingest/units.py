"""The units of a passage: the sentences, rows and pieces of code that an answer quotes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from glossator.ingest.measure import READ_WHOLE, CountTokens, MeasuredBlock
from glossator.ingest.parse import BlockKind
from glossator.model import Span, Unit, UnitKind


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
