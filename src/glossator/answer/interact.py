"""Late interaction: every word of a question looks for its best match among the words of a passage.

What counts is the best stretch of a few sentences, read together with the headings above it: words that are
matched all over a passage say little, words that are matched in one place say much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glossator.model import Passage, TokenStates, Unit, Vector

_STEP = 12
_STEPS = 3
"""A stretch is so many steps of so many word pieces: about two sentences."""
_OWN_WORDS = 0.7
"""What a sentence's own words count in its relevance, beside those of its headings."""

_LONG = 40.0
"""Word pieces; about a long sentence."""
_TOO_LONG = 0.12

Matches = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Interaction:
    """What a question finds in one passage."""

    stretch: float
    """How much of the question the best stretch matches, 0 to 1."""
    whole: float
    """How much of it the whole passage does."""
    best: Vector
    """For each word piece of the question, its match in the best stretch."""
    body: Matches
    """For each word piece of the passage below its headings, its matches with those of the question."""
    above: Vector
    """For each word piece of the question, its match in the headings."""
    weights: Vector

    def of_units(self, units: Sequence[Unit]) -> list[float]:
        """How much of the question each unit of the passage matches."""
        sizes = [unit.tokens for unit in units]
        return _of_units(self.body, sizes, self.above, self.weights) if len(self.body) else [0.0] * len(units)


def interact(
    question: TokenStates, weights: Vector, passages: Sequence[tuple[Passage, TokenStates]]
) -> list[Interaction]:
    """One matrix product for all of them, and cuts through it."""
    if not passages:
        return []
    matches = np.concatenate([states for _, states in passages]) @ question.T
    ends = np.cumsum([len(states) for _, states in passages])
    return [
        _interaction(passage, matches[end - len(states) : end], weights)
        for (passage, states), end in zip(passages, ends.tolist(), strict=True)
    ]


def _interaction(passage: Passage, matches: Matches, weights: Vector) -> Interaction:
    heading = max(len(matches) - sum(unit.tokens for unit in passage.units), 0)
    above = matches[:heading].max(axis=0) if heading else np.zeros(len(weights), np.float32)
    body = matches[heading:]
    if not len(body):
        whole = float(above @ weights)
        return Interaction(whole, whole, above, body, above, weights)
    stretches = np.maximum(_stretches(body), above)
    scores = stretches @ weights
    best = int(scores.argmax())
    whole = float(np.maximum(body.max(axis=0), above) @ weights)
    return Interaction(float(scores[best]), whole, stretches[best], body, above, weights)


def _stretches(body: Matches) -> Matches:
    """For each step, the best matches in it and in the steps that follow it."""
    steps = np.maximum.reduceat(body, np.arange(0, len(body), _STEP), axis=0)
    best = steps
    for ahead in range(1, _STEPS):
        best = np.maximum(best, np.concatenate([steps[ahead:], steps[-ahead:]])[: len(steps)])
    return best


def _of_units(body: Matches, sizes: Sequence[int], above: Vector, weights: Vector) -> list[float]:
    starts = np.cumsum([0, *sizes])[:-1]
    reached = [index for index, start in enumerate(starts) if start < len(body) and sizes[index]]
    if not reached:
        return [0.0] * len(sizes)
    own = np.maximum.reduceat(body, starts[reached], axis=0)
    relevance = _OWN_WORDS * (own @ weights) + (1.0 - _OWN_WORDS) * (np.maximum(own, above) @ weights)
    # The longer a unit, the easier some of its words match; a page of code would win every question.
    length = np.array([sizes[index] for index in reached], np.float32)
    relevance = relevance * np.minimum(_LONG / length, 1.0) ** _TOO_LONG
    scores = dict(zip(reached, relevance.tolist(), strict=True))
    return [max(scores.get(index, 0.0), 0.0) for index in range(len(sizes))]
