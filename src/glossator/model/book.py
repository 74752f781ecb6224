"""A book, and what an ingest makes of it: chunks, passages, units, embeddings, the manifest."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from glossator.model.states import PackedStates, TokenStates

Vector = NDArray[np.float32]
"""The embedding of one passage or question, normalized to length one."""

SELECTION = "User Selection"
"""The page title of a text that the reader sent, which is no page of the book."""

_POINTS = uuid.UUID("5f0c4d5e-53b9-5c53-9a3e-8a8f0d7a6c11")


class Span(NamedTuple):
    """Characters `start` to `end` of a text."""

    start: int
    end: int


class Origin(NamedTuple):
    """Where a run of a page's text comes from in the page's file; runs of equal length are copies."""

    text: Span
    file: Span
    """For text that is not in the file, such as an included listing: the span of its directive."""

    def place(self, span: Span) -> Span:
        """The part of the file that `span`, as far as it is inside this run, comes from."""
        if self.text.end - self.text.start != self.file.end - self.file.start:
            return self.file
        shift = self.file.start - self.text.start
        return Span(max(span.start, self.text.start) + shift, min(span.end, self.text.end) + shift)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with the text below it, and the anchor that the site gives it."""

    title: str
    anchor: str
    path: tuple[str, ...]
    """The titles of the enclosing headings and its own, without the title of the page."""
    start: int
    """An offset in the source of the page."""

    @property
    def heading(self) -> str:
        """Its title below that of the section around it: "Solution" alone says little."""
        return " > ".join(self.path[-2:]) or self.title


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
    """Exactly `source[start:end]` of the page's text."""
    start: int
    end: int
    token_count: int
    content_hash: str
    origins: tuple[Origin, ...] = ()
    """Where its text comes from, in order; empty where the page's text is its file."""

    @property
    def chunk_id(self) -> str:
        return f"{self.page}#{self.index}"

    @property
    def is_selection(self) -> bool:
        """Whether the reader sent the text. With it comes the address of a page, or none."""
        return is_selection(self.page_title, self.chapter)

    def section_at(self, offset: int) -> Section:
        """The section of the character at `offset` of the page."""
        started = [section for section in self.sections if section.start <= offset]
        return started[-1] if started else self.sections[0]

    def place_of(self, span: Span) -> Span:
        """The characters of the page's file that a span of its text comes from."""
        places = [
            origin.place(span)
            for origin in self.origins
            if origin.text.start < span.end and span.start < origin.text.end
        ]
        return Span(places[0].start, places[-1].end) if places else span

    def url_of(self, section: Section) -> str:
        return f"{self.page_url}#{section.anchor}" if section.anchor else self.page_url


def is_selection(page_title: str, chapter: str) -> bool:
    """A page of the book may have the same title, but it has a chapter."""
    return page_title == SELECTION and not chapter


class UnitKind(StrEnum):
    PROSE = "prose"
    ITEM = "item"
    """A sentence of an item of a list."""
    ROW = "row"
    """A row of a table; the first includes the header."""
    CODE = "code"


class Unit(NamedTuple):
    """The smallest part of a passage that an answer quotes: a sentence, a row, a piece of code."""

    kind: UnitKind
    start: int
    end: int
    """`start` and `end` are offsets in the source of the page."""
    tokens: int
    """How many tokens of the passage's reading it has."""
    block: Span
    """The span of the list, table, code or paragraph that it is a part of."""
    reading: Span
    """The span in the reading of the passage."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a chunk that the embedding model reads whole: what is embedded and scored."""

    chunk: Chunk
    number: int
    start: int
    end: int
    """`start` and `end` are offsets in the source of the page."""
    reading: str
    """What the model reads: page title, heading path, and the window without its markup."""
    units: tuple[Unit, ...] = ()
    """In reading order; the heading and the units make up the whole reading."""

    @property
    def point_id(self) -> uuid.UUID:
        """Depends only on chunk id and number; the first passage of a chunk has the id of the chunk."""
        suffix = f"/{self.number}" if self.number else ""
        return uuid.uuid5(_POINTS, self.chunk.chunk_id + suffix)

    @property
    def section(self) -> Section:
        return self.chunk.section_at(self.start)

    @property
    def heading(self) -> str:
        """The reading before the first unit."""
        return self.reading[: self.units[0].reading.start if self.units else None].rstrip("\n")

    @property
    def url(self) -> str:
        return self.chunk.url_of(self.section)


class Part(NamedTuple):
    """The smallest thing the reader judges: a sentence, a row, an item, a line of code."""

    unit: int
    """Its index in the units of the passage."""
    reading: Span
    """The span in the reading of the passage."""
    tokens: int


class Window(NamedTuple):
    """Consecutive parts of a passage that the reader reads together with a question or a claim."""

    passage: Passage
    parts: tuple[Part, ...]
    first: int
    after: int
    """The range of its tokens among those of the passage, which are counted without the heading."""

    @property
    def heading(self) -> str:
        return self.passage.heading

    @property
    def texts(self) -> list[str]:
        """The text of each part, without markup."""
        return [self.passage.reading[part.reading.start : part.reading.end] for part in self.parts]


@dataclass(frozen=True, slots=True)
class Embedding:
    """The embedding of a text: one vector and, on request, one state per token."""

    vector: Vector
    states: TokenStates | None = None
    pieces: tuple[str, ...] = ()
    """The token of each state; a token that continues a word begins with `##`."""


@dataclass(frozen=True, slots=True)
class PassageEmbedding:
    """The embedding of a passage as the cache and the index store it."""

    vector: Vector
    states: PackedStates | None = None

    @classmethod
    def of(cls, embedding: Embedding) -> PassageEmbedding:
        states = None if embedding.states is None else PackedStates.of(embedding.states)
        return cls(embedding.vector, states)


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """The model and its settings; vectors can be compared only where this is equal."""

    name: str
    dimension: int
    window: int
    """The maximum number of tokens of a passage."""
    fingerprint: str
    """Changes whenever the vectors would change."""


@dataclass(frozen=True, slots=True)
class PageRecord:
    """A page in the manifest."""

    path: str
    title: str
    url: str
    chapter: str
    content_hash: str
    chunks: int
    split_key: str
    """The key of the split page in the cache."""
    passages: int | None = None
    """None in a manifest of an earlier version."""
    order: tuple[float | str, ...] = ()
    """Sort key in the reading order of the book."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """How many passages of the book contain each stem."""

    language: str
    passages: int
    counts: Mapping[str, int]

    def rarity(self, stem: str) -> float:
        """The inverse document frequency of BM25: near 0 for a common word, highest for an unknown one."""
        count = self.counts.get(stem, 0)
        return log(1.0 + (self.passages - count + 0.5) / (count + 0.5))


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of a generation of the index, and the settings it was made with."""

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
    """A hash of everything that decides the content of the generation."""
    created_at: str
    site_origin: str = ""
    """`https://x.example`, as the configuration of the site says; addresses of pages may lack it."""


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
    """Chunks of the previous generation that are not in the new one."""
    skipped: tuple[Skipped, ...]
    seconds: float
    stages: Mapping[str, float] = field(default_factory=dict[str, float])
