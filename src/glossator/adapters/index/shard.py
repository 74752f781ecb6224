"""One shard of the embedded engine: created, filled and searched."""

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
    EdgeOptimizersConfig,
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
from glossator.adapters.index.hybrid import PointId, ReadPassage, SearchLegs
from glossator.adapters.index.payload import (
    DENSE,
    HNSW_EF_CONSTRUCT,
    HNSW_EF_SEARCH,
    HNSW_M,
    KEYWORD_FIELDS,
    MARK,
    PASSAGE_NUMBER,
    SPARSE,
    STATES,
    Payload,
    passage_of,
    payload_of,
)
from glossator.adapters.index.states import Address, StatesReader
from glossator.model import Chunk, Filters, IndexQuery, Passage, Vector

_PAGE = 256
_BYTES_A_NUMBER = 4
_CACHED_PASSAGES = 2048
"""All passages of most books; of a large book, those of the chapters that readers ask about.

A passage takes about 9 kB with its states and its share of the chunk, so the cache takes 18 MB at most.
"""
_IS_FIRST_PASSAGE = FieldCondition(PASSAGE_NUMBER, match=MatchValue(0))


@dataclass(frozen=True, slots=True)
class ShardEntry:
    """A passage to be stored in a shard."""

    passage: Passage
    vector: Vector
    states: Address | None


@dataclass(frozen=True, slots=True)
class StoredPoint:
    """What a shard knows of a passage without reading it."""

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
        self._folder = folder
        self._states = StatesReader(folder)
        self._recent_passages = LruCache[PointId, ReadPassage](_CACHED_PASSAGES)
        self._recent_chunks = LruCache[str, Chunk](_CACHED_PASSAGES)
        self._words = words

    @classmethod
    def create(cls, folder: Path, dimension: int, words: WordWeights, *, segment_passages: int) -> Shard:
        engine = EdgeShard.create(str(folder), _config(dimension, segment_passages))
        # Left on disk: loading them into memory would double the time to open a large book.
        keyword = KeywordIndexParams(memory=Memory.Cold)
        for field in KEYWORD_FIELDS:
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

    def stored_points(self, pages: Sequence[str]) -> dict[UUID, StoredPoint]:
        """The passages of these pages."""
        records = self._scroll([MARK, STATES], _filter(Filters(page=tuple(pages))))
        return {_uuid(record.id): StoredPoint.of(record.payload) for record in records}

    def remove(self, points: Sequence[UUID]) -> None:
        if points:
            self._engine.update(UpdateOperation.delete_points(list(points)))

    def finish(self) -> None:
        """Builds the graph, which takes a while for a large book."""
        self._engine.optimize()
        self._engine.flush()

    def finish_segment(self) -> None:
        """Builds the graph of what was added, and frees the memory that the engine holds for it."""
        self.finish()
        self._engine.close()
        self._engine = EdgeShard.load(str(self._folder))

    def close(self) -> None:
        self._engine.close()

    def count(self) -> int:
        return self._engine.count(CountRequest(exact=True))

    def count_chunks(self) -> int:
        return self._engine.count(CountRequest(exact=True, filter=Filter(must=[_IS_FIRST_PASSAGE])))

    def legs(self, query: IndexQuery) -> SearchLegs:
        depth = max(query.candidates, query.limit)
        condition = _filter(query.filters)
        dense = Query.Nearest(query.vector.tolist(), using=DENSE)
        sparse = Query.Nearest(self._words.of_question(query.text), using=SPARSE)
        dense_hits, sparse_hits = self._engine.query_batch(
            QueryBatchRequest(
                [
                    QueryRequest(
                        limit=depth,
                        query=dense,
                        filter=condition,
                        params=SearchParams(hnsw_ef=HNSW_EF_SEARCH),
                    ),
                    QueryRequest(limit=depth, query=sparse, filter=condition),
                ]
            )
        )
        return SearchLegs(dense=_scores(dense_hits), sparse=_scores(sparse_hits))

    def cosines(self, points: Sequence[PointId], vector: Vector) -> dict[PointId, float]:
        request = QueryRequest(
            limit=len(points),
            query=Query.Nearest(vector.tolist(), using=DENSE),
            filter=Filter(must=[HasIdCondition(set(points))]),
            params=SearchParams(exact=True),
        )
        return _scores(self._engine.query(request))

    def passages(self, points: Sequence[PointId], *, states: bool) -> dict[PointId, ReadPassage]:
        """Always with states, which are packed small."""
        cached = self._recent_passages.get(points)
        if len(cached) == len(points):
            return cached
        missing = [point for point in points if point not in cached]
        new = {record.id: self._passage(record) for record in self._engine.retrieve(missing, True, False)}
        self._recent_passages.put(new)
        return cached | new

    def _passage(self, record: Record) -> ReadPassage:
        passage, address = passage_of(record.payload), _address(record.payload)
        return ReadPassage(
            replace(passage, chunk=self._shared_chunk(passage.chunk)),
            None if address is None else self._states.read(address),
        )

    def _shared_chunk(self, chunk: Chunk) -> Chunk:
        """One object for all passages of a chunk, because the chunk is most of a passage's size."""
        cached = self._recent_chunks.get([chunk.chunk_id])
        if not cached:
            self._recent_chunks.put({chunk.chunk_id: chunk})
        return cached.get(chunk.chunk_id, chunk)

    def first_passage(self, chunk_id: str) -> Mapping[str, object] | None:
        """The payload of a chunk's first passage."""
        condition = Filter(must=[_IS_FIRST_PASSAGE, FieldCondition("chunk_id", match=MatchValue(chunk_id))])
        records, _ = self._engine.scroll(ScrollRequest(limit=1, filter=condition, with_payload=True))
        return records[0].payload if records else None

    def first_passages(self, pages: Sequence[str]) -> Iterator[Payload | None]:
        """The payloads of the first passages of all chunks of these pages."""
        is_of_pages = FieldCondition("page", match=MatchAny(list(pages)))
        return (
            record.payload for record in self._scroll(True, Filter(must=[_IS_FIRST_PASSAGE, is_of_pages]))
        )

    def _scroll(self, fields: bool | list[str], condition: Filter | None = None) -> Iterator[Record]:
        offset = None
        while True:
            request = ScrollRequest(offset=offset, limit=_PAGE, filter=condition, with_payload=fields)
            records, offset = self._engine.scroll(request)
            yield from records
            if offset is None:
                return


