"""The catalog of a book on a Qdrant server: which generation is current, and who may build the next one.

It is a collection of its own. Point 0 holds the state, point n the record of generation n. Every change of
the state is a compare-and-set: `set_payload` with a filter, which the server evaluates when it applies the
change. So a builder whose lease ran out cannot publish, however late its request arrives. In a cluster one
replica puts these changes in order, so that all replicas decide alike.
"""

from __future__ import annotations

import secrets
import zlib
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from time import monotonic, sleep
from typing import Literal

from pydantic import BaseModel, ValidationError
from qdrant_client.models import (
    Condition,
    FieldCondition,
    Filter,
    HasIdCondition,
    MatchValue,
    PointStruct,
    Range,
    WalConfigDiff,
    WriteOrdering,
)

from glossator.adapters.index.faults import REBUILD
from glossator.adapters.index.generations import StoredManifest
from glossator.adapters.index.server import CollectionGone, Server, server_errors
from glossator.errors import IndexFault, IndexUnavailable
from glossator.resilience.backoff import backoff

NOBODY = ""
_STATE = 0
_RECORD = "record"
_FAILOVER_SECONDS = 10.0
_FIRST_WAIT = 0.1
_NEVER = Filter(must=[FieldCondition(key="last", range=Range(lt=0))])


class CatalogState(BaseModel, frozen=True):
    book: str = ""
    """A random name: a book that was removed and ingested again has another one, and counts from 1 again."""
    current: int = 0
    """The number of the serving generation; 0 without a book."""
    before: int = 0
    """The generation that a rollback makes current; 0 where there is none."""
    last: int = 0
    """The highest number that was given to a build."""
    holder: str = NOBODY
    """The token of the builder that has the lease."""
    holder_name: str = ""
    lease_until: float = 0.0
    """Seconds since 1970."""

    def holds(self, number: int) -> bool:
        """Whether the points of that generation are all still there."""
        return number in (self.current, self.before)


class GenerationRecord(BaseModel, frozen=True):
    """A generation as the catalog keeps it."""

    format: Literal[1] = 1
    """Raised whenever passages are stored differently, so that the next ingest builds everything again."""
    collection: str
    lineage: tuple[int, ...]
    """The generations whose changes make up this one, oldest first; the last is its own number."""
    frequencies: str
    """In how many of its passages each term occurs, see document_frequencies.py."""
    stored: StoredManifest

    @property
    def number(self) -> int:
        return self.lineage[-1]


@dataclass(frozen=True, slots=True)
class Catalog:
    server: Server

    def state(self) -> CatalogState | None:
        """None before the first build."""
        payload = self._payload(_STATE)
        return None if payload is None else CatalogState.model_validate(payload)

    def record(self, number: int) -> GenerationRecord | None:
        """Raises IndexFault where this version cannot read it."""
        payload = self._payload(number) if number else None
        if payload is None:
            return None
        try:
            return GenerationRecord.model_validate_json(_unpacked(str(payload.get(_RECORD))))
        except (ValidationError, ValueError, zlib.error) as error:
            raise IndexFault(
                f"The record of generation {number} of {self.server.name} cannot be read: {REBUILD}."
            ) from error

    def _payload(self, point: int) -> dict[str, object] | None:
        try:
            with server_errors():
                records = self.server.client.retrieve(self.server.catalog, [point])
        except CollectionGone:
            return None
        return records[0].payload or {} if records else None

    def begin(self) -> None:
        """Creates the catalog where there is none; several machines may do so at once."""
        if self.state() is not None:
            return
        self._create_collection()
        taken = max(self.server.collections().values(), default=0)
        state = CatalogState(book=secrets.token_hex(8), last=taken).model_dump()
        with server_errors():
            self.server.client.upsert(
                self.server.catalog,
                [PointStruct(id=_STATE, vector={}, payload=state)],
                # Inserts, and leaves alone a state that another machine has written meanwhile.
                update_filter=_NEVER,
                ordering=WriteOrdering.MEDIUM,
            )

    def _create_collection(self) -> None:
        name = self.server.catalog
        try:
            with server_errors():
                self.server.client.create_collection(
                    name,
                    vectors_config={},
                    shard_number=1,
                    replication_factor=self.server.distribution.replicas,
                    wal_config=WalConfigDiff(wal_capacity_mb=1),
                )
        except IndexFault:
            # It is refused where another machine has just created it.
            if not self.server.client.collection_exists(name):
                raise

    def write_record(self, record: GenerationRecord) -> None:
        point = PointStruct(id=record.number, vector={}, payload={_RECORD: _packed(record)})
        with server_errors():
            self.server.client.upsert(self.server.catalog, [point])

    def delete_records(self, numbers: Sequence[int]) -> None:
        chosen = Filter(must=[HasIdCondition(has_id=list(numbers))])
        with server_errors():
            self.server.client.delete(self.server.catalog, chosen)

    def set_where(self, conditions: Filter, **changes: object) -> CatalogState:
        """Changes the state if it meets the conditions; returns the state as it is afterwards."""
        is_state: list[Condition] = [HasIdCondition(has_id=[_STATE]), conditions]
        self._set(Filter(must=is_state), changes)
        state = self.state()
        if state is None:
            raise CollectionGone(f"The catalog of {self.server.name} was removed meanwhile.")
        return state

    def _set(self, chosen: Filter, changes: dict[str, object]) -> None:
        """Tries again for a while: a cluster may just have lost the node that puts the changes in order.

        A change whose reply was lost is not made twice, because its condition decides again.
        """
        deadline = monotonic() + _FAILOVER_SECONDS
        for failures in count(1):
            try:
                with server_errors():
                    self.server.client.set_payload(
                        self.server.catalog, changes, chosen, ordering=WriteOrdering.MEDIUM
                    )
                return
            except IndexUnavailable:
                wait = backoff(failures, _FIRST_WAIT)
                if monotonic() + wait > deadline:
                    raise
            sleep(wait)


_LARGEST_PLAIN = 2**23
"""Bytes. The server refuses requests of more than 32 MB: the pages of a book of about 80,000."""


def _packed(record: GenerationRecord) -> str:
    """Packs into JSON, which other programs can read; that of a very large book is compressed."""
    plain = record.model_dump_json()
    return plain if len(plain) < _LARGEST_PLAIN else b64encode(zlib.compress(plain.encode())).decode()


def _unpacked(packed: str) -> str:
    """Raises ValueError or zlib.error for a text that is no record."""
    return packed if packed.startswith("{") else zlib.decompress(b64decode(packed)).decode()


def held_by(token: str) -> Filter:
    return Filter(must=[_has_holder(token)])


def is_free(now: float) -> Filter:
    return Filter(should=[_has_holder(NOBODY), FieldCondition(key="lease_until", range=Range(lt=now))])


def _has_holder(token: str) -> FieldCondition:
    return FieldCondition(key="holder", match=MatchValue(value=token))
