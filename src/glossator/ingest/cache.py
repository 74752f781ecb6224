"""What an ingest worked out is kept by its content, so that the next one need not work it out again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import TypeAdapter, ValidationError

from glossator.ingest.codec import (
    PackedStates,
    pack_units,
    states_from_bytes,
    states_to_bytes,
    unpack_units,
)
from glossator.model import Chunk, Embedding, Passage, Vector
from glossator.ports import Cache

_FORMAT = "2"


@dataclass(frozen=True, slots=True)
class CachedWindow:
    """A passage without its chunk, which is written down once."""

    chunk: int
    number: int
    start: int
    end: int
    reading: str
    units: list[int]
    """Packed."""

    @classmethod
    def of(cls, passage: Passage) -> CachedWindow:
        units = pack_units(passage.units)
        return cls(passage.chunk.index, passage.number, passage.start, passage.end, passage.reading, units)


@dataclass(frozen=True, slots=True)
class SplitPage:
    """A page, cut."""

    content_hash: str
    """Of the file it was cut from."""
    title: str
    url: str
    chapter: str
    order: tuple[float | str, ...]
    """Its place in the reading order of the book."""
    chunks: tuple[Chunk, ...]
    windows: tuple[CachedWindow, ...]
    stems: dict[str, int]
    """In how many of its windows each word stands, by its stem."""

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


def kept_pages(cache: Cache, keys: Sequence[str]) -> dict[str, SplitPage]:
    pages = dict[str, SplitPage]()
    for key, stored in cache.get(keys).items():
        try:
            pages[key] = _SPLIT_PAGE.validate_json(stored)
        except ValidationError:
            # Written by another version: worked out again.
            continue
    return pages


def keep_pages(cache: Cache, pages: Mapping[str, SplitPage]) -> None:
    cache.put({key: _SPLIT_PAGE.dump_json(page) for key, page in pages.items()})


def kept_vectors(cache: Cache, keys: Sequence[str], dimension: int) -> dict[str, Vector]:
    vectors = {key: np.frombuffer(stored, dtype="<f4") for key, stored in cache.get(keys).items()}
    return {key: vector for key, vector in vectors.items() if len(vector) == dimension}


def kept_states(cache: Cache, keys: Sequence[str]) -> dict[str, PackedStates | None]:
    """None where the embedder gave none; a key that is missing was lost."""
    stored = cache.get([states_key(key) for key in keys])
    found = {key: stored[states_key(key)] for key in keys if states_key(key) in stored}
    return {key: states_from_bytes(written) if written else None for key, written in found.items()}


def keep_embeddings(cache: Cache, embeddings: Mapping[str, Embedding]) -> None:
    """Vectors and states apart, so that looking for the ones does not read the others."""
    vectors = {key: np.asarray(made.vector, dtype="<f4").tobytes() for key, made in embeddings.items()}
    states = {
        states_key(key): b"" if made.states is None else states_to_bytes(made.states)
        for key, made in embeddings.items()
    }
    cache.put(vectors | states)


def states_key(key: str) -> str:
    return f"{key}/states"
