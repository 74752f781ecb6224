"""Units and token states in little room, as the cache and the index keep them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glossator.model import Span, TokenStates, Unit, UnitKind

PackedStates = NDArray[np.int8]
"""Each row by its own largest component; its length is one, so its scale need not be kept."""

_KINDS = tuple(UnitKind)
_NUMBERS = {kind: number for number, kind in enumerate(_KINDS)}
_LARGEST = 127


def pack_units(units: Sequence[Unit]) -> list[int]:
    """Eight numbers a unit, one after the other."""
    return [
        number
        for unit in units
        for number in (_NUMBERS[unit.kind], unit.start, unit.end, unit.tokens, *unit.block, *unit.reading)
    ]


def unpack_units(numbers: Sequence[int]) -> tuple[Unit, ...]:
    """Raises ValueError or IndexError where these are no units."""
    kinds, starts, ends, tokens, *spans = (numbers[place::8] for place in range(8))
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
    """Token states as they are kept, and what each row is to be divided by."""

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
    """The length of a row, then the rows."""
    return states.shape[1].to_bytes(2, "little") + pack_states(states).tobytes()


def states_from_bytes(written: bytes) -> PackedStates:
    """Raises ValueError where these are no rows."""
    return np.frombuffer(written, np.int8, offset=2).reshape(-1, int.from_bytes(written[:2], "little"))
