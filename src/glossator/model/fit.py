"""How well a score keeps what it promises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bin:
    low: float
    high: float
    count: int
    promised: float
    """The mean score."""
    kept: float
    """The share that was right."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Of similarity, in one book."""

    book: str
    generation: int
    model: str
    questions: int
    passages: int
    bearing: int
    bins: Sequence[Bin]
    error: float | None
    auroc: float | None
