"""What an ingest worked out is kept by its content, so that the next one need not work it out again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import TypeAdapter, ValidationError

from glossator.model import Chunk, Passage, Vector
from glossator.ports import Cache

_FORMAT = "1"


@dataclass(frozen=True, slots=True)
class Window:
    """A passage without its chunk, which is written down once."""

    chunk: int
    number: int
    start: int
    end: int
    reading: str


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
    windows: tuple[Window, ...]

    @property
    def passages(self) -> list[Passage]:
        return [
            Passage(self.chunks[window.chunk], window.number, window.start, window.end, window.reading)
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


def keep_vectors(cache: Cache, vectors: Mapping[str, Vector]) -> None:
    cache.put({key: np.asarray(vector, dtype="<f4").tobytes() for key, vector in vectors.items()})
