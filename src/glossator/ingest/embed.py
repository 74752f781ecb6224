"""Embeddings of passages: the kept ones, and new ones for what was never embedded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import overload

from glossator.ingest.cache import keep_embeddings, kept_states, kept_vectors, key_of, states_key
from glossator.ingest.codec import PackedStates, unpack_states
from glossator.model import Embedding, Passage, Vector
from glossator.ports import Cache, Embedder, Progress

_SLAB = 128
"""Passages embedded between two writes; a killed ingest loses at most twice as many."""
_AHEAD = 64
"""Passages whose states are read at a time."""


def embed(passages: Sequence[Passage], embedder: Embedder, cache: Cache, progress: Progress) -> Embedded:
    fingerprint = embedder.identity.fingerprint
    keys = [key_of("vector", fingerprint, passage.reading) for passage in passages]
    vectors = kept_vectors(cache, list(dict.fromkeys(keys)), embedder.identity.dimension)
    readings = {key: passage.reading for key, passage in zip(keys, passages, strict=True)}
    missing = [key for key in readings if key not in vectors]
    buffers = _Buffers(readings, vectors, embedder, cache)
    progress.start("Embedding passages", len(missing))
    # What was embedded is written down while the next is being embedded.
    with ThreadPoolExecutor(max_workers=1) as retention_store:
        kept: Future[None] | None = None
        for start in range(0, len(missing), _SLAB):
            slab = missing[start : start + _SLAB]
            made = buffers.make(slab)
            if kept:
                kept.result()
            kept = retention_store.submit(keep_embeddings, cache, made)
            progress.advance(len(slab))
        if kept:
            kept.result()
    progress.finish()
    return Embedded(keys, buffers, len(missing))


@dataclass(frozen=True, slots=True)
class Embedded(Sequence[Embedding]):
    """One embedding for each passage.

    Only the vectors are held: the states of a long book would not fit into memory, and of a book that
    changed a little hardly any is asked for. They are read from the cache where somebody looks.
    """

    keys: Sequence[str]
    buffers: _Buffers
    new: int

    @property
    def kept_keys(self) -> Iterator[str]:
        """Everything in the cache that belongs to them."""
        for key in self.keys:
            yield key
            yield states_key(key)

    def __len__(self) -> int:
        return len(self.keys)

    @overload
    def __getitem__(self, index: int) -> Embedding: ...
    @overload
    def __getitem__(self, index: slice) -> Embedded: ...
    def __getitem__(self, index: int | slice) -> Embedding | Embedded:
        if isinstance(index, slice):
            return Embedded(self.keys[index], self.buffers, self.new)
        key = self.keys[index]
        if key not in self.buffers.states:
            self.buffers.read_states(list(dict.fromkeys(self.keys[index : index + _AHEAD])))
        states = self.buffers.states[key]
        return Embedding(self.buffers.vectors[key], None if states is None else unpack_states(states))


@dataclass(slots=True)
class _Buffers:
    """What lies ready while a book is embedded and stored."""

    readings: Mapping[str, str]
    vectors: dict[str, Vector]
    embedder: Embedder
    cache: Cache
    states: Mapping[str, PackedStates | None] = field(default_factory=dict[str, PackedStates | None])
    """Of the passages that were looked at last."""

    def make(self, keys: Sequence[str]) -> dict[str, Embedding]:
        embeddings = self.embedder.embed_passages([self.readings[key] for key in keys], states=True)
        made = dict(zip(keys, embeddings, strict=True))
        self.vectors |= {key: embedding.vector for key, embedding in made.items()}
        return made

    def read_states(self, keys: Sequence[str]) -> None:
        self.states = kept_states(self.cache, keys)
        lost = [key for key in keys if key not in self.states]
        if lost:
            # A cache that is damaged is begun anew, also in the middle of an ingest.
            keep_embeddings(self.cache, self.make(lost))
            self.states = kept_states(self.cache, keys)
