"""Generations of the book on a Qdrant server, built and made current."""

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
from glossator.errors import IndexFault, IndexUnavailable
from glossator.model import EmbedderIdentity, Embedding, Manifest, Passage

logger = logging.getLogger(__name__)

_BATCH = 256
_SECONDS_BETWEEN_LOOKS = 0.2


class ServerIndexStore:
    """One ingest at a time may build here; any number of readers follow."""

    def __init__(self, server: Server, *, language: str = "english", timeouts: float = 1800.0) -> None:
        self._server = server
        self._language = language
        self._timeouts = timeouts

    @property
    def recipe(self) -> str:
        return self._language

    def current(self) -> Manifest | None:
        """None also when what is there is damaged, so that the next ingest builds it anew."""
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
        """A server looks after what it was given; that it was all given, publishing has counted."""
        return self.current() is not None

    @contextmanager
    def build(self, identity: EmbedderIdentity) -> Generator[ServerGeneration]:
        words = WordWeights.for_window(self._language, identity.window)
        number = self._next_number()
        collection = Collection(self._server.client, self._server.collection(number), words)
        generation = ServerGeneration(self._server, collection, number, self._timeouts)
        try:
            collection.create(identity.dimension)
            yield generation
        finally:
            generation.close()

    def _next_number(self) -> int:
        """Also removes what killed builds left behind: whatever is newer than the current one."""
        current = self._server.current()
        generations = self._server.generations()
        serving = next((number for number, name in generations.items() if name == current), 0)
        for number, name in generations.items():
            if number > serving:
                self._server.drop(name)
        return max(generations, default=0) + 1


class ServerGeneration:
    """Written beside the generation that serves, which it replaces when it is published."""

    def __init__(self, server: Server, collection: Collection, number: int, timeouts: float) -> None:
        self.number = number
        self._server = server
        self._collection = collection
        self._timeouts = timeouts
        self._created_at = datetime.now(UTC).isoformat(timespec="seconds")
        self._is_published = False

    def add(self, passages: Sequence[Passage], embeddings: Sequence[Embedding]) -> None:
        for start in range(0, len(passages), _BATCH):
            batch = slice(start, start + _BATCH)
            self._collection.add(passages[batch], embeddings[batch], self._created_at)

    def publish(self, manifest: Manifest) -> None:
        self._wait_until_settled()
        check_complete(manifest, passages=self._collection.count(), chunks=self._collection.count_chunks())
        stored = StoredManifest(language=self._collection.words.language, manifest=manifest)
        self._server.write_manifest(self._collection.name, stored)
        before = self._server.current()
        self._server.make_current(self._collection.name)
        self._is_published = True
        self._drop_all_but(before)

    def _wait_until_settled(self) -> None:
        deadline = time.monotonic() + self._timeouts
        while not self._collection.is_settled():
            if time.monotonic() > deadline:
                raise IndexUnavailable(
                    f"The Qdrant server has not indexed {self._collection.name} in {self._timeouts:.0f} s."
                )
            time.sleep(_SECONDS_BETWEEN_LOOKS)

    def _drop_all_but(self, before: str | None) -> None:
        """The one before stays: a reader looks only now and then which is current."""
        for name in self._server.generations().values():
            if name not in (self._collection.name, before):
                self._server.drop(name)

    def close(self) -> None:
        if not self._is_published:
            self._server.drop(self._collection.name)
