"""Split pages and embeddings, cached by content, so that the next ingest reuses what has not changed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import TypeAdapter, ValidationError

from glossator.ingest.codec import pack_units, unpack_units
from glossator.model import Chunk, Embedding, PackedStates, Passage, PassageEmbedding, Vector
from glossator.ports import Cache

_FORMAT = "3"


@dataclass(frozen=True, slots=True)
class CachedWindow:
    """A passage that names its chunk by index, so that each chunk is stored once."""

    chunk: int
    number: int
    start: int
    end: int
    reading: str
    units: list[int]
    """As `pack_units` encodes them."""

    @classmethod
    def of(cls, passage: Passage) -> CachedWindow:
        units = pack_units(passage.units)
        return cls(passage.chunk.index, passage.number, passage.start, passage.end, passage.reading, units)


@dataclass(frozen=True, slots=True)
class SplitPage:
    """A page with its chunks and passages."""

    content_hash: str
    """The hash of the source file."""
    title: str
    url: str
    chapter: str
    order: tuple[float | str, ...]
    """Sort key of the page in the reading order of the book."""
    chunks: tuple[Chunk, ...]
    windows: tuple[CachedWindow, ...]
    stems: dict[str, int]
    """How many of the windows contain each stem."""

    @property
    def passages(self) -> list[Passage]:
        return [
            Passage(
                self.chunks[window.chunk],
                window.number,
                window.start,
                window.end,
                window.reading,
                unpack_units(window.units),
            )
            for window in self.windows
        ]


_SPLIT_PAGE = TypeAdapter(SplitPage)


def key_of(*parts: str) -> str:
    return hashlib.sha256("\0".join((_FORMAT, *parts)).encode()).hexdigest()


def load_pages(cache: Cache, keys: Sequence[str]) -> dict[str, SplitPage]:
    pages = dict[str, SplitPage]()
    for key, stored in cache.get(keys).items():
        try:
            pages[key] = _SPLIT_PAGE.validate_json(stored)
        except ValidationError:
            # Written by another version: the page is split again.
            continue
    return pages


def save_pages(cache: Cache, pages: Mapping[str, SplitPage]) -> None:
    cache.put({key: _SPLIT_PAGE.dump_json(page) for key, page in pages.items()})


def load_vectors(cache: Cache, keys: Sequence[str], dimension: int) -> dict[str, Vector]:
    vectors = {key: np.frombuffer(stored, dtype="<f4") for key, stored in cache.get(keys).items()}
    return {key: vector for key, vector in vectors.items() if len(vector) == dimension}


def load_states(cache: Cache, keys: Sequence[str]) -> dict[str, PackedStates | None]:
    """None where the embedder returned no states; keys that are not in the cache are left out."""
    stored = cache.get([states_key(key) for key in keys])
    packed = {key: stored[states_key(key)] for key in keys if states_key(key) in stored}
    return {key: PackedStates(content) if content else None for key, content in packed.items()}


def save_embeddings(cache: Cache, embeddings: Mapping[str, Embedding]) -> None:
    """Vectors and states are stored under separate keys: reading the vectors must not load the states."""
    packed = {key: PassageEmbedding.of(embedding) for key, embedding in embeddings.items()}
    vectors = {key: np.asarray(made.vector, dtype="<f4").tobytes() for key, made in packed.items()}
    states = {states_key(key): made.states.content if made.states else b"" for key, made in packed.items()}
    cache.put(vectors | states)


def states_key(key: str) -> str:
    return f"{key}/states"