def _config(dimension: int, segment_passages: int) -> EdgeConfig:
    return EdgeConfig(
        vectors={DENSE: EdgeVectorParams(size=dimension, distance=Distance.Cosine, memory=Memory.Cold)},
        sparse_vectors={SPARSE: EdgeSparseVectorParams(modifier=Modifier.Idf, memory=Memory.Cold)},
        hnsw_config=HnswIndexConfig(
            m=HNSW_M,
            ef_construct=HNSW_EF_CONSTRUCT,
            full_scan_threshold=10_000,
            memory=Memory.Cold,
        ),
        optimizers=EdgeOptimizersConfig(
            # As few segments as may be, because each costs time in a search.
            default_segment_number=1,
            max_segment_size=max(segment_passages * dimension * _BYTES_A_NUMBER // 1024, 1),
        ),
        # Cold: mapped files of which only what is read takes memory. Otherwise the engine touches its files
        # whole, 32 MB each even for a small book; `check_inventory` has brought the data into the page cache.
        payload_memory=Memory.Cold,
        # Publishing flushes everything, and an unpublished shard is thrown away, so a write-ahead log
        # would only take space: a quarter of the total.
        wal_enabled=False,
    )


def _filter(filters: Filters) -> Filter | None:
    conditions = [FieldCondition(name, match=MatchAny(list(values))) for name, values in filters.items()]
    return Filter(must=list(conditions)) if conditions else None


def _scores(points: Sequence[ScoredPoint]) -> dict[PointId, float]:
    return {point.id: point.score for point in points}


def _address(payload: Payload | None) -> str | None:
    address = (payload or {}).get(STATES)
    return None if address is None else str(address)


def _uuid(point: PointId) -> UUID:
    return point if isinstance(point, UUID) else UUID(str(point))


Key = TypeVar("Key")
Value = TypeVar("Value")


class LruCache(Generic[Key, Value]):
    """Keeps at most `capacity` values and drops the least recently used first; threads may share it."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._values = OrderedDict[Key, Value]()
        self._lock = threading.Lock()

    def get(self, keys: Iterable[Key]) -> dict[Key, Value]:
        """Leaves out the keys that are not cached."""
        with self._lock:
            values = {key: self._values[key] for key in keys if key in self._values}
            for key in values:
                self._values.move_to_end(key)
            return values

    def put(self, values: Mapping[Key, Value]) -> None:
        with self._lock:
            self._values |= values
            while len(self._values) > self._capacity:
                self._values.popitem(last=False)
