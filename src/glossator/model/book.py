"""A book and what an ingest makes of it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import log
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


class UnitKind(StrEnum):
    PROSE = "prose"
    ITEM = "item"
    """Of a list: a sentence of one of its items."""
    ROW = "row"
    """Of a table; the first has the names of the columns too."""
    CODE = "code"


class Unit(NamedTuple):
    """The smallest part of a passage that an answer quotes: a sentence, a row, a piece of code."""

    kind: UnitKind
    start: int
    end: int
    """Where it stands in the page's source."""
    tokens: int
    """Word pieces of the passage's reading that are its own."""
    block: Span
    """The whole list, table or code that it is a part of; of prose, its paragraph."""
    reading: Span
    """Where it stands in the passage's reading."""


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
    units: tuple[Unit, ...] = ()
    """In reading order; together with the heading before them they are the whole reading."""

    @property
    def point_id(self) -> uuid.UUID:
        """The same place always gets the same id; a chunk's first passage has the chunk's own."""
        suffix = f"/{self.number}" if self.number else ""
        return uuid.uuid5(_POINTS, self.chunk.chunk_id + suffix)

    @property
    def section(self) -> Section:
        return self.chunk.section_at(self.start)

    @property
    def heading(self) -> str:
        """What of the reading stands above the first unit."""
        return self.reading[: self.units[0].reading.start if self.units else None].rstrip("\n")

    @property
    def url(self) -> str:
        return self.chunk.url_of(self.section)


class Part(NamedTuple):
    """The smallest thing the reader judges: a sentence, a row, an item, a line of code."""

    unit: int
    """Its place among the passage's units."""
    reading: Span
    """Where it stands in the passage's reading."""
    tokens: int


class Window(NamedTuple):
    """A run of a passage's parts that the reader reads at once, beside a question or a claim."""

    passage: Passage
    parts: tuple[Part, ...]
    first: int
    after: int
    """Its word pieces, among those of the passage below its headings."""

    @property
    def heading(self) -> str:
        return self.passage.heading

    @property
    def texts(self) -> list[str]:
        """What each part says, without markup."""
        return [self.passage.reading[part.reading.start : part.reading.end] for part in self.parts]


@dataclass(frozen=True, slots=True)
class Embedding:
    """What a model makes of a text: one vector, and one state per word piece when asked for."""

    vector: Vector
    states: TokenStates | None = None
    pieces: tuple[str, ...] = ()
    """The word pieces that the states are of; one that goes on with a word begins with `##`."""


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
class Lexicon:
    """In how many passages of the book each word stands, by its stem."""

    language: str
    passages: int
    counts: Mapping[str, int]

    def rarity(self, stem: str) -> float:
        """0 for a word of every passage; the highest for one that the book does not have."""
        count = self.counts.get(stem, 0)
        return log(1.0 + (self.passages - count + 0.5) / (count + 0.5))


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a generation of the index holds, and how it was made."""

    generation: int
    book: str
    site: str
    embedder: EmbedderIdentity
    splitter: str
    lexicon: Lexicon
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
