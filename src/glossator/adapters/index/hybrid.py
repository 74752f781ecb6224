"""Searching by meaning and by words at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from glossator.ingest.codec import StoredStates
from glossator.model import FoundPassage, IndexQuery, Passage, Scores, TokenStates, Vector

WORDS = 0.4
"""What the best match by words is worth, in cosine.

Scores are added, not ranks. Fused by rank, a passage that alone has the rare word of the question counts
no more than one that merely came first, and the whole did worse than its better leg.
"""

PointId = UUID | str | int
"""A passage, as the engine itself names it."""

Payload = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class SearchLegs:
    """What each leg found, with its score."""

    dense: Mapping[PointId, float]
    sparse: Mapping[PointId, float]


@dataclass(frozen=True, slots=True)
class ReadPassage:
    """A passage as it was read from the engine."""

    passage: Passage
    states: StoredStates | None

    def unpacked(self) -> TokenStates | None:
        return None if self.states is None else self.states.unpacked()


class VectorEngine(Protocol):
    """What a hybrid search needs from a vector engine."""

    def legs(self, query: IndexQuery) -> SearchLegs: ...

    def cosines(self, points: Sequence[PointId], vector: Vector) -> Mapping[PointId, float]: ...

    def passages(self, points: Sequence[PointId], *, states: bool) -> Mapping[PointId, ReadPassage]:
        """Where states are not wanted they need not be read."""
        ...


def hybrid_search(engine: VectorEngine, query: IndexQuery) -> list[FoundPassage]:
    legs = engine.legs(query)
    cosines = dict(legs.dense)
    by_words_alone = [point for point in legs.sparse if point not in cosines]
    if by_words_alone:
        cosines |= engine.cosines(by_words_alone, query.vector)
    fused = _fused(cosines, legs.sparse)
    read = engine.passages(_best(fused, query.limit), states=query.states)
    best = sorted(read.items(), key=lambda found: _place(fused[found[0]], found[1].passage))[: query.limit]
    return [
        FoundPassage(
            passage=one.passage,
            scores=Scores(cosines[point], legs.sparse.get(point), fused[point]),
            states=one.unpacked() if query.states else None,
        )
        for point, one in best
    ]


def _fused(cosines: dict[PointId, float], words: Mapping[PointId, float]) -> dict[PointId, float]:
    weight = WORDS / max(words.values(), default=1.0)
    return cosines | {point: cosines[point] + weight * score for point, score in words.items()}


def _best(fused: Mapping[PointId, float], limit: int) -> list[PointId]:
    """So many, and those that tie with the last of them: which of these come first, their places decide."""
    highest = sorted(fused.values(), reverse=True)[:limit]
    return [point for point, score in fused.items() if score >= highest[-1]]


def _place(score: float, passage: Passage) -> tuple[float, str, int]:
    return (-score, passage.chunk.chunk_id, passage.number)
