"""Searches the current generation on a Qdrant server, over the network."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from glossator.adapters.index.bm25 import WordWeights
from glossator.adapters.index.document_frequencies import DocumentFrequencies
from glossator.adapters.index.faults import REBUILD
from glossator.adapters.index.generations import refuse_another_model
from glossator.adapters.index.hybrid import hybrid_search
from glossator.adapters.index.payload import chunks_of, passage_of
from glossator.adapters.index.server import CollectionGone, Server
from glossator.adapters.index.server_catalog import Catalog, CatalogState, GenerationRecord
from glossator.adapters.index.server_search import GenerationView
from glossator.errors import IndexFault, IndexUnavailable, NoBookYet
from glossator.model import Chunk, EmbedderIdentity, FoundPassage, IndexQuery, Manifest

Result = TypeVar("Result")

_SECONDS_BETWEEN_CHECKS = 1.0
_TRIES = 5


@dataclass(frozen=True, slots=True)
class _Pinned:
    """A generation by its number, so that results and manifest belong together."""

    book: str
    number: int
    manifest: Manifest
    view: GenerationView


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
        self._catalog = Catalog(server)
        self._expects = expects
        self._clock = clock
        self._checked_at = float("-inf")
        self._pinned: _Pinned | None = None

    def manifest(self) -> Manifest:
        return self._current().manifest

    def search(self, query: IndexQuery) -> list[FoundPassage]:
        return self._read(lambda view: hybrid_search(view, query))

    def chunk(self, chunk_id: str) -> Chunk | None:
        payload = self._read(lambda view: view.first_passage(chunk_id))
        return None if payload is None else passage_of(payload).chunk

    def chunks(self) -> Iterator[Chunk]:
        """Raises CollectionGone where the generation is removed before the last chunk is read."""
        pinned = self._current()
        yield from chunks_of(pinned.manifest.pages, pinned.view.first_passages)
        if not self._is_there(pinned):
            raise CollectionGone("The generation was removed from the server meanwhile.")

    def close(self) -> None:
        self._server.client.close()

    def _read(self, operation: Callable[[GenerationView], Result]) -> Result:
        """Repeated in the new generation where the server no longer has the whole of this one.

        Points are removed only after the catalog names other generations, so it is enough to look afterwards.
        """
        pinned = self._current()
        for _ in range(_TRIES):
            try:
                result = operation(pinned.view)
                if self._is_there(pinned):
                    return result
            except CollectionGone:
                pass
            pinned = self._refresh()
        raise IndexUnavailable("The book on the Qdrant server changes too often to be searched.")

    def _is_there(self, pinned: _Pinned) -> bool:
        state = self._catalog.state()
        return state is not None and state.book == pinned.book and state.holds(pinned.number)

    def _current(self) -> _Pinned:
        """Needs no lock: two threads that refresh at once read the same."""
        pinned, now = self._pinned, self._clock()
        if pinned is not None and now - self._checked_at < _SECONDS_BETWEEN_CHECKS:
            return pinned
        # Set first, so that meanwhile other threads keep searching the pinned generation.
        self._checked_at = now
        return self._refresh()

    def _refresh(self) -> _Pinned:
        state = self._catalog.state() or CatalogState()
        pinned = self._pinned
        if pinned is None or (pinned.book, pinned.number) != (state.book, state.current):
            self._pinned = None
            self._pinned = pinned = self._pin(state)
        return pinned

    def _pin(self, state: CatalogState) -> _Pinned:
        if not state.current:
            raise self._no_book()
        record = self._catalog.record(state.current)
        if record is None:
            return self._refresh_after(state)
        refuse_another_model(record.stored.manifest, self._expects)
        return _Pinned(state.book, state.current, record.stored.manifest, view_of(self._server, record))

    def _refresh_after(self, state: CatalogState) -> _Pinned:
        """A record is gone where two newer generations were published, or the book was removed."""
        now = self._catalog.state() or CatalogState()
        if (now.book, now.current) == (state.book, state.current):
            raise IndexFault(f"Generation {state.current} of the book is incomplete: {REBUILD}.")
        return self._refresh()

    def _no_book(self) -> IndexFault:
        self._server.refuse_foreign_collection()
        if self._server.aliased():
            return IndexFault(f"An earlier version stored the book on the Qdrant server: {REBUILD}.")
        return NoBookYet()


def view_of(server: Server, record: GenerationRecord) -> GenerationView:
    return GenerationView(
        server.client,
        record.collection,
        record.lineage,
        WordWeights(record.stored.language),
        DocumentFrequencies.unpacked(record.frequencies),
    )
