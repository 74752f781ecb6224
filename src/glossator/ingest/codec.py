"""Compact encoding of units and token states, for the cache and the index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glossator.model import Span, TokenStates, Unit, UnitKind

PackedStates = NDArray[np.int8]
"""Each row is scaled by its own largest component. Rows have length one, so the scale need not be stored."""

_KINDS = tuple(UnitKind)
_NUMBERS = {kind: number for number, kind in enumerate(_KINDS)}
_LARGEST = 127


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


def pack_states(states: TokenStates) -> PackedStates:
    largest = np.abs(states).max(axis=1, keepdims=True, initial=np.finfo(np.float32).tiny)
    return np.rint(states * (_LARGEST / largest)).astype(np.int8)


def unpack_states(packed: PackedStates) -> TokenStates:
    return StoredStates.of(packed).unpacked()


@dataclass(frozen=True, slots=True)
class StoredStates:
    """Packed token states, and the length that each row is divided by to unpack it."""

    packed: PackedStates
    lengths: NDArray[np.float32]

    @classmethod
    def of(cls, packed: PackedStates) -> StoredStates:
        states = packed.astype(np.float32)
        lengths = np.sqrt(np.einsum("ij,ij->i", states, states))
        return cls(packed, np.maximum(lengths, 1.0)[:, None])

    def unpacked(self) -> TokenStates:
        states = self.packed.astype(np.float32)
        states /= self.lengths
        return states


def states_to_bytes(states: TokenStates) -> bytes:
    """Two bytes for the dimension, then the packed rows."""
    return states.shape[1].to_bytes(2, "little") + pack_states(states).tobytes()


def states_from_bytes(encoded: bytes) -> PackedStates:
    """Raises ValueError for bytes that encode no rows."""
    return np.frombuffer(encoded, np.int8, offset=2).reshape(-1, int.from_bytes(encoded[:2], "little"))
