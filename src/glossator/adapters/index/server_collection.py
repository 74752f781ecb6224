"""One collection of a Qdrant server: created, filled and searched."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from qdrant_client import QdrantClient
from qdrant_client.models import (
    CollectionStatus,
    Distance,
    FieldCondition,
    Filter,
    HasIdCondition,
    HnswConfigDiff,
    MatchAny,
    MatchValue,
    Modifier,
    PayloadSchemaType,
    PayloadSelectorExclude,
    PointStruct,
    QueryRequest,
    ScoredPoint,
    SearchParams,
    SparseVector,
    SparseVectorParams,
    TextIndexParams,
    TextIndexType,
    TokenizerType,
    VectorParams,
)

from glossator.adapters.index.bm25 import WordWeights
from glossator.adapters.index.hybrid import Payload, PointId, ReadPassage, SearchLegs
from glossator.adapters.index.payload import (
    DENSE,
    HNSW_EF_CONSTRUCT,
    HNSW_EF_SEARCH,
    HNSW_M,
    INTEGER_FIELDS,
    KEYWORD_FIELDS,
    PASSAGE_NUMBER,
    SPARSE,
    STATES,
    passage_of,
    payload_of,
    unreadable_passage,
)
from glossator.adapters.index.server import CollectionGone, server_errors, states_collection
from glossator.ingest.codec import StoredStates, states_from_bytes, states_to_bytes
from glossator.model import Embedding, Filters, IndexQuery, Passage, TokenStates, Vector

_PAGE = 256


@dataclass(frozen=True, slots=True)
class Collection:
    client: QdrantClient
    name: str
    words: WordWeights

    def create(self, dimension: int) -> None:
        with server_errors():
            self.client.create_collection(
                self.name,
                vectors_config={DENSE: VectorParams(size=dimension, distance=Distance.COSINE)},
                sparse_vectors_config={SPARSE: SparseVectorParams(modifier=Modifier.IDF)},
                hnsw_config=HnswConfigDiff(m=HNSW_M, ef_construct=HNSW_EF_CONSTRUCT),
            )
            for field in KEYWORD_FIELDS:
                self.client.create_payload_index(self.name, field, PayloadSchemaType.KEYWORD)
            for field in INTEGER_FIELDS:
                self.client.create_payload_index(self.name, field, PayloadSchemaType.INTEGER)
            self.client.create_payload_index(self.name, "text", _TEXT_INDEX)
            self.client.create_collection(
                states_collection(self.name), vectors_config={}, on_disk_payload=True
            )

    def add(self, passages: Sequence[Passage], embeddings: Sequence[Embedding], created_at: str) -> None:
        pairs = list(zip(passages, embeddings, strict=True))
        points = [self._point(passage, embedding, created_at) for passage, embedding in pairs]
        states = [
            _states_point(passage, embedding.states)
            for passage, embedding in pairs
            if embedding.states is not None
        ]
        with server_errors():
            self.client.upsert(self.name, points, wait=True)
            if states:
                self.client.upsert(states_collection(self.name), states, wait=True)

    def _point(self, passage: Passage, embedding: Embedding, created_at: str) -> PointStruct:
        words = self.words.of_passage(passage.reading)
        return PointStruct(
            id=str(passage.point_id),
            vector={
                DENSE: embedding.vector.tolist(),
                SPARSE: SparseVector(indices=words.indices, values=words.values),
            },
            payload=payload_of(passage, created_at),
        )

    def is_indexed(self) -> bool:
        """Whether the server has built every graph."""
        with server_errors():
            return self.client.get_collection(self.name).status == CollectionStatus.GREEN

    def count(self) -> int:
        with server_errors():
            return self.client.count(self.name, exact=True).count

    def count_chunks(self) -> int:
        with server_errors():
            return self.client.count(self.name, Filter(must=[_IS_FIRST_PASSAGE]), exact=True).count

    def legs(self, query: IndexQuery) -> SearchLegs:
        depth = max(query.candidates, query.limit)
        condition = _filter(query.filters)
        words = self.words.of_question(query.text)
        dense = QueryRequest(
            query=query.vector.tolist(),
            using=DENSE,
            filter=condition,
            params=SearchParams(hnsw_ef=HNSW_EF_SEARCH),
            limit=depth,
        )
        sparse = QueryRequest(
            query=SparseVector(indices=words.indices, values=words.values),
            using=SPARSE,
            filter=condition,
            limit=depth,
        )
        with server_errors():
            dense_hits, sparse_hits = self.client.query_batch_points(self.name, [dense, sparse])
        return SearchLegs(dense=_scores(dense_hits.points), sparse=_scores(sparse_hits.points))

    def cosines(self, points: Sequence[PointId], vector: Vector) -> dict[PointId, float]:
        with server_errors():
            response = self.client.query_points(
                self.name,
                query=vector.tolist(),
                using=DENSE,
                query_filter=Filter(must=[HasIdCondition(has_id=[str(point) for point in points])]),
                search_params=SearchParams(exact=True),
                limit=len(points),
                with_payload=False,
            )
        return _scores(response.points)

    def passages(self, points: Sequence[PointId], *, states: bool) -> dict[PointId, ReadPassage]:
        ids = [str(point) for point in points]
        # In generations of an earlier version the payload itself holds the states.
        fields = True if states else _WITHOUT_STATES
        with server_errors():
            records = self.client.retrieve(self.name, ids, fields)
        payloads = {record.id: record.payload or {} for record in records}
        without_states = [point for point, payload in payloads.items() if states and STATES not in payload]
        with_states = self._states(without_states) if without_states else {}
        return {
            point: _read({**payload, **with_states.get(point, {})}) for point, payload in payloads.items()
        }

    def _states(self, points: Sequence[PointId]) -> dict[PointId, Payload]:
        try:
            with server_errors():
                records = self.client.retrieve(states_collection(self.name), [str(point) for point in points])
        except CollectionGone:
            # An earlier version built the generation, with an embedder that has no states.
            return {}
        return {record.id: record.payload or {} for record in records}

    def first_passage(self, chunk_id: str) -> Mapping[str, object] | None:
        """The payload of a chunk's first passage."""
        is_chunk = FieldCondition(key="chunk_id", match=MatchValue(value=chunk_id))
        with server_errors():
            records, _ = self.client.scroll(
                self.name, Filter(must=[_IS_FIRST_PASSAGE, is_chunk]), limit=1, with_payload=_WITHOUT_STATES
            )
        return records[0].payload if records else None

    def first_passages(self) -> Iterator[Mapping[str, object] | None]:
        offset = None
        while True:
            with server_errors():
                records, offset = self.client.scroll(
                    self.name,
                    Filter(must=[_IS_FIRST_PASSAGE]),
                    limit=_PAGE,
                    offset=offset,
                    with_payload=_WITHOUT_STATES,
                )
            yield from (record.payload for record in records)
            if offset is None:
                return


