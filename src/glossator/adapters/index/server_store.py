"""Builds generations of the book on a Qdrant server, and makes them current."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from qdrant_client.models import SparseVector

from glossator.adapters.index.bm25 import WordWeights
from glossator.adapters.index.document_frequencies import DocumentFrequencies
from glossator.adapters.index.generations import StoredManifest, check_complete
from glossator.adapters.index.payload import mark_of
from glossator.adapters.index.server import Server
from glossator.adapters.index.server_catalog import Catalog, CatalogState, GenerationRecord
from glossator.adapters.index.server_collection import Collection, NewPoint
from glossator.adapters.index.server_index import view_of
from glossator.adapters.index.server_lease import Lease, held_lease
from glossator.adapters.index.server_search import GenerationView, ServerPoint, generation_filter
from glossator.errors import IndexFault, IndexUnavailable, IngestRunning, NoBookYet, NoEarlierGeneration
from glossator.model import EmbedderIdentity, Manifest, Passage, PassageEmbedding

logger = logging.getLogger(__name__)

_BATCH = 256
_LONGEST_LINEAGE = 256
"""A search names every generation of the lineage; after so many, everything is built again."""
_SECONDS_BETWEEN_CHECKS = 0.2


class ServerIndexStore:
    """One machine at a time may build; any number of readers may follow the current generation."""

    def __init__(
        self,
        server: Server,
        *,
        indexing_timeout: float = 1800.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._server = server
        self._catalog = Catalog(server)
        self._indexing_timeout = indexing_timeout
        self._clock = clock

    def current(self) -> Manifest | None:
        """None also when the current generation is damaged, so that the next ingest builds a new one."""
        record = self._record(self._state().current)
        return record.stored.manifest if record else None

    def is_whole(self) -> bool:
        record = self._record(self._state().current)
        return record is not None and self._is_complete(record)

    def _state(self) -> CatalogState:
        state = self._catalog.state() or CatalogState()
        if not state.current:
            self._server.refuse_foreign_collection()
        return state

    def _record(self, number: int) -> GenerationRecord | None:
        try:
            return self._catalog.record(number)
        except IndexUnavailable:
            raise
        except IndexFault as fault:
            logger.warning("The generation that is there cannot be used: %s", fault)
            return None

    def _is_complete(self, record: GenerationRecord) -> bool:
        try:
            _check(view_of(self._server, record), record.stored.manifest)
        except IndexUnavailable:
            raise
        except IndexFault as fault:
            logger.warning("The current generation is incomplete: %s", fault)
            return False
        return True

    def roll_back(self) -> Manifest:
        if not self._state().current:
            raise NoBookYet
        with held_lease(self._catalog, self._clock) as lease:
            before = self._catalog.record(self._state().before)
            if before is None:
                raise NoEarlierGeneration
            _check(view_of(self._server, before), before.stored.manifest)
            lease.change(current=before.number, before=0)
            self._server.show(before.collection, generation_filter(before.lineage))
            return before.stored.manifest

    def remove(self) -> None:
        if not self._state().current:
            raise NoBookYet
        with held_lease(self._catalog, self._clock) as lease:
            state = lease.change(current=0, before=0)
            self._server.remove_alias()
            self._server.drop_collections(state.last)
            self._server.drop(self._server.catalog)

    @contextmanager
    def build(self, identity: EmbedderIdentity, language: str) -> Generator[ServerGeneration]:
        """Raises IngestRunning where another machine builds."""
        self._server.refuse_foreign_collection()
        with held_lease(self._catalog, self._clock) as lease:
            generation = ServerGeneration(self._task(lease, identity, language), self._indexing_timeout)
            is_certain = True
            try:
                generation.begin(identity.dimension)
                yield generation
            except IndexUnavailable:
                # What the server did not answer may still be done later, so no other build gets the number.
                is_certain = False
                raise
            finally:
                generation.close(reuse_number=is_certain)

    def _task(self, lease: Lease, identity: EmbedderIdentity, language: str) -> _BuildTask:
        state = self._state()
        serving = self._record(state.current)
        if serving:
            self._discard_abandoned(state, serving)
        base = self._base(serving, identity, language)
        lease.change(last=state.last + 1)
        words = WordWeights.for_window(language, identity.window)
        return _BuildTask(self._server, lease, state.last + 1, serving, base, words)

    def _discard_abandoned(self, state: CatalogState, serving: GenerationRecord) -> None:
        """Removes what killed builds and rollbacks left. No generation that may still be read is touched."""
        before = self._record(state.before)
        kept = {record.collection for record in (serving, before) if record}
        self._server.drop_collections(state.last, kept)
        Collection(self._server.client, serving.collection).discard_others(serving.lineage, state.last)

    def _base(
        self, serving: GenerationRecord | None, identity: EmbedderIdentity, language: str
    ) -> GenerationRecord | None:
        """The generation to build upon; None where everything has to be written anew."""
        if serving is None or len(serving.lineage) >= _LONGEST_LINEAGE:
            return None
        is_compatible = serving.stored.manifest.embedder == identity and serving.stored.language == language
        return serving if is_compatible and self._is_complete(serving) else None


@dataclass(frozen=True, slots=True)
class _BuildTask:
    """What is to be built, and upon what."""

    server: Server
    lease: Lease
    number: int
    serving: GenerationRecord | None
    base: GenerationRecord | None
    """The serving generation, where it can be built upon."""
    words: WordWeights

    @property
    def lineage(self) -> tuple[int, ...]:
        return (*(self.base.lineage if self.base else ()), self.number)

    @property
    def collection(self) -> Collection:
        name = self.base.collection if self.base else self.server.collection(self.number)
        return Collection(self.server.client, name)

    def stored_points(self, pages: Sequence[str]) -> dict[str, ServerPoint]:
        return view_of(self.server, self.base).stored_points(pages) if self.base else {}

    def frequencies(self) -> DocumentFrequencies:
        """The document frequencies of the generation that is built upon."""
        return DocumentFrequencies.unpacked(self.base.frequencies) if self.base else DocumentFrequencies()

    def discard(self, *, reuse_number: bool) -> None:
        if self.base is None:
            self.server.drop(self.collection.name)
        else:
            self.collection.discard(self.number)
        if reuse_number:
            with suppress(IngestRunning):
                self.lease.change(last=self.number - 1)


class ServerGeneration:
    """Written beside the serving generation, which it replaces on publishing.

    A request that a build sends late, because its machine was asleep, must be harmless to the build that has
    taken over. So it changes only points, records and collections of its own number and of earlier ones.
    """

    def __init__(self, task: _BuildTask, indexing_timeout: float) -> None:
        self.number = task.number
        self._task = task
        self._indexing_timeout = indexing_timeout
        self._created_at = datetime.now(UTC).isoformat(timespec="seconds")
        self._frequencies = task.frequencies()
        self._may_be_published = False

    @property
    def base(self) -> Manifest | None:
        return self._task.base.stored.manifest if self._task.base else None

    def begin(self, dimension: int) -> None:
        if self._task.base is None:
            self._task.collection.create(dimension, self._task.server.distribution)

    def put(
        self, pages: Sequence[str], passages: Sequence[Passage], embeddings: Sequence[PassageEmbedding]
    ) -> None:
        """Reads only the embeddings of passages that the base does not have."""
        gone = self._task.stored_points(pages)
        new = [index for index, passage in enumerate(passages) if gone.pop(mark_of(passage), None) is None]
        self._task.lease.check()
        for point in gone.values():
            self._frequencies.discount(self._task.words.of_passage(point.reading).indices)
        self._task.collection.remove([point.id for point in gone.values()], self.number)
        for start in range(0, len(new), _BATCH):
            self._add([(passages[index], embeddings[index]) for index in new[start : start + _BATCH]])

    def _add(self, batch: Sequence[tuple[Passage, PassageEmbedding]]) -> None:
        points = [self._point(passage, embedding) for passage, embedding in batch]
        for point in points:
            self._frequencies.count(point.words.indices)
        self._task.lease.check()
        self._task.collection.add(points, self.number, self._created_at)

    def _point(self, passage: Passage, embedding: PassageEmbedding) -> NewPoint:
        terms = self._task.words.of_passage(passage.reading)
        return NewPoint(passage, embedding, SparseVector(indices=terms.indices, values=terms.values))

    def publish(self, manifest: Manifest) -> None:
        task, record = self._task, self._record(manifest)
        task.lease.check()
        self._wait_until_indexed()
        _check(view_of(task.server, record), manifest)
        catalog = Catalog(task.server)
        catalog.write_record(record)
        # Set first: where the reply is lost, the generation may serve already.
        self._may_be_published = True
        task.lease.change(current=self.number, before=task.serving.number if task.serving else 0)
        task.server.show(record.collection, generation_filter(record.lineage))
        self._remove_older(catalog)

    def _record(self, manifest: Manifest) -> GenerationRecord:
        return GenerationRecord(
            collection=self._task.collection.name,
            lineage=self._task.lineage,
            frequencies=self._frequencies.packed(),
            stored=StoredManifest(language=self._task.words.language, manifest=manifest),
        )

    def _wait_until_indexed(self) -> None:
        deadline = time.monotonic() + self._indexing_timeout
        while not self._task.collection.is_indexed():
            if time.monotonic() > deadline:
                raise IndexUnavailable(
                    f"The Qdrant server has not indexed {self._task.collection.name} "
                    f"in {self._indexing_timeout:.0f} s."
                )
            time.sleep(_SECONDS_BETWEEN_CHECKS)

    def _remove_older(self, catalog: Catalog) -> None:
        """Keeps the generation before too: for a rollback, and for readers in the middle of a search."""
        task, before = self._task, self._task.serving
        kept = {task.collection.name, *([before.collection] if before else [])}
        task.server.drop_collections(self.number, kept)
        older = {*range(1, self.number)} - {before.number if before else 0}
        catalog.delete_records(sorted(older))
        if task.base is not None:
            task.collection.purge(task.base.lineage)

    def close(self, *, reuse_number: bool) -> None:
        """Discards what is not published; if that is not known, the next build does."""
        if not self._may_be_published:
            self._task.discard(reuse_number=reuse_number)


def _check(view: GenerationView, manifest: Manifest) -> None:
    check_complete(manifest, passages=view.count(), chunks=view.count_chunks())
