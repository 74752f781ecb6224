"""Builds generations of the book on a Qdrant server, and makes them current."""

from __future__ import annotations

import logging
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from glossator.adapters.index.bm25 import WordWeights
from glossator.adapters.index.generations import StoredManifest, check_complete
from glossator.adapters.index.server import Server
from glossator.adapters.index.server_collection import Collection
from glossator.errors import IndexFault, IndexUnavailable, NoBookYet, NoEarlierGeneration
from glossator.model import EmbedderIdentity, Embedding, Manifest, Passage

logger = logging.getLogger(__name__)

_BATCH = 256
_SECONDS_BETWEEN_CHECKS = 0.2


class ServerIndexStore:
    """Only one ingest may build at a time; any number of readers may follow the current generation."""

    def __init__(self, server: Server, *, indexing_timeout: float = 1800.0) -> None:
        self._server = server
        self._indexing_timeout = indexing_timeout

    def current(self) -> Manifest | None:
        """None also when the current generation is damaged, so that the next ingest builds a new one."""
        collection = self._server.current()
        if collection is None:
            return None
        try:
            return self._server.manifest(collection).manifest
        except IndexUnavailable:
            raise
        except IndexFault as fault:
            logger.warning("The generation that is there cannot be used: %s", fault)
            return None

    def is_whole(self) -> bool:
        """Publishing counted what the server received, and the server takes care of its own disk."""
        return self.current() is not None

    def roll_back(self) -> Manifest:
        current = self._server.current()
        if current is None:
            raise NoBookYet
        generations = self._server.generations()
        serving = next((number for number, name in generations.items() if name == current), 0)
        before = max((number for number in generations if number < serving), default=None)
        if before is None:
            raise NoEarlierGeneration
        stored = self._server.manifest(generations[before])
        self._server.make_current(generations[before])
        return stored.manifest

    def remove(self) -> None:
        if self._server.current() is None:
            raise NoBookYet
        self._server.remove_alias()
        for name in self._server.generations().values():
            self._server.drop(name)

    @contextmanager
    def build(self, identity: EmbedderIdentity, language: str) -> Generator[ServerGeneration]:
        words = WordWeights.for_window(language, identity.window)
        number = self._next_number()
        collection = Collection(self._server.client, self._server.collection(number), words)
        generation = ServerGeneration(self._server, collection, number, self._indexing_timeout)
        try:
            collection.create(identity.dimension)
            yield generation
        finally:
            generation.close()

    def _next_number(self) -> int:
        """Also drops what killed builds left behind: every generation newer than the current one."""
        current = self._server.current()
        generations = self._server.generations()
        serving = next((number for number, name in generations.items() if name == current), 0)
        for number, name in generations.items():
            if number > serving:
                self._server.drop(name)
        return max(generations, default=0) + 1


class ServerGeneration:
    """Written beside the serving generation, which it replaces on publishing."""

    def __init__(self, server: Server, collection: Collection, number: int, indexing_timeout: float) -> None:
        self.number = number
        self._server = server
        self._collection = collection
        self._indexing_timeout = indexing_timeout
        self._created_at = datetime.now(UTC).isoformat(timespec="seconds")
        self._is_published = False

    def add(self, passages: Sequence[Passage], embeddings: Sequence[Embedding]) -> None:
        for start in range(0, len(passages), _BATCH):
            batch = slice(start, start + _BATCH)
            self._collection.add(passages[batch], embeddings[batch], self._created_at)

    def publish(self, manifest: Manifest) -> None:
        self._wait_until_indexed()
        check_complete(manifest, passages=self._collection.count(), chunks=self._collection.count_chunks())
        stored = StoredManifest(language=self._collection.words.language, manifest=manifest)
        self._server.write_manifest(self._collection.name, stored)
        previous = self._server.current()
        self._server.make_current(self._collection.name)
        self._is_published = True
        self._drop_all_but(previous)

    def _wait_until_indexed(self) -> None:
        deadline = time.monotonic() + self._indexing_timeout
        while not self._collection.is_indexed():
            if time.monotonic() > deadline:
                raise IndexUnavailable(
                    f"The Qdrant server has not indexed {self._collection.name} "
                    f"in {self._indexing_timeout:.0f} s."
                )
            time.sleep(_SECONDS_BETWEEN_CHECKS)

    def _drop_all_but(self, previous: str | None) -> None:
        """Keeps the previous generation too: readers check only now and then which one is current."""
        for name in self._server.generations().values():
            if name not in (self._collection.name, previous):
                self._server.drop(name)

    def close(self) -> None:
        if not self._is_published:
            self._server.drop(self._collection.name)
