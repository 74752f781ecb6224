"""Embeddings of passages, from the cache where it has them, otherwise from the embedder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import overload

from glossator.ingest.cache import key_of, load_states, load_vectors, save_embeddings
from glossator.model import Embedding, Passage, PassageEmbedding
from glossator.ports import Cache, Embedder, Progress

_BATCH = 128
"""Passages embedded between two writes to the cache; a killed ingest loses at most twice as many."""
_READ_AHEAD = 64
"""Passages whose embeddings are read from the cache at a time."""


def embed(passages: Sequence[Passage], embedder: Embedder, cache: Cache, progress: Progress) -> int:
    """Puts the embeddings that the cache lacks into it, and returns how many those were."""
    readings = _readings(passages, embedder)
    cached = load_vectors(cache, list(readings), embedder.identity.dimension)
    missing = {key: reading for key, reading in readings.items() if key not in cached}
    progress.advance(len(passages) - len(missing))
    keys = list(missing)
    # One batch is written to the cache while the next is being embedded.
    with ThreadPoolExecutor(max_workers=1) as writer:
        write: Future[None] | None = None
        for start in range(0, len(keys), _BATCH):
            batch = keys[start : start + _BATCH]
            embeddings = _embed(batch, missing, embedder)
            if write:
                write.result()
            write = writer.submit(save_embeddings, cache, embeddings)
            progress.advance(len(batch))
        if write:
            write.result()
    return len(missing)


def embedding_key(reading: str, embedder: Embedder) -> str:
    """The key of a passage's vector in the cache."""
    return key_of("vector", embedder.identity.fingerprint, reading)


def _readings(passages: Sequence[Passage], embedder: Embedder) -> dict[str, str]:
    return {embedding_key(passage.reading, embedder): passage.reading for passage in passages}


def _embed(keys: Sequence[str], readings: Mapping[str, str], embedder: Embedder) -> dict[str, Embedding]:
    embeddings = embedder.embed_passages([readings[key] for key in keys], states=True)
    return dict(zip(keys, embeddings, strict=True))


@dataclass(slots=True)
class Embedded(Sequence[PassageEmbedding]):
    """One embedding for each passage, read from the cache on access, a few at a time.

    Those of a long book would not fit into memory, and an ingest of a few changed pages needs few of them.
    """

    passages: Sequence[Passage]
    embedder: Embedder
    cache: Cache
    _recent: Mapping[str, PassageEmbedding] = field(default_factory=dict[str, PassageEmbedding])
    """The embeddings of the passages that were accessed last."""

    def __len__(self) -> int:
        return len(self.passages)

    @overload
    def __getitem__(self, index: int) -> PassageEmbedding: ...
    @overload
    def __getitem__(self, index: slice) -> Embedded: ...
    def __getitem__(self, index: int | slice) -> PassageEmbedding | Embedded:
        if isinstance(index, slice):
            return Embedded(self.passages[index], self.embedder, self.cache)
        key = embedding_key(self.passages[index].reading, self.embedder)
        if key not in self._recent:
            self._recent = self._read(_readings(self.passages[index : index + _READ_AHEAD], self.embedder))
        return self._recent[key]

    def _read(self, readings: Mapping[str, str]) -> dict[str, PassageEmbedding]:
        cached = self._cached(list(readings))
        lost = [key for key in readings if key not in cached]
        if lost:
            # A damaged cache is recreated empty, even in the middle of an ingest.
            save_embeddings(self.cache, _embed(lost, readings, self.embedder))
            cached |= self._cached(lost)
        return cached

    def _cached(self, keys: Sequence[str]) -> dict[str, PassageEmbedding]:
        vectors = load_vectors(self.cache, keys, self.embedder.identity.dimension)
        states = load_states(self.cache, list(vectors))
        return {key: PassageEmbedding(vectors[key], packed) for key, packed in states.items()}
