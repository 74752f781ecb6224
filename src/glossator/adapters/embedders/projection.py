"""Token states in fewer dimensions: the directions in which those of a text differ most."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

WIDTH = 128
"""Numbers a token, of the model's 384; a third of the room, and hardly a worse order of what is found."""

FILE = Path(__file__).with_name("projection.npy")
"""Written by scripts/fit_projection.py."""


@dataclass(frozen=True, slots=True)
class Projection:
    directions: NDArray[np.float32]
    """One a column."""
    mark: str
    """Changes whenever they do."""

    @classmethod
    def open(cls) -> Projection:
        content = FILE.read_bytes()
        directions = np.load(io.BytesIO(content), allow_pickle=False).astype(np.float32)
        return cls(directions, hashlib.sha256(content).hexdigest())
