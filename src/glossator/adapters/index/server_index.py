"""Searches the current generation on a Qdrant server, over the network."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from glossator.adapters.index.bm25 import WordWeights
from glossator.adapters.index.generations import refuse_another_model
from glossator.adapters.index.hybrid import hybrid_search
from glossator.adapters.index.payload import passage_of
from glossator.adapters.index.server import CollectionGone, Server
from glossator.adapters.index.server_collection import Collection
from glossator.errors import NoBookYet
from glossator.model import Chunk, EmbedderIdentity, FoundPassage, IndexQuery, Manifest

Result = TypeVar("Result")

_SECONDS_BETWEEN_CHECKS = 1.0


@dataclass(frozen=True, slots=True)
class _Pinned:
    """A generation by its own name, not the alias, so that results and manifest belong together."""

    manifest: Manifest
    collection: Collection


class ServerIndex:
    """Any number of threads may search at once; each search stays within one generation."""

    def __init__(
        self,
        server: Server,
        *,
        expects: EmbedderIdentity | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._server = server
        self._expects = expects
        self._clock = clock
        self._checked_at = float("-inf")
        self._pinned: _Pinned | None = None

    def manifest(self) -> Manifest:
        return self._current().manifest

    def search(self, query: IndexQuery) -> list[FoundPassage]:
        return self._read(lambda collection: hybrid_search(collection, query))

    def chunk(self, chunk_id: str) -> Chunk | None:
        payload = self._read(lambda collection: collection.first_passage(chunk_id))
        return None if payload is None else passage_of(payload).chunk

    def chunks(self) -> Iterator[Chunk]:
        for payload in self._current().collection.first_passages():
            yield passage_of(payload).chunk

    def close(self) -> None:
        self._server.client.close()

    def _read(self, operation: Callable[[Collection], Result]) -> Result:
        try:
            return operation(self._current().collection)
        except CollectionGone:
            return operation(self._refresh().collection)

    def _current(self) -> _Pinned:
        """Needs no lock: two threads that refresh at once read the same."""
        pinned, now = self._pinned, self._clock()
        if pinned is not None and now - self._checked_at < _SECONDS_BETWEEN_CHECKS:
            return pinned
        # Set first, so that meanwhile other threads keep searching the pinned generation.
        self._checked_at = now
        return self._refresh()

    def _refresh(self) -> _Pinned:
        name = self._server.current()
        if self._pinned is None or self._pinned.collection.name != name:
            self._pinned = None
            self._pinned = self._pin(name)
        return self._pinned

    def _pin(self, name: str | None) -> _Pinned:
        if name is None:
            raise NoBookYet
        stored = self._server.manifest(name)
        refuse_another_model(stored.manifest, self._expects)
        return _Pinned(stored.manifest, Collection(self._server.client, name, WordWeights(stored.language)))
