"""One shard of the embedded engine: how it is made, filled and asked."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, TypeVar
from uuid import UUID

from qdrant_edge import (
    CountRequest,
    Distance,
    EdgeConfig,
    EdgeShard,
    EdgeSparseVectorParams,
    EdgeVectorParams,
    FieldCondition,
    Filter,
    HasIdCondition,
    HnswIndexConfig,
    KeywordIndexParams,
    MatchAny,
    MatchValue,
    Memory,
    Modifier,
    PayloadSchemaType,
    Point,
    Query,
    QueryBatchRequest,
    QueryRequest,
    Record,
    ScoredPoint,
    ScrollRequest,
    SearchParams,
    UpdateOperation,
)

from glossator.adapters.index.bm25 import WordWeights
from glossator.adapters.index.hybrid import Payload, PointId, ReadPassage, SearchLegs
from glossator.adapters.index.payload import (
    DENSE,
    EF_CONSTRUCT,
    KEYWORDS,
    LINKS,
    MARK,
    PASSAGE_NUMBER,
    SEARCH_WIDTH,
    SPARSE,
    STATES,
    passage_of,
    payload_of,
)
from glossator.adapters.index.states import Address, StatesReader
from glossator.model import Chunk, Filters, IndexQuery, Passage, Vector

_PAGE = 256
_REMEMBERED = 2048
"""Passages that need not be read again: of most books all, of a large one the chapters that are asked about.

One takes about 5 kB with its part of the chunk, so they take 10 MB at most.
"""
_IS_FIRST = FieldCondition(PASSAGE_NUMBER, match=MatchValue(0))


@dataclass(frozen=True, slots=True)
class ShardEntry:
    """A passage as it is put into a shard."""

    passage: Passage
    vector: Vector
    states: Address | None


@dataclass(frozen=True, slots=True)
class StoredPoint:
    """A passage that is there already."""

    mark: str
    states_size: int
    """In bytes."""

    @classmethod
    def of(cls, payload: Payload | None) -> StoredPoint:
        address = _address(payload)
        return cls(str((payload or {}).get(MARK)), Address.of(address).size if address else 0)


class Shard:
    def __init__(self, engine: EdgeShard, folder: Path, words: WordWeights) -> None:
        self._engine = engine
        self._states = StatesReader(folder)
        self._read = RecentPassages[PointId, ReadPassage](_REMEMBERED)
        self._chunks = RecentPassages[str, Chunk](_REMEMBERED)
        self._words = words

    @classmethod
    def create(cls, folder: Path, dimension: int, words: WordWeights) -> Shard:
        engine = EdgeShard.create(str(folder), _config(dimension))
        # Left on disk: read into memory they would double the time it takes to open a large book.
        keyword = KeywordIndexParams(memory=Memory.Cold)
        for field in KEYWORDS:
            engine.update(UpdateOperation.create_field_index(field, keyword))
        engine.update(UpdateOperation.create_field_index(PASSAGE_NUMBER, PayloadSchemaType.Integer))
        return cls(engine, folder, words)

    @classmethod
    def load(cls, folder: Path, words: WordWeights) -> Shard:
        return cls(EdgeShard.load(str(folder)), folder, words)

    @property
    def language(self) -> str:
        return self._words.language

    def add(self, batch: Sequence[ShardEntry], created_at: str) -> None:
        points = [self._point(entry, created_at) for entry in batch]
        self._engine.update(UpdateOperation.upsert_points(points))

    def _point(self, entry: ShardEntry, created_at: str) -> Point:
        words = self._words.of_passage(entry.passage.reading)
        states = None if entry.states is None else str(entry.states)
        return Point(
            entry.passage.point_id,
            {DENSE: entry.vector.tolist(), SPARSE: words},
            payload_of(entry.passage, created_at, states),
        )

    def stock(self) -> dict[UUID, StoredPoint]:
        """What is in it."""
        return {_uuid(record.id): StoredPoint.of(record.payload) for record in self._scroll([MARK, STATES])}

    def remove(self, points: Sequence[UUID]) -> None:
        self._engine.update(UpdateOperation.delete_points(list(points)))

    def finish(self) -> None:
        """Build the graph; takes a while for a large book."""
        self._engine.optimize()
        self._engine.flush()

    def close(self) -> None:
        self._engine.close()

    def count(self) -> int:
        return self._engine.count(CountRequest(exact=True))

    def count_chunks(self) -> int:
        return self._engine.count(CountRequest(exact=True, filter=Filter(must=[_IS_FIRST])))

    def legs(self, query: IndexQuery) -> SearchLegs:
        depth = max(query.candidates, query.limit)
        only = _filter(query.filters)
        dense = Query.Nearest(query.vector.tolist(), using=DENSE)
        sparse = Query.Nearest(self._words.of_question(query.text), using=SPARSE)
        near, worded = self._engine.query_batch(
            QueryBatchRequest(
                [
                    QueryRequest(
                        limit=depth, query=dense, filter=only, params=SearchParams(hnsw_ef=SEARCH_WIDTH)
                    ),
                    QueryRequest(limit=depth, query=sparse, filter=only),
                ]
            )
        )
        return SearchLegs(dense=_scores(near), sparse=_scores(worded))

    def cosines(self, points: Sequence[PointId], vector: Vector) -> dict[PointId, float]:
        request = QueryRequest(
            limit=len(points),
            query=Query.Nearest(vector.tolist(), using=DENSE),
            filter=Filter(must=[HasIdCondition(set(points))]),
            params=SearchParams(exact=True),
        )
        return _scores(self._engine.query(request))

    def passages(self, points: Sequence[PointId], *, states: bool) -> dict[PointId, ReadPassage]:
        """With their states always: they are not copied before somebody unpacks them."""
        known = self._read.get(points)
        if len(known) == len(points):
            return known
        unknown = [point for point in points if point not in known]
        new = {record.id: self._passage(record) for record in self._engine.retrieve(unknown, True, False)}
        self._read.put(new)
        return known | new

    def _passage(self, record: Record) -> ReadPassage:
        passage, address = passage_of(record.payload), _address(record.payload)
        return ReadPassage(
            replace(passage, chunk=self._shared(passage.chunk)),
            None if address is None else self._states.read(address),
        )

    def _shared(self, chunk: Chunk) -> Chunk:
        """One for all of its passages, whose largest part it is."""
        known = self._chunks.get([chunk.chunk_id])
        if not known:
            self._chunks.put({chunk.chunk_id: chunk})
        return known.get(chunk.chunk_id, chunk)

    def first_passage(self, chunk_id: str) -> Mapping[str, object] | None:
        """The payload of a chunk's first passage."""
        only = Filter(must=[_IS_FIRST, FieldCondition("chunk_id", match=MatchValue(chunk_id))])
        records, _ = self._engine.scroll(ScrollRequest(limit=1, filter=only, with_payload=True))
        return records[0].payload if records else None

    def first_passages(self) -> Iterator[Payload | None]:
        return (record.payload for record in self._scroll(True, Filter(must=[_IS_FIRST])))

    def _scroll(self, fields: bool | list[str], only: Filter | None = None) -> Iterator[Record]:
        offset = None
        while True:
            request = ScrollRequest(offset=offset, limit=_PAGE, filter=only, with_payload=fields)
            records, offset = self._engine.scroll(request)
            yield from records
            if offset is None:
                return


