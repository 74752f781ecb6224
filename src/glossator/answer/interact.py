"""Late interaction: every word of a question looks for its best match among the words of a passage.

What counts is the best stretch of a few sentences, read together with the headings above it: words that are
matched all over a passage say little, words that are matched in one place say much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, count
from operator import attrgetter
from typing import NamedTuple

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

_LARGEST_PRODUCT = 2**18
"""Multiplications at once; for more, OpenBLAS wakes threads of its own, which then spin for 25 ms.

To put all passages together for one large product would copy megabytes as well.
"""

_TOKENS: Callable[[Unit], int] = attrgetter("tokens")

Matches = NDArray[np.float32]
Places = NDArray[np.int64]


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


def interact(
    question: TokenStates, weights: Vector, passages: Sequence[tuple[Passage, TokenStates]]
) -> list[Interaction]:
    """All of them in one go: passage by passage, the calls took longer than what they worked out."""
    if not passages:
        return []
    matches = _matches(question, [states for _, states in passages])
    cuts = _Cuts.of(passages)
    above, steps = _best_of_parts(matches, cuts)
    stretches = np.maximum(_stretches(steps, cuts), np.repeat(above, cuts.steps, axis=0))
    scores = stretches @ weights
    wholes = (_best_of_all(above, steps, cuts) @ weights).tolist()
    seen = list[Interaction]()
    for place, (body, end, first, after) in enumerate(cuts.of_each()):
        if first == after:
            stretch, best = wholes[place], above[place]
        else:
            at = first + int(scores[first:after].argmax())
            stretch, best = float(scores[at]), stretches[at]
        seen.append(Interaction(stretch, wholes[place], best, matches[body:end], above[place], weights))
    return seen


def _matches(question: TokenStates, states: Sequence[TokenStates]) -> Matches:
    """A row for each word piece of all passages, one passage after the other."""
    columns = np.ascontiguousarray(question.T)
    matches = np.empty((sum(map(len, states)), len(question)), np.float32)
    most = max(_LARGEST_PRODUCT // max(question.size, 1), 1)
    some = (rows[first : first + most] for rows in states for first in range(0, len(rows), most))
    start = 0
    for rows in some:
        np.matmul(rows, columns, out=matches[start : start + len(rows)])
        start += len(rows)
    return matches


@dataclass(frozen=True, slots=True)
class _Cuts:
    """Where each passage stands among the rows of all, and how many steps its body has."""

    starts: Places
    bodies: Places
    """The first rows below the headings."""
    ends: Places
    steps: Places

    @classmethod
    def of(cls, passages: Sequence[tuple[Passage, TokenStates]]) -> _Cuts:
        sizes = np.array([len(states) for _, states in passages])
        below = np.array([sum(map(_TOKENS, passage.units)) for passage, _ in passages])
        ends = np.cumsum(sizes)
        starts = ends - sizes
        bodies = np.maximum(ends - below, starts)
        return cls(starts, bodies, ends, -((bodies - ends) // _STEP))

    @property
    def after_steps(self) -> Places:
        """Behind the last step of each, among the steps of all."""
        return np.cumsum(self.steps)

    @property
    def rows_of_steps(self) -> Places:
        """In which row each step begins."""
        firsts = self.bodies - _STEP * (self.after_steps - self.steps)
        return _STEP * np.arange(int(self.steps.sum())) + np.repeat(firsts, self.steps)

    def of_each(self) -> Iterator[tuple[int, int, int, int]]:
        """Its body's first row and the one after its last, and so of its steps."""
        first_steps = self.after_steps - self.steps
        columns = (self.bodies, self.ends, first_steps, self.after_steps)
        return zip(*(column.tolist() for column in columns), strict=True)


def _best_of_parts(matches: Matches, cuts: _Cuts) -> tuple[Matches, Matches]:
    """The best matches in the headings of each passage, and in each step of all bodies."""
    has_headings = cuts.bodies > cuts.starts
    firsts = np.concatenate([cuts.starts[has_headings], cuts.rows_of_steps])
    order = np.argsort(firsts)
    best = np.empty((len(firsts), matches.shape[1]), np.float32)
    best[order] = np.maximum.reduceat(matches, firsts[order], axis=0)
    count = int(has_headings.sum())
    above = np.zeros((len(cuts.starts), matches.shape[1]), np.float32)
    above[has_headings] = best[:count]
    return above, best[count:]


def _stretches(steps: Matches, cuts: _Cuts) -> Matches:
    """For each step, the best matches in it and in the steps of its passage that follow it."""
    places, last = np.arange(len(steps)), np.repeat(cuts.after_steps - 1, cuts.steps)
    best = steps
    for ahead in range(1, _STEPS):
        best = np.maximum(best, steps[np.minimum(places + ahead, last)])
    return best


def _best_of_all(above: Matches, steps: Matches, cuts: _Cuts) -> Matches:
    """For each passage, the best matches in its headings and its body."""
    has_body = cuts.steps > 0
    best = above.copy()
    best[has_body] = np.maximum(
        best[has_body], np.maximum.reduceat(steps, (cuts.after_steps - cuts.steps)[has_body], axis=0)
    )
    return best


def of_units(seen: Sequence[tuple[Interaction, Sequence[Unit]]]) -> list[list[float]]:
    """How much of the question each unit of the passages matches."""
    relevance = np.zeros(sum(len(units) for _, units in seen), np.float32)
    if reached := list(_reached(seen)):
        places, rows, sizes, owners = map(list, zip(*reached, strict=True))
        own = np.maximum.reduceat(np.concatenate([one.body for one, _ in seen]), rows, axis=0)
        above = np.stack([one.above for one, _ in seen])[owners]
        weights = seen[0][0].weights
        said = _OWN_WORDS * (own @ weights) + (1.0 - _OWN_WORDS) * (np.maximum(own, above) @ weights)
        # The longer a unit, the easier some of its words match; a page of code would win every question.
        relevance[places] = said * np.minimum(_LONG / np.array(sizes, np.float32), 1.0) ** _TOO_LONG
    every = np.maximum(relevance, 0.0).tolist()
    ends = accumulate(len(units) for _, units in seen)
    return [every[end - len(units) : end] for (_, units), end in zip(seen, ends, strict=True)]


class _Reached(NamedTuple):
    """A unit of which the model has read some."""

    place: int
    """Among all units."""
    row: int
    """Among the rows of all bodies, its first."""
    size: int
    owner: int


def _reached(seen: Sequence[tuple[Interaction, Sequence[Unit]]]) -> Iterator[_Reached]:
    places, first = count(), 0
    for owner, (one, units) in enumerate(seen):
        starts = accumulate(map(_TOKENS, units), initial=first)
        first += len(one.body)
        # The units first: when they are through, no further place is taken.
        for unit, place, start in zip(units, places, starts, strict=False):
            if unit.tokens and start < first:
                yield _Reached(place, start, unit.tokens, owner)
