"""Hybrid search: dense vectors and BM25, with their scores added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from glossator.adapters.index.payload import unreadable_passage
from glossator.model import FoundPassage, IndexQuery, PackedStates, Passage, Scores, TokenStates, Vector

SPARSE_WEIGHT = 0.4
"""The score of the best sparse match, in units of cosine.

Scores are fused, not ranks. Fused by rank, the only passage with the question's rare word counts no more than
any other first place, and the fusion did worse than its better leg.
"""

PointId = UUID | str | int
"""A passage's id in the engine."""


@dataclass(frozen=True, slots=True)
class SearchLegs:
    """The scores of the passages that each leg found."""

    dense: Mapping[PointId, float]
    sparse: Mapping[PointId, float]


@dataclass(frozen=True, slots=True)
class ReadPassage:
    """A passage as read from the engine, its states still packed."""

    passage: Passage
    states: PackedStates | None

    def unpacked(self) -> TokenStates | None:
        """Raises IndexFault for what is no states."""
        try:
            return None if self.states is None else self.states.unpacked()
        except ValueError as error:
            raise unreadable_passage() from error


class VectorEngine(Protocol):
    """What a hybrid search needs from a vector engine."""

    def legs(self, query: IndexQuery) -> SearchLegs: ...

    def cosines(self, points: Sequence[PointId], vector: Vector) -> Mapping[PointId, float]: ...

    def passages(self, points: Sequence[PointId], *, states: bool) -> Mapping[PointId, ReadPassage]:
        """The engine may leave the token states unread unless `states` is set."""
        ...


def hybrid_search(engine: VectorEngine, query: IndexQuery) -> list[FoundPassage]:
    legs = engine.legs(query)
    cosines = dict(legs.dense)
    sparse_only = [point for point in legs.sparse if point not in cosines]
    if sparse_only:
        cosines |= engine.cosines(sparse_only, query.vector)
    fused = _fuse(cosines, legs.sparse)
    candidates = engine.passages(_best(fused, query.limit), states=query.states)
    ranked = sorted(candidates.items(), key=lambda item: _sort_key(fused[item[0]], item[1].passage))
    return [
        FoundPassage(
            passage=read.passage,
            scores=Scores(cosines[point], legs.sparse.get(point), fused[point]),
            states=read.unpacked() if query.states else None,
        )
        for point, read in ranked[: query.limit]
    ]


def _fuse(cosines: dict[PointId, float], sparse: Mapping[PointId, float]) -> dict[PointId, float]:
    weight = SPARSE_WEIGHT / max(sparse.values(), default=1.0)
    return cosines | {point: cosines[point] + weight * score for point, score in sparse.items()}


def _best(fused: Mapping[PointId, float], limit: int) -> list[PointId]:
    """The best `limit` and all that tie with the last of them; the sort then decides between those."""
    highest = sorted(fused.values(), reverse=True)[:limit]
    return [point for point, score in fused.items() if score >= highest[-1]]


def _sort_key(score: float, passage: Passage) -> tuple[float, str, int]:
    return (-score, passage.chunk.chunk_id, passage.number)
