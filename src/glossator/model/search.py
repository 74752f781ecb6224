"""A question to the index, and what it finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from glossator.model.book import Chunk, Passage, TokenStates, Vector


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
    states: bool = False
    """Whether the passages come with their token states."""


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
    states: TokenStates | None = None


class Reading(NamedTuple):
    """What the reader says of a question and one window, as logits."""

    answers: float
    """That the window answers the question."""
    belongs: tuple[float, ...]
    """For each part of the window, that it belongs to the answer."""
    facts: tuple[float, ...]
    """For each part, that it has the fact asked for."""


class Support(NamedTuple):
    """What the reader says of a claim and one window, as probabilities that add up to 1."""

    supported: float
    contradicted: float
    not_told: float


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk found for a question, by its best passage."""

    chunk: Chunk
    passage: Passage
    scores: Scores
    similarity: float


# How well a score keeps what it promises.


@dataclass(frozen=True, slots=True)
class Bin:
    low: float
    high: float
    count: int
    promised: float
    """The mean score."""
    kept: float
    """The share that was right."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Of similarity, in one book."""

    book: str
    generation: int
    model: str
    questions: int
    passages: int
    bearing: int
    bins: Sequence[Bin]
    error: float | None
    auroc: float | None
