"""The chunks that bear on a question, best first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from glossator.model import Calibration, Filters, FoundPassage, Hit, IndexQuery
from glossator.ports import Embedder, Index

_PASSAGES_A_CHUNK = 4
"""A chunk has about four passages, and the best chunks are often found by several."""


def retrieve(
    text: str, embedder: Embedder, index: Index, *, top_k: int = 5, filters: Filters | None = None
) -> list[Hit]:
    """At most `top_k` chunks, each by its best passage, no text twice."""
    # Before anything is embedded: an index of another model, or none, is found out at once.
    calibration = index.manifest().calibration
    query = IndexQuery(
        text=text,
        vector=embedder.embed_query(text).vector,
        limit=top_k * _PASSAGES_A_CHUNK,
        candidates=max(32, top_k * _PASSAGES_A_CHUNK),
        filters=filters or Filters(),
    )
    found = index.search(query)
    return [_hit(passage, calibration) for passage in _best_of_each_chunk(found)][:top_k]


def _best_of_each_chunk(found: Sequence[FoundPassage]) -> Iterable[FoundPassage]:
    """Found passages come best first, so the first of a chunk, or of its text, is its best."""
    best = dict[str, FoundPassage]()
    for passage in found:
        best.setdefault(passage.passage.chunk.content_hash, passage)
    return best.values()


def _hit(found: FoundPassage, calibration: Calibration) -> Hit:
    dense = found.scores.dense
    similarity = calibration.similarity(dense) if dense is not None else 0.0
    return Hit(found.passage.chunk, found.passage, found.scores, round(similarity, 4))
