"""Vectors for passages: the kept ones, and new ones for what was never embedded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from glossator.ingest.keep import keep_vectors, kept_vectors, key_of
from glossator.model import Passage, Vector
from glossator.ports import Cache, Embedder, Progress

_SLAB = 128
"""Passages embedded between two writes: what a killed ingest loses at most."""


@dataclass(frozen=True, slots=True)
class Embedded:
    keys: Sequence[str]
    """One for each passage."""
    vectors: Mapping[str, Vector]
    new: int


def embed(passages: Sequence[Passage], embedder: Embedder, cache: Cache, progress: Progress) -> Embedded:
    fingerprint = embedder.identity.fingerprint
    keys = [key_of("vector", fingerprint, passage.reading) for passage in passages]
    vectors = kept_vectors(cache, list(dict.fromkeys(keys)), embedder.identity.dimension)
    readings = {
        key: passage.reading for key, passage in zip(keys, passages, strict=True) if key not in vectors
    }
    vectors |= _embedded(readings, embedder, cache, progress)
    return Embedded(keys, vectors, len(readings))


def _embedded(
    readings: Mapping[str, str], embedder: Embedder, cache: Cache, progress: Progress
) -> dict[str, Vector]:
    vectors = dict[str, Vector]()
    keys = list(readings)
    progress.start("Embedding passages", len(keys))
    for start in range(0, len(keys), _SLAB):
        slab = keys[start : start + _SLAB]
        embeddings = embedder.embed_passages([readings[key] for key in slab])
        made = {key: embedding.vector for key, embedding in zip(slab, embeddings, strict=True)}
        keep_vectors(cache, made)
        vectors |= made
        progress.advance(len(slab))
    progress.finish()
    return vectors
