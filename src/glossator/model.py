"""The words of the product, as frozen values."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
"""One passage or question, of length one."""

TokenStates = NDArray[np.float32]
"""One row per word piece of a passage or question, each of length one."""

_POINTS = uuid.UUID("5f0c4d5e-53b9-5c53-9a3e-8a8f0d7a6c11")


class Span(NamedTuple):
    """Characters `start` to `end` of a text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it, with the anchor the site gives it."""

    title: str
    anchor: str
    path: tuple[str, ...]
    """The titles of the headings above it and its own, without the page's title."""
    start: int
    """Where it begins in the page's source."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A section, a part of one, or small neighbours joined: the unit that is cited."""

    page: str
    page_title: str
    page_url: str
    chapter: str
    index: int
    sections: tuple[Section, ...]
    """The sections it covers, in reading order; never empty."""
    text: str
    """Exactly `source[start:end]` of the page."""
    start: int
    end: int
    token_count: int
    content_hash: str

    @property
    def chunk_id(self) -> str:
        return f"{self.page}#{self.index}"

    def section_at(self, offset: int) -> Section:
        """The section that the character at `offset` of the page belongs to."""
        begun = [section for section in self.sections if section.start <= offset]
        return begun[-1] if begun else self.sections[0]

    def url_of(self, section: Section) -> str:
        return f"{self.page_url}#{section.anchor}" if section.anchor else self.page_url


@dataclass(frozen=True, slots=True)
class Passage:
    """A window of a chunk that the embedding model reads whole: the unit that is scored."""

    chunk: Chunk
    number: int
    start: int
    end: int
    """Where it stands in the page's source."""
    reading: str
    """What the model reads: page title, heading path, and the window without its markup."""

    @property
    def point_id(self) -> uuid.UUID:
        """The same place always gets the same id; a chunk's first passage has the chunk's own."""
        suffix = f"/{self.number}" if self.number else ""
        return uuid.uuid5(_POINTS, self.chunk.chunk_id + suffix)

    @property
    def section(self) -> Section:
        return self.chunk.section_at(self.start)

    @property
    def url(self) -> str:
        return self.chunk.url_of(self.section)


@dataclass(frozen=True, slots=True)
class Embedding:
    """What a model makes of a text: one vector, and one state per word piece when asked for."""

    vector: Vector
    states: TokenStates | None = None


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """Which model, in which form; two indexes can be compared only when this is equal."""

    name: str
    dimension: int
    window: int
    """How many tokens of a passage the model reads."""
    fingerprint: str
    """Changes whenever the vectors would."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Only passages that match every field named here, each by any of its values."""

    chapter: tuple[str, ...] = ()
    section: tuple[str, ...] = ()
    page: tuple[str, ...] = ()
    page_title: tuple[str, ...] = ()
    url: tuple[str, ...] = ()

    def items(self) -> Sequence[tuple[str, tuple[str, ...]]]:
        named = (
            ("chapter", self.chapter),
            ("section", self.section),
            ("page", self.page),
            ("page_title", self.page_title),
            ("url", self.url),
        )
        return [(name, values) for name, values in named if values]


@dataclass(frozen=True, slots=True)
class IndexQuery:
    """A question as the index sees it."""

    text: str
    vector: Vector
    limit: int = 20
    """How many passages come back."""
    candidates: int = 32
    """How deep each leg looks."""
    filters: Filters = field(default_factory=Filters)


@dataclass(frozen=True, slots=True)
class Scores:
    """What each leg of the search said; None where a leg did not find it."""

    dense: float | None
    """Cosine of the question and the passage."""
    sparse: float | None
    """BM25."""
    fused: float


@dataclass(frozen=True, slots=True)
class FoundPassage:
    passage: Passage
    scores: Scores


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk found for a question, by its best passage."""

    chunk: Chunk
    passage: Passage
    scores: Scores
    similarity: float


@dataclass(frozen=True, slots=True)
class PageRecord:
    """A page as the manifest remembers it."""

    path: str
    title: str
    url: str
    chapter: str
    content_hash: str
    chunks: int
    split_key: str
    """Under which the page, cut, is kept."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """A monotone map from a raw cosine to similarity: a logistic curve."""

    slope: float
    midpoint: float
    source: str = "default"

    def similarity(self, cosine: float) -> float:
        return float(1.0 / (1.0 + np.exp(-self.slope * (cosine - self.midpoint))))


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a generation of the index holds, and how it was made."""

    generation: int
    book: str
    site: str
    embedder: EmbedderIdentity
    splitter: str
    calibration: Calibration
    pages: tuple[PageRecord, ...]
    """In reading order."""
    chunks: int
    passages: int
    content_hash: str
    """Of everything that decides what the generation holds."""
    created_at: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """A page that could not be read, and why."""

    page: str
    reason: str


@dataclass(frozen=True, slots=True)
class IngestReport:
    generation: int
    changed: bool
    pages: int
    chunks: int
    passages: int
    embedded: int
    reused: int
    removed: int
    """Chunks of the generation before that the new one no longer has."""
    skipped: tuple[Skipped, ...]
    seconds: float
    stages: Mapping[str, float] = field(default_factory=dict[str, float])
