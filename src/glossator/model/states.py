"""Token states, and their form in the cache and the index: two bits a number.

A number is stored as one of four levels, in units of the root mean square of its column. Rows have length
one, so only the ratios of the columns are stored. docs/scale.md compares what two bits find and weigh with
eight bits and with multivectors of the server.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

TokenStates = NDArray[np.float32]
"""One row per token of a passage or question, each normalized to length one."""

_LEVELS = (-1.51, -0.4528, 0.4528, 1.51)
"""The levels that distort normally distributed numbers least (Lloyd-Max)."""
_BOUNDARIES = (-0.9816, 0.0, 0.9816)
_FOUR_LEVELS = np.array(list(product(_LEVELS, repeat=4)), np.float32)
"""The four numbers that each byte stands for."""
_LARGEST_SCALE = 255
_SMALLEST = float(np.finfo(np.float32).tiny)


@dataclass(frozen=True, slots=True)
class PackedStates:
    content: bytes
    """The number of columns in two bytes, the scale of each column, and the levels, four in a byte."""

    @classmethod
    def of(cls, states: TokenStates) -> PackedStates:
        width = states.shape[1]
        sizes = np.sqrt(np.square(states).mean(axis=0)) if len(states) else np.zeros(width, np.float32)
        unit = max(float(sizes.max(initial=0.0)), _SMALLEST) / _LARGEST_SCALE
        scales = np.rint(sizes / unit).astype(np.uint8)
        levels = _levels(states / (np.maximum(scales, 1) * np.float32(unit)))
        quads = np.pad(levels, ((0, 0), (0, -width % 4))).reshape(-1, 4)
        codes = quads @ np.array([64, 16, 4, 1], np.uint8)
        return cls(width.to_bytes(2, "little") + scales.tobytes() + codes.tobytes())

    def unpacked(self) -> TokenStates:
        """Raises ValueError for a content that is no states."""
        width = int.from_bytes(self.content[:2], "little")
        scales = np.frombuffer(self.content, np.uint8, width, offset=2)
        codes = np.frombuffer(self.content, np.uint8, offset=2 + width)
        levels = _FOUR_LEVELS[codes].reshape(-1, width + -width % 4)[:, :width]
        states = levels * scales.astype(np.float32)
        lengths = np.sqrt(np.einsum("ij,ij->i", states, states))
        return states / np.maximum(lengths, _SMALLEST)[:, None]


def _levels(numbers: NDArray[np.float32]) -> NDArray[np.uint8]:
    """The number of boundaries below each; three comparisons are much faster than a search."""
    levels = np.zeros(numbers.shape, np.uint8)
    for boundary in _BOUNDARIES:
        levels += numbers > boundary
    return levels
