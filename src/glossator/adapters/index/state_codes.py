"""Token states for a Qdrant server: two bits a number, as text in the payload of their passage.

A number is stored as one of four levels, in units of the root mean square of its column. Rows have length
one, so only the ratios of the columns are stored. docs/scale.md compares what two bits find and weigh with
eight bits and with multivectors of the server.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import dataclass
from itertools import product

import numpy as np

from glossator.adapters.index.payload import unreadable_passage
from glossator.model import TokenStates

_LEVELS = (-1.51, -0.4528, 0.4528, 1.51)
"""The levels that distort normally distributed numbers least (Lloyd-Max)."""
_BOUNDARIES = (-0.9816, 0.0, 0.9816)
_FOUR_LEVELS = np.array(list(product(_LEVELS, repeat=4)), np.float32)
"""The four numbers that each byte stands for."""
_LARGEST_SCALE = 255
_SMALLEST = float(np.finfo(np.float32).tiny)


def encode_states(states: TokenStates) -> str:
    width = states.shape[1]
    sizes = np.sqrt(np.square(states).mean(axis=0)) if len(states) else np.zeros(width, np.float32)
    unit = max(float(sizes.max(initial=0.0)), _SMALLEST) / _LARGEST_SCALE
    scales = np.rint(sizes / unit).astype(np.uint8)
    levels = np.searchsorted(_BOUNDARIES, states / (np.maximum(scales, 1) * unit)).astype(np.uint8)
    quads = np.pad(levels, ((0, 0), (0, -width % 4))).reshape(-1, 4)
    codes = quads @ np.array([64, 16, 4, 1], np.uint8)
    return b64encode(width.to_bytes(2, "little") + scales.tobytes() + codes.tobytes()).decode()


@dataclass(frozen=True, slots=True)
class EncodedStates:
    text: str

    def unpacked(self) -> TokenStates:
        """Raises IndexFault for a text that encodes no states."""
        try:
            content = b64decode(self.text, validate=True)
            width = int.from_bytes(content[:2], "little")
            scales = np.frombuffer(content, np.uint8, width, offset=2)
            codes = np.frombuffer(content, np.uint8, offset=2 + width)
            levels = _FOUR_LEVELS[codes].reshape(-1, width + -width % 4)[:, :width]
        except ValueError as error:
            raise unreadable_passage() from error
        states = levels * scales.astype(np.float32)
        lengths = np.sqrt(np.einsum("ij,ij->i", states, states))
        return states / np.maximum(lengths, _SMALLEST)[:, None]