_TEXT_INDEX = TextIndexParams(type=TextIndexType.TEXT, tokenizer=TokenizerType.WORD, lowercase=True)
_IS_FIRST_PASSAGE = FieldCondition(key=PASSAGE_NUMBER, match=MatchValue(value=0))
_WITHOUT_STATES = PayloadSelectorExclude(exclude=[STATES])


def _filter(filters: Filters) -> Filter | None:
    conditions = [
        FieldCondition(key=name, match=MatchAny(any=list(values))) for name, values in filters.items()
    ]
    return Filter(must=list(conditions)) if conditions else None


def _states_point(passage: Passage, states: TokenStates) -> PointStruct:
    encoded = b64encode(states_to_bytes(states)).decode()
    return PointStruct(id=str(passage.point_id), vector={}, payload={STATES: encoded})


def _read(payload: Payload) -> ReadPassage:
    return ReadPassage(passage_of(payload), _decode_states(payload.get(STATES)))


def _decode_states(encoded: object) -> StoredStates | None:
    try:
        return None if encoded is None else StoredStates.of(states_from_bytes(b64decode(str(encoded))))
    except ValueError as error:
        raise unreadable_passage() from error


def _scores(points: Sequence[ScoredPoint]) -> dict[PointId, float]:
    return {point.id: point.score for point in points}
