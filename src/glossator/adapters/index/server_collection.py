"""One collection of a Qdrant server: how it is made, filled and asked."""

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
    EF_CONSTRUCT,
    KEYWORDS,
    LINKS,
    NUMBERS,
    PASSAGE_NUMBER,
    SEARCH_WIDTH,
    SPARSE,
    STATES,
    passage_of,
    payload_of,
    unreadable,
)
from glossator.adapters.index.server import CollectionGone, server_errors, states_of
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
                hnsw_config=HnswConfigDiff(m=LINKS, ef_construct=EF_CONSTRUCT),
            )
            for field in KEYWORDS:
                self.client.create_payload_index(self.name, field, PayloadSchemaType.KEYWORD)
            for field in NUMBERS:
                self.client.create_payload_index(self.name, field, PayloadSchemaType.INTEGER)
            self.client.create_payload_index(self.name, "text", _WORDS)
            self.client.create_collection(states_of(self.name), vectors_config={}, on_disk_payload=True)

    def add(self, passages: Sequence[Passage], embeddings: Sequence[Embedding], created_at: str) -> None:
        both = list(zip(passages, embeddings, strict=True))
        points = [self._point(passage, embedding, created_at) for passage, embedding in both]
        states = [_states_point(passage, made.states) for passage, made in both if made.states is not None]
        with server_errors():
            self.client.upsert(self.name, points, wait=True)
            if states:
                self.client.upsert(states_of(self.name), states, wait=True)

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

    def is_settled(self) -> bool:
        """Whether every graph is built."""
        with server_errors():
            return self.client.get_collection(self.name).status == CollectionStatus.GREEN

    def count(self) -> int:
        with server_errors():
            return self.client.count(self.name, exact=True).count

    def count_chunks(self) -> int:
        with server_errors():
            return self.client.count(self.name, Filter(must=[_IS_FIRST]), exact=True).count

    def legs(self, query: IndexQuery) -> SearchLegs:
        depth = max(query.candidates, query.limit)
        only = _filter(query.filters)
        words = self.words.of_question(query.text)
        dense = QueryRequest(
            query=query.vector.tolist(),
            using=DENSE,
            filter=only,
            params=SearchParams(hnsw_ef=SEARCH_WIDTH),
            limit=depth,
        )
        sparse = QueryRequest(
            query=SparseVector(indices=words.indices, values=words.values),
            using=SPARSE,
            filter=only,
            limit=depth,
        )
        with server_errors():
            near, worded = self.client.query_batch_points(self.name, [dense, sparse])
        return SearchLegs(dense=_scores(near.points), sparse=_scores(worded.points))

    def cosines(self, points: Sequence[PointId], vector: Vector) -> dict[PointId, float]:
        with server_errors():
            found = self.client.query_points(
                self.name,
                query=vector.tolist(),
                using=DENSE,
                query_filter=Filter(must=[HasIdCondition(has_id=[str(point) for point in points])]),
                search_params=SearchParams(exact=True),
                limit=len(points),
                with_payload=False,
            )
        return _scores(found.points)

    def passages(self, points: Sequence[PointId], *, states: bool) -> dict[PointId, ReadPassage]:
        ids = [str(point) for point in points]
        # A generation of an earlier version has the states in its own payload.
        fields = True if states else _WITHOUT_STATES
        with server_errors():
            found = {one.id: one.payload or {} for one in self.client.retrieve(self.name, ids, fields)}
        missing = [point for point, payload in found.items() if states and STATES not in payload]
        stated = self._states(missing) if missing else {}
        return {point: _read({**payload, **stated.get(point, {})}) for point, payload in found.items()}

    def _states(self, points: Sequence[PointId]) -> dict[PointId, Payload]:
        try:
            with server_errors():
                records = self.client.retrieve(states_of(self.name), [str(point) for point in points])
        except CollectionGone:
            # Of an earlier version, by an embedder without states.
            return {}
        return {record.id: record.payload or {} for record in records}

    def first_passage(self, chunk_id: str) -> Mapping[str, object] | None:
        """The payload of a chunk's first passage."""
        its_own = FieldCondition(key="chunk_id", match=MatchValue(value=chunk_id))
        with server_errors():
            records, _ = self.client.scroll(
                self.name, Filter(must=[_IS_FIRST, its_own]), limit=1, with_payload=_WITHOUT_STATES
            )
        return records[0].payload if records else None

    def first_passages(self) -> Iterator[Mapping[str, object] | None]:
        offset = None
        while True:
            with server_errors():
                records, offset = self.client.scroll(
                    self.name,
                    Filter(must=[_IS_FIRST]),
                    limit=_PAGE,
                    offset=offset,
                    with_payload=_WITHOUT_STATES,
                )
            yield from (record.payload for record in records)
            if offset is None:
                return


_WORDS = TextIndexParams(type=TextIndexType.TEXT, tokenizer=TokenizerType.WORD, lowercase=True)
_IS_FIRST = FieldCondition(key=PASSAGE_NUMBER, match=MatchValue(value=0))
_WITHOUT_STATES = PayloadSelectorExclude(exclude=[STATES])


def _filter(filters: Filters) -> Filter | None:
    named = [FieldCondition(key=name, match=MatchAny(any=list(values))) for name, values in filters.items()]
    return Filter(must=list(named)) if named else None


def _states_point(passage: Passage, states: TokenStates) -> PointStruct:
    written = b64encode(states_to_bytes(states)).decode()
    return PointStruct(id=str(passage.point_id), vector={}, payload={STATES: written})


def _read(payload: Payload) -> ReadPassage:
    return ReadPassage(passage_of(payload), _from_text(payload.get(STATES)))


def _from_text(written: object) -> StoredStates | None:
    try:
        return None if written is None else StoredStates.of(states_from_bytes(b64decode(str(written))))
    except ValueError as error:
        raise unreadable() from error


def _scores(found: Sequence[ScoredPoint]) -> dict[PointId, float]:
    return {point.id: point.score for point in found}
