"""How well a score keeps what it promises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from glossator.model.book import Calibration


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
    calibration: Calibration
    questions: int
    passages: int
    bearing: int
    bins: Sequence[Bin]
    error: float | None
    auroc: float | None

    @property
    def source(self) -> str:
        return "fitted on this book" if self.calibration.source == "book" else "the curve that is shipped"
