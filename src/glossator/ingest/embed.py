"""Embeddings of passages, from the cache where it has them, otherwise from the embedder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import overload

from glossator.ingest.cache import key_of, load_states, load_vectors, save_embeddings, states_key
from glossator.ingest.codec import PackedStates, unpack_states
from glossator.model import Embedding, Passage, Vector
from glossator.ports import Cache, Embedder, Progress

_BATCH = 128
"""Passages embedded between two writes to the cache; a killed ingest loses at most twice as many."""
_READ_AHEAD = 64
"""Passages whose states are read from the cache at a time."""


def embed(passages: Sequence[Passage], embedder: Embedder, cache: Cache, progress: Progress) -> Embedded:
    fingerprint = embedder.identity.fingerprint
    keys = [key_of("vector", fingerprint, passage.reading) for passage in passages]
    vectors = load_vectors(cache, list(dict.fromkeys(keys)), embedder.identity.dimension)
    readings = {key: passage.reading for key, passage in zip(keys, passages, strict=True)}
    missing = [key for key in readings if key not in vectors]
    buffers = _Buffers(readings, vectors, embedder, cache)
    progress.start("Embedding passages", len(missing))
    # One batch is written to the cache while the next is being embedded.
    with ThreadPoolExecutor(max_workers=1) as writer:
        write: Future[None] | None = None
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            embeddings = buffers.embed(batch)
            if write:
                write.result()
            write = writer.submit(save_embeddings, cache, embeddings)
            progress.advance(len(batch))
        if write:
            write.result()
    progress.finish()
    return Embedded(keys, buffers, len(missing))


@dataclass(frozen=True, slots=True)
class Embedded(Sequence[Embedding]):
    """One embedding for each passage.

    Only the vectors are held in memory. The states of a long book would not fit, and an ingest of a few
    changed pages needs few of them, so they are read from the cache on access.
    """

    keys: Sequence[str]
    buffers: _Buffers
    new: int

    @property
    def kept_keys(self) -> Iterator[str]:
        """The cache keys of these embeddings, so that the rest of the cache can be deleted."""
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
            self.buffers.read_states(list(dict.fromkeys(self.keys[index : index + _READ_AHEAD])))
        states = self.buffers.states[key]
        return Embedding(self.buffers.vectors[key], None if states is None else unpack_states(states))


@dataclass(slots=True)
class _Buffers:
    """The vectors of a book, and the states of the passages that are being stored."""

    readings: Mapping[str, str]
    vectors: dict[str, Vector]
    embedder: Embedder
    cache: Cache
    states: Mapping[str, PackedStates | None] = field(default_factory=dict[str, PackedStates | None])
    """Of the passages that were accessed last."""

    def embed(self, keys: Sequence[str]) -> dict[str, Embedding]:
        embeddings = self.embedder.embed_passages([self.readings[key] for key in keys], states=True)
        by_key = dict(zip(keys, embeddings, strict=True))
        self.vectors |= {key: embedding.vector for key, embedding in by_key.items()}
        return by_key

    def read_states(self, keys: Sequence[str]) -> None:
        self.states = load_states(self.cache, keys)
        lost = [key for key in keys if key not in self.states]
        if lost:
            # A damaged cache is recreated empty, even in the middle of an ingest.
            save_embeddings(self.cache, self.embed(lost))
            self.states = load_states(self.cache, keys)
