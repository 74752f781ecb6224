"""What comes into an answer together: a sentence with those it leans on, a block with its announcement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from glossator.answer.compose.block import Block, block_of
from glossator.answer.compose.rate import Rated
from glossator.answer.compose.sentence import announces, is_answer, is_open, leans_back
from glossator.model import UnitKind

_LONGEST_CHAIN = 3
"""Sentences that lean on one another."""
_LEADS = 0.8
"""How much of a unit's worth the sentence before its block needs, unless it announces it."""
_LONGEST_ITEM = 4
"""Sentences of one item of a list."""


@dataclass(frozen=True, slots=True)
class Part:
    sentences: tuple[Rated, ...]
    shown: tuple[Rated, Block] | None = None
    """A block behind the sentences, with its first unit."""


def part_of(units: Sequence[Rated], place: int) -> Part | None:
    """The unit with what it needs to be understood; None where that is not at hand."""
    match units[place].kind:
        case UnitKind.CODE | UnitKind.ROW:
            return block_part(units, place)
        case UnitKind.ITEM:
            return Part(_item(units, place))
        case UnitKind.PROSE:
            return _prose(units, place)


def block_part(units: Sequence[Rated], place: int) -> Part | None:
    """The whole list, table or code that the unit is of, behind the sentence that leads to it."""
    unit = units[place]
    block = block_of(unit.evidence.chunk, unit.kind, unit.block)
    if block is None:
        return None
    first = next(other for other in units if other.block == unit.block)
    leading = introduction(units, first)
    chain = _chain(units, leading.place) if leading else ()
    if leading and announces(leading.source):
        return Part(chain or (leading,), (first, block))
    return Part(chain if leading and leading.worth >= _LEADS * unit.worth else (), (first, block))


def introduction(units: Sequence[Rated], first: Rated) -> Rated | None:
    """The sentence right before a block, where there is one."""
    before = units[first.place - 1] if first.place else None
    is_there = before and before.kind is UnitKind.PROSE and not first.gap.strip(" \t\r\n>*+-0123456789.)|")
    return before if is_there else None


def going_on(units: Sequence[Rated], unit: Rated) -> Iterator[Rated]:
    """The sentences after one of prose, to the end of its paragraph and of the next in the same section."""
    later = units[unit.place + 1 :]
    yield from takewhile(lambda other: other.block == unit.block, later)
    rest = [other for other in later if other.block != unit.block][:1]
    if rest and rest[0].kind is UnitKind.PROSE and _are_side_by_side(units[rest[0].place - 1], rest[0]):
        yield from takewhile(lambda other: other.block == rest[0].block, units[rest[0].place :])


def _prose(units: Sequence[Rated], place: int) -> Part | None:
    """A sentence that announces something comes with it, or not at all."""
    chain, unit = _chain(units, place), units[place]
    after = units[place + 1] if place + 1 < len(units) else None
    announced = after if after and after.kind is not UnitKind.PROSE else None
    if not chain or not (announces(unit.source) or (announced and is_open(unit.source))):
        return Part(chain) if chain else None
    if announced is None:
        return None
    block = block_of(unit.evidence.chunk, announced.kind, announced.block)
    return Part(chain, (announced, block)) if block else None


def _chain(units: Sequence[Rated], place: int) -> tuple[Rated, ...]:
    """The sentence behind those that it leans on; none where the first of them is missing."""
    for first in range(place, max(place - _LONGEST_CHAIN, -1), -1):
        if not leans_back(units[first].source):
            return tuple(units[first : place + 1]) if is_answer(units[first].source) else ()
        if not first or not _are_side_by_side(units[first - 1], units[first]):
            return ()
    return ()


def _are_side_by_side(before: Rated, unit: Rated) -> bool:
    """Whether nothing but blanks parts two sentences of prose."""
    return before.kind is UnitKind.PROSE and not unit.gap.strip(" \t\r\n>*_")


def _item(units: Sequence[Rated], place: int) -> tuple[Rated, ...]:
    """All sentences of the item, without what only points elsewhere."""
    first, after = place, place + 1
    while first and not units[first].begins_item:
        first -= 1
    while after < min(len(units), first + _LONGEST_ITEM) and _is_more_of_item(units[place], units[after]):
        after += 1
    return tuple(unit for unit in units[first:after] if is_answer(unit.source) or unit.place < place)


def _is_more_of_item(unit: Rated, other: Rated) -> bool:
    return other.block == unit.block and not other.begins_item
