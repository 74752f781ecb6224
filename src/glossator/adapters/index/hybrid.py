"""Searching by meaning and by words at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from glossator.adapters.index.payload import passage_of
from glossator.model import FoundPassage, IndexQuery, Scores, Vector

WORDS = 0.4
"""What the best match by words is worth, in cosine.

Scores are added, not ranks. Fused by rank, a passage that alone has the rare word of the question counts
no more than one that merely came first, and the whole did worse than its better leg.
"""

Payload = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Legs:
    """What each leg found, with its score."""

    dense: Mapping[UUID, float]
    sparse: Mapping[UUID, float]


class Engine(Protocol):
    """What a hybrid search needs from a vector engine."""

    def legs(self, query: IndexQuery) -> Legs: ...

    def cosines(self, points: Sequence[UUID], vector: Vector) -> Mapping[UUID, float]: ...

    def payloads(self, points: Sequence[UUID]) -> Mapping[UUID, Payload | None]: ...


def hybrid_search(engine: Engine, query: IndexQuery) -> list[FoundPassage]:
    legs = engine.legs(query)
    cosines = dict(legs.dense)
    by_words_alone = [point for point in legs.sparse if point not in cosines]
    if by_words_alone:
        cosines |= engine.cosines(by_words_alone, query.vector)
    scores = _fused(cosines, legs.sparse)
    payloads = engine.payloads(_best(scores, query.limit))
    found = [FoundPassage(passage_of(payload), scores[point]) for point, payload in payloads.items()]
    return sorted(found, key=_place)[: query.limit]


def _fused(cosines: Mapping[UUID, float], words: Mapping[UUID, float]) -> dict[UUID, Scores]:
    weight = WORDS / max(words.values(), default=1.0)
    return {
        point: Scores(cosine, words.get(point), cosine + weight * words.get(point, 0.0))
        for point, cosine in cosines.items()
    }


def _best(scores: Mapping[UUID, Scores], limit: int) -> list[UUID]:
    """So many, and those that tie with the last of them: which of these come first, their places decide."""
    highest = sorted((score.fused for score in scores.values()), reverse=True)[:limit]
    return [point for point, score in scores.items() if score.fused >= highest[-1]]


def _place(found: FoundPassage) -> tuple[float, str, int]:
    return (-found.scores.fused, found.passage.chunk.chunk_id, found.passage.number)
