"""Compact encoding of units, for the cache and the index."""

from __future__ import annotations

from collections.abc import Sequence

from glossator.model import Span, Unit, UnitKind

_KINDS = tuple(UnitKind)
_NUMBERS = {kind: number for number, kind in enumerate(_KINDS)}


def pack_units(units: Sequence[Unit]) -> list[int]:
    """Eight numbers per unit, in one flat list."""
    return [
        number
        for unit in units
        for number in (_NUMBERS[unit.kind], unit.start, unit.end, unit.tokens, *unit.block, *unit.reading)
    ]


def unpack_units(numbers: Sequence[int]) -> tuple[Unit, ...]:
    """Raises ValueError or IndexError for numbers that encode no units."""
    kinds, starts, ends, tokens, *spans = (numbers[offset::8] for offset in range(8))
    blocks, readings = (map(Span._make, zip(*pair, strict=True)) for pair in (spans[:2], spans[2:]))
    kind = map(_KINDS.__getitem__, kinds)
    return tuple(map(Unit._make, zip(kind, starts, ends, tokens, blocks, readings, strict=True)))