def _config(dimension: int) -> EdgeConfig:
    return EdgeConfig(
        vectors={DENSE: EdgeVectorParams(size=dimension, distance=Distance.Cosine)},
        sparse_vectors={SPARSE: EdgeSparseVectorParams(modifier=Modifier.Idf)},
        hnsw_config=HnswIndexConfig(m=LINKS, ef_construct=EF_CONSTRUCT, full_scan_threshold=10_000),
        # Kept in the page cache: read cold from the disk, payloads took longer than the search.
        payload_memory=Memory.Cached,
        # What was not published is thrown away, and publishing writes everything down: a log of the
        # operations would only take room, a quarter of all.
        wal_enabled=False,
    )


def _filter(filters: Filters) -> Filter | None:
    named = [FieldCondition(name, match=MatchAny(list(values))) for name, values in filters.items()]
    return Filter(must=list(named)) if named else None


def _scores(found: Sequence[ScoredPoint]) -> dict[PointId, float]:
    return {point.id: point.score for point in found}


def _address(payload: Payload | None) -> str | None:
    address = (payload or {}).get(STATES)
    return None if address is None else str(address)


def _uuid(point: PointId) -> UUID:
    return point if isinstance(point, UUID) else UUID(str(point))


# What was read last, so that it need not be read again.

Key = TypeVar("Key")
Value = TypeVar("Value")


class RecentPassages(Generic[Key, Value]):
    """So many values at most, and any number of threads; what nobody asked for longest makes room."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values = OrderedDict[Key, Value]()
        self._changing = threading.Lock()

    def get(self, keys: Iterable[Key]) -> dict[Key, Value]:
        """Of those that are there."""
        with self._changing:
            found = {key: self._values[key] for key in keys if key in self._values}
            for key in found:
                self._values.move_to_end(key)
            return found

    def put(self, values: Mapping[Key, Value]) -> None:
        with self._changing:
            self._values |= values
            while len(self._values) > self._most:
                self._values.popitem(last=False)
