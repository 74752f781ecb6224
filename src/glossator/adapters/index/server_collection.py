"""A collection of a Qdrant server: created, and changed from one generation to the next.

Points are never overwritten. A changed passage is a new point, and the old one is marked with the generation
that no longer has it. So the generation that serves stays as it is while the next one is written.
"""

from __future__ import annotations

import uuid
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass

from qdrant_client import QdrantClient
from qdrant_client.models import (
    CollectionStatus,
    Datatype,
    Distance,
    FieldCondition,
    Filter,
    HasIdCondition,
    HnswConfigDiff,
    IntegerIndexParams,
    IntegerIndexType,
    IsEmptyCondition,
    MatchAny,
    MatchValue,
    PayloadField,
    PayloadSchemaType,
    PointStruct,
    ScalarQuantization,
    ScalarQuantizationConfig,
    ScalarType,
    SparseVector,
    SparseVectorParams,
    TextIndexParams,
    TextIndexType,
    TokenizerType,
    VectorParams,
    WalConfigDiff,
)

from glossator.adapters.index.hybrid import PointId
from glossator.adapters.index.payload import (
    DENSE,
    HNSW_EF_CONSTRUCT,
    HNSW_M,
    INTEGER_FIELDS,
    KEYWORD_FIELDS,
    SPARSE,
    payload_of,
)
from glossator.adapters.index.server import Distribution, server_errors
from glossator.adapters.index.server_search import ADDED_IN, REMOVED_IN
from glossator.model import Passage, PassageEmbedding

_IDS_PER_REQUEST = 1000


@dataclass(frozen=True, slots=True)
class NewPoint:
    """A passage that the collection does not have yet."""

    passage: Passage
    embedding: PassageEmbedding
    words: SparseVector


@dataclass(frozen=True, slots=True)
class Collection:
    client: QdrantClient
    name: str

    def create(self, dimension: int, distribution: Distribution) -> None:
        with server_errors():
            self.client.create_collection(
                self.name,
                vectors_config={DENSE: _dense(dimension)},
                sparse_vectors_config={SPARSE: SparseVectorParams()},
                hnsw_config=HnswConfigDiff(m=HNSW_M, ef_construct=HNSW_EF_CONSTRUCT),
                on_disk_payload=True,
                shard_number=distribution.shards,
                replication_factor=distribution.replicas,
                wal_config=WalConfigDiff(wal_capacity_mb=_WAL_MEGABYTES),
            )
            for field in KEYWORD_FIELDS:
                self.client.create_payload_index(self.name, field, PayloadSchemaType.KEYWORD)
            for field in (*INTEGER_FIELDS, ADDED_IN, REMOVED_IN):
                self.client.create_payload_index(self.name, field, _INTEGER_INDEX)
            self.client.create_payload_index(self.name, "text", _TEXT_INDEX)

    def add(self, points: Sequence[NewPoint], number: int, created_at: str) -> None:
        new = [_point(point, number, created_at) for point in points]
        with server_errors():
            self.client.upsert(self.name, new, wait=True)

    def remove(self, points: Sequence[PointId], number: int) -> None:
        """Marks the points as removed in generation `number`; earlier generations still have them."""
        for start in range(0, len(points), _IDS_PER_REQUEST):
            chosen = HasIdCondition(has_id=[str(point) for point in points[start : start + _IDS_PER_REQUEST]])
            with server_errors():
                self.client.set_payload(
                    self.name, {REMOVED_IN: number}, Filter(must=[chosen, _IS_NOT_REMOVED])
                )

    def discard(self, number: int) -> None:
        """Undoes the changes of that generation."""
        self._discard(MatchValue(value=number))

    def discard_others(self, lineage: Sequence[int], last: int) -> None:
        """Undoes the changes of all generations up to `last` that are not in the lineage."""
        others = sorted({*range(1, last + 1)} - {*lineage})
        if others:
            self._discard(MatchAny(any=others))

    def _discard(self, generations: MatchValue | MatchAny) -> None:
        with server_errors():
            self.client.delete(self.name, Filter(must=[FieldCondition(key=ADDED_IN, match=generations)]))
            is_marked = FieldCondition(key=REMOVED_IN, match=generations)
            self.client.delete_payload(self.name, [REMOVED_IN], Filter(must=[is_marked]))

    def purge(self, lineage: Sequence[int]) -> None:
        """Deletes the points that the last generation of the lineage no longer has."""
        is_removed = FieldCondition(key=REMOVED_IN, match=MatchAny(any=list(lineage)))
        with server_errors():
            self.client.delete(self.name, Filter(must=[is_removed]))

    def is_indexed(self) -> bool:
        """Whether the server has built every graph."""
        with server_errors():
            return self.client.get_collection(self.name).status == CollectionStatus.GREEN


_WAL_MEGABYTES = 2
"""The log keeps at least its last segment, 32 MB by default: more than a small book."""

_TEXT_INDEX = TextIndexParams(type=TextIndexType.TEXT, tokenizer=TokenizerType.WORD, lowercase=True)
_INTEGER_INDEX = IntegerIndexParams(type=IntegerIndexType.INTEGER, lookup=True, range=False)
_IS_NOT_REMOVED = IsEmptyCondition(is_empty=PayloadField(key=REMOVED_IN))
_EIGHT_BITS = ScalarQuantization(scalar=ScalarQuantizationConfig(type=ScalarType.INT8, always_ram=True))


def _dense(dimension: int) -> VectorParams:
    """Searched by 8-bit vectors in memory; the best are compared again by 16-bit vectors on disk."""
    return VectorParams(
        size=dimension,
        distance=Distance.COSINE,
        datatype=Datatype.FLOAT16,
        on_disk=True,
        quantization_config=_EIGHT_BITS,
    )


def _point(point: NewPoint, number: int, created_at: str) -> PointStruct:
    states = point.embedding.states
    encoded = None if states is None else b64encode(states.content).decode()
    return PointStruct(
        # Each generation has ids of its own: an abandoned build cannot overwrite a point of another.
        id=str(uuid.uuid5(point.passage.point_id, str(number))),
        vector={DENSE: point.embedding.vector.tolist(), SPARSE: point.words},
        payload={**payload_of(point.passage, created_at, encoded), ADDED_IN: number},
    )
