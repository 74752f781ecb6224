"""Searching by meaning and by words at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol
from uuid import UUID

from glossator.adapters.index.payload import passage_of
from glossator.model import FoundPassage, IndexQuery, Scores, TokenStates, Vector

WORDS = 0.4
"""What the best match by words is worth, in cosine.

Scores are added, not ranks. Fused by rank, a passage that alone has the rare word of the question counts
no more than one that merely came first, and the whole did worse than its better leg.
"""

PointId = UUID | str | int
"""A passage, as the engine itself names it."""

Payload = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Legs:
    """What each leg found, with its score."""

    dense: Mapping[PointId, float]
    sparse: Mapping[PointId, float]


class Engine(Protocol):
    """What a hybrid search needs from a vector engine."""

    def legs(self, query: IndexQuery) -> Legs: ...

    def cosines(self, points: Sequence[PointId], vector: Vector) -> Mapping[PointId, float]: ...

    def payloads(self, points: Sequence[PointId], *, states: bool) -> Mapping[PointId, Payload | None]: ...

    def states(self, payloads: Sequence[Payload | None]) -> Sequence[TokenStates | None]:
        """Of passages whose payloads were read with their states."""
        ...


def hybrid_search(engine: Engine, query: IndexQuery) -> list[FoundPassage]:
    legs = engine.legs(query)
    cosines = dict(legs.dense)
    by_words_alone = [point for point in legs.sparse if point not in cosines]
    if by_words_alone:
        cosines |= engine.cosines(by_words_alone, query.vector)
    fused = _fused(cosines, legs.sparse)
    payloads = engine.payloads(_best(fused, query.limit), states=query.states)
    found = {
        point: FoundPassage(passage_of(payload), Scores(cosines[point], legs.sparse.get(point), fused[point]))
        for point, payload in payloads.items()
    }
    best = sorted(found, key=lambda point: _place(found[point]))[: query.limit]
    if not query.states:
        return [found[point] for point in best]
    states = engine.states([payloads[point] for point in best])
    return [replace(found[point], states=rows) for point, rows in zip(best, states, strict=True)]


def _fused(cosines: dict[PointId, float], words: Mapping[PointId, float]) -> dict[PointId, float]:
    weight = WORDS / max(words.values(), default=1.0)
    return cosines | {point: cosines[point] + weight * score for point, score in words.items()}


def _best(fused: Mapping[PointId, float], limit: int) -> list[PointId]:
    """So many, and those that tie with the last of them: which of these come first, their places decide."""
    highest = sorted(fused.values(), reverse=True)[:limit]
    return [point for point, score in fused.items() if score >= highest[-1]]


def _place(found: FoundPassage) -> tuple[float, str, int]:
    return (-found.scores.fused, found.passage.chunk.chunk_id, found.passage.number)
