"""Searching by meaning and by words at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from glossator.adapters.index.payload import passage_of
from glossator.model import FoundPassage, IndexQuery, Scores, Vector

_RANK_OFFSET = 60
"""The constant of reciprocal rank fusion, as its authors set it."""


@dataclass(frozen=True, slots=True)
class Legs:
    """What each leg found, with its score."""

    dense: Mapping[UUID, float]
    sparse: Mapping[UUID, float]


@dataclass(frozen=True, slots=True)
class Row:
    """A stored passage, compared with the question by its vector."""

    point: UUID
    cosine: float
    payload: Mapping[str, object] | None


class Engine(Protocol):
    """The two things a hybrid search needs from a vector engine."""

    def legs(self, query: IndexQuery) -> Legs: ...

    def rows(self, points: Sequence[UUID], vector: Vector) -> Sequence[Row]: ...


def hybrid_search(engine: Engine, query: IndexQuery) -> list[FoundPassage]:
    legs = engine.legs(query)
    fused = fuse(legs, query.limit)
    if not fused:
        return []
    rows = engine.rows(list(fused), query.vector)
    found = [_found(row, legs, fused[row.point]) for row in rows]
    return best_first(found)[: query.limit]


def fuse(legs: Legs, limit: int) -> dict[UUID, float]:
    """The best `limit` points, and those that tie with the last of them.

    The engines fuse too, but break ties by chance: the same question would get another answer.
    """
    fused: dict[UUID, float] = {}
    for leg in (legs.dense, legs.sparse):
        for rank, point in enumerate(_ranked(leg), start=1):
            fused[point] = fused.get(point, 0.0) + 1.0 / (_RANK_OFFSET + rank)
    scores = sorted(fused.values(), reverse=True)[:limit]
    return {point: score for point, score in fused.items() if scores and score >= scores[-1]}


def _ranked(leg: Mapping[UUID, float]) -> list[UUID]:
    return sorted(leg, key=lambda point: (-leg[point], point))


def _found(row: Row, legs: Legs, fused: float) -> FoundPassage:
    scores = Scores(dense=row.cosine, sparse=legs.sparse.get(row.point), fused=fused)
    return FoundPassage(passage_of(row.payload), scores)


def best_first(found: Iterable[FoundPassage]) -> list[FoundPassage]:
    return sorted(found, key=_place)


def _place(found: FoundPassage) -> tuple[float, str, int]:
    return (-found.scores.fused, found.passage.chunk.chunk_id, found.passage.number)
