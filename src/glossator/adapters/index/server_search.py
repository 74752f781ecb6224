"""Searches one generation in a collection of a Qdrant server."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from qdrant_client import QdrantClient
from qdrant_client.models import (
    Condition,
    FieldCondition,
    Filter,
    HasIdCondition,
    MatchAny,
    MatchValue,
    PayloadSelectorExclude,
    QuantizationSearchParams,
    QueryRequest,
    Record,
    ScoredPoint,
    SearchParams,
)

from glossator.adapters.index.bm25 import WordWeights
from glossator.adapters.index.document_frequencies import DocumentFrequencies
from glossator.adapters.index.hybrid import PointId, ReadPassage, SearchLegs
from glossator.adapters.index.payload import (
    DENSE,
    HNSW_EF_SEARCH,
    MARK,
    PASSAGE_NUMBER,
    READING,
    SPARSE,
    STATES,
    Payload,
    passage_of,
    unreadable_passage,
)
from glossator.adapters.index.server import CollectionGone, server_errors
from glossator.model import Filters, IndexQuery, PackedStates, Vector

ADDED_IN = "added_in"
"""The generation that a point came with."""
REMOVED_IN = "removed_in"
"""The generation that no longer has it; missing while it is in the book."""

_PAGE = 256
_MARKS_PAGE = 5000
_OVERSAMPLING = 2.0
"""How many times the wanted number are compared by their full vectors, after the search by 8-bit ones."""


class ServerPoint(NamedTuple):
    """What a build needs to know of a passage that the server has."""

    id: PointId
    mark: str
    reading: str

    @classmethod
    def of(cls, record: Record) -> ServerPoint:
        payload = record.payload or {}
        return cls(record.id, str(payload.get(MARK)), str(payload.get(READING)))


@dataclass(frozen=True, slots=True)
class GenerationView:
    """One generation: the points that its lineage added and did not remove."""

    client: QdrantClient
    collection: str
    lineage: Sequence[int]
    words: WordWeights
    frequencies: DocumentFrequencies

    def count(self) -> int:
        return self._count()

    def count_chunks(self) -> int:
        return self._count(_IS_FIRST_PASSAGE)

    def _count(self, *conditions: Condition) -> int:
        with server_errors():
            return self.client.count(self.collection, self._filter(*conditions), exact=True).count

    def _filter(self, *conditions: Condition) -> Filter:
        return generation_filter(self.lineage, *conditions)

    def legs(self, query: IndexQuery) -> SearchLegs:
        depth = max(query.candidates, query.limit)
        condition = self._filter(*_conditions(query.filters))
        words = self.words.of_question(query.text)
        dense = QueryRequest(
            query=query.vector.tolist(), using=DENSE, filter=condition, params=_DENSE_SEARCH, limit=depth
        )
        sparse = QueryRequest(
            query=self.frequencies.weigh(words.indices, words.values),
            using=SPARSE,
            filter=condition,
            limit=depth,
        )
        with server_errors():
            dense_hits, sparse_hits = self.client.query_batch_points(self.collection, [dense, sparse])
        return SearchLegs(dense=_scores(dense_hits.points), sparse=_scores(sparse_hits.points))

    def cosines(self, points: Sequence[PointId], vector: Vector) -> dict[PointId, float]:
        with server_errors():
            response = self.client.query_points(
                self.collection,
                query=vector.tolist(),
                using=DENSE,
                query_filter=Filter(must=[HasIdCondition(has_id=[str(point) for point in points])]),
                search_params=SearchParams(exact=True),
                limit=len(points),
                with_payload=False,
            )
        found = _scores(response.points)
        _refuse_missing(points, found)
        return found

    def passages(self, points: Sequence[PointId], *, states: bool) -> dict[PointId, ReadPassage]:
        fields = True if states else _WITHOUT_STATES
        with server_errors():
            records = self.client.retrieve(self.collection, [str(point) for point in points], fields)
        found = {record.id: _read(record.payload or {}) for record in records}
        _refuse_missing(points, found)
        return found

    def first_passage(self, chunk_id: str) -> Payload | None:
        """The payload of a chunk's first passage."""
        is_chunk = FieldCondition(key="chunk_id", match=MatchValue(value=chunk_id))
        condition = self._filter(_IS_FIRST_PASSAGE, is_chunk)
        with server_errors():
            records, _ = self.client.scroll(self.collection, condition, limit=1, with_payload=_WITHOUT_STATES)
        return records[0].payload if records else None

    def first_passages(self, pages: Sequence[str]) -> Iterator[Payload | None]:
        """The payloads of the first passages of all chunks of these pages."""
        condition = self._filter(_IS_FIRST_PASSAGE, _is_of_pages(pages))
        return (record.payload for record in self._scroll(_WITHOUT_STATES, _PAGE, condition))

    def stored_points(self, pages: Sequence[str]) -> dict[str, ServerPoint]:
        """The points of these pages, by the mark of their passage."""
        records = self._scroll([MARK, READING], _MARKS_PAGE, self._filter(_is_of_pages(pages)))
        points = [ServerPoint.of(record) for record in records]
        return {point.mark: point for point in points}

    def _scroll(
        self, fields: list[str] | PayloadSelectorExclude, page: int, condition: Filter
    ) -> Iterator[Record]:
        offset = None
        while True:
            with server_errors():
                records, offset = self.client.scroll(
                    self.collection, condition, limit=page, offset=offset, with_payload=fields
                )
            yield from records
            if offset is None:
                return


def generation_filter(lineage: Sequence[int], *conditions: Condition) -> Filter:
    generations = MatchAny(any=list(lineage))
    return Filter(
        must=[FieldCondition(key=ADDED_IN, match=generations), *conditions],
        must_not=[FieldCondition(key=REMOVED_IN, match=generations)],
    )


_IS_FIRST_PASSAGE = FieldCondition(key=PASSAGE_NUMBER, match=MatchValue(value=0))
_WITHOUT_STATES = PayloadSelectorExclude(exclude=[STATES])
_DENSE_SEARCH = SearchParams(
    hnsw_ef=HNSW_EF_SEARCH, quantization=QuantizationSearchParams(rescore=True, oversampling=_OVERSAMPLING)
)


def _is_of_pages(pages: Sequence[str]) -> FieldCondition:
    return FieldCondition(key="page", match=MatchAny(any=list(pages)))


def _conditions(filters: Filters) -> list[Condition]:
    return [FieldCondition(key=name, match=MatchAny(any=list(values))) for name, values in filters.items()]


def _read(payload: Payload) -> ReadPassage:
    return ReadPassage(passage_of(payload), _states(payload.get(STATES)))


def _states(text: object) -> PackedStates | None:
    try:
        return None if text is None else PackedStates(b64decode(str(text), validate=True))
    except ValueError as error:
        raise unreadable_passage() from error


def _scores(points: Sequence[ScoredPoint]) -> dict[PointId, float]:
    return {point.id: point.score for point in points}


def _refuse_missing(points: Sequence[PointId], found: Mapping[PointId, object]) -> None:
    """A search finds points that a newer generation removes before they are read."""
    if len(found) < len(points):
        raise CollectionGone("Passages of the generation were removed from the server meanwhile.")
