"""Late interaction: every word of a question looks for its best match among the words of a window.

The headings above a window count as its own words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glossator.model import Passage, TokenStates, Vector

_LARGEST_PRODUCT = 2**18
"""Multiplications at once; for more, OpenBLAS wakes threads of its own, which then spin for 25 ms.

To put all passages together for one large product would copy megabytes as well.
"""

Matches = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Interaction:
    """What a question finds in one passage."""

    body: Matches
    """For each word piece of the passage below its headings, its matches with those of the question."""
    above: Vector
    """For each word piece of the question, its match in the headings."""

    def match(self, first: int, after: int, weights: Vector) -> float:
        """How much of the question the word pieces from `first` to `after` match, 0 to 1."""
        body = self.body[first:after]
        best = np.maximum(body.max(axis=0), self.above) if len(body) else self.above
        return float(best @ weights)


def late_interaction(
    question: TokenStates, passages: Sequence[tuple[Passage, TokenStates]]
) -> list[Interaction]:
    columns = np.ascontiguousarray(question.T)
    return [_interaction(columns, passage, states) for passage, states in passages]


def _interaction(columns: Matches, passage: Passage, states: TokenStates) -> Interaction:
    matches = np.empty((len(states), columns.shape[1]), np.float32)
    most = max(_LARGEST_PRODUCT // max(columns.size, 1), 1)
    for first in range(0, len(states), most):
        np.matmul(states[first : first + most], columns, out=matches[first : first + most])
    body = max(len(states) - sum(unit.tokens for unit in passage.units), 0)
    above = matches[:body].max(axis=0) if body else np.zeros(columns.shape[1], np.float32)
    return Interaction(matches[body:], above)
