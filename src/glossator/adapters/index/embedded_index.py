"""Searches the current generation of a local folder, in this process."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from glossator.adapters.index.clone import remove_abandoned_clones
from glossator.adapters.index.faults import REBUILD, index_errors
from glossator.adapters.index.generations import IndexHome, Stamp, refuse_another_model
from glossator.adapters.index.hybrid import hybrid_search
from glossator.adapters.index.opened_shard import NOTHING, OpenedShard, open_shard
from glossator.adapters.index.payload import chunks_of, passage_of
from glossator.adapters.index.shard import Shard
from glossator.errors import IndexFault, NoBookYet
from glossator.model import Chunk, EmbedderIdentity, FoundPassage, IndexQuery, Manifest


class EmbeddedIndex:
    """Any number of threads may search at once; each search stays within one generation."""

    def __init__(self, home: Path, *, expects: EmbedderIdentity | None = None) -> None:
        self._home = IndexHome(home)
        self._expects = expects
        self._lock = threading.Lock()
        self._open: _OpenGeneration | None = None

    def manifest(self) -> Manifest:
        with self._current() as generation:
            return generation.manifest

    def search(self, query: IndexQuery) -> list[FoundPassage]:
        with self._current() as generation, index_errors():
            return hybrid_search(generation.shard, query)

    def chunk(self, chunk_id: str) -> Chunk | None:
        with self._current() as generation, index_errors():
            payload = generation.shard.first_passage(chunk_id)
            return None if payload is None else passage_of(payload).chunk

    def chunks(self) -> Iterator[Chunk]:
        with self._current() as generation, index_errors():
            yield from chunks_of(generation.manifest.pages, generation.shard.first_passages)

    def close(self) -> None:
        """Running searches finish first; a later search opens the index again."""
        with self._lock:
            self._retire()

    @contextmanager
    def _current(self) -> Generator[_OpenGeneration]:
        with self._lock, index_errors():
            generation = self._reopen_if_changed()
            generation.borrowers += 1
        try:
            yield generation
        finally:
            with self._lock:
                generation.borrowers -= 1
                generation.close_when_unused()

    def _reopen_if_changed(self) -> _OpenGeneration:
        stamp = self._home.stamp()
        if stamp is None:
            self._retire()
            raise NoBookYet
        if self._open is None or self._open.stamp != stamp:
            opened = self._open_current(stamp)
            self._retire()
            self._open = opened
        return self._open

    def _retire(self) -> None:
        if self._open is not None:
            self._open.is_retired = True
            self._open.close_when_unused()
            self._open = None

    def _open_current(self, stamp: Stamp) -> _OpenGeneration:
        number = self._home.current()
        while number is not None:
            try:
                return self._open_generation(number, stamp)
            except FileNotFoundError as error:
                # A generation is removed as soon as a newer one is current.
                number = self._newer_than(number, error)
        raise NoBookYet

    def _newer_than(self, number: int, error: FileNotFoundError) -> int | None:
        current = self._home.current()
        if current == number:
            raise IndexFault(f"Generation {number} of the book is incomplete: {REBUILD}.") from error
        return current

    def _open_generation(self, number: int, stamp: Stamp) -> _OpenGeneration:
        stored = self._home.manifest(number)
        refuse_another_model(stored.manifest, self._expects)
        remove_abandoned_clones(self._home.readers)
        known = self._open.opened.checked if self._open else NOTHING
        opened = open_shard(self._home.shard(number), self._home.readers, stored, known)
        return _OpenGeneration(stamp, stored.manifest, opened)


@dataclass(slots=True)
class _OpenGeneration:
    """A generation that searches borrow; closed once it is retired and no search uses it."""

    stamp: Stamp
    manifest: Manifest
    opened: OpenedShard
    borrowers: int = 0
    is_retired: bool = False

    @property
    def shard(self) -> Shard:
        return self.opened.shard

    def close_when_unused(self) -> None:
        if self.is_retired and not self.borrowers:
            self.opened.close()
