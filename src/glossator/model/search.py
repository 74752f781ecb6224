"""Queries to the index, their results, and the scores of the reader model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from glossator.model.book import Chunk, Passage, Span, TokenStates, Vector


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
    """A question to the index."""

    text: str
    vector: Vector
    limit: int = 20
    """How many passages are returned."""
    candidates: int = 32
    """How many passages each of the dense and the sparse search contributes."""
    filters: Filters = field(default_factory=Filters)
    states: bool = False
    """Whether to return the token states of the passages."""


@dataclass(frozen=True, slots=True)
class Scores:
    """What each leg of the search said; None where a leg did not find it."""

    dense: float | None
    """Cosine similarity of the question and the passage."""
    sparse: float | None
    """BM25."""
    fused: float


@dataclass(frozen=True, slots=True)
class FoundPassage:
    passage: Passage
    scores: Scores
    states: TokenStates | None = None


class Fact(NamedTuple):
    """The few words of a window that say what is asked for, where nothing else in it looks like them."""

    part: int
    """Its index among the parts of the window."""
    span: Span
    """Characters of that part's text."""
    logit: float


class Reading(NamedTuple):
    """The scores of the reader for a question and one window, as logits."""

    answers: float
    """How surely the window answers the question."""
    belongs: tuple[float, ...]
    """For each part of the window, how surely it belongs to the answer."""
    facts: tuple[float, ...]
    """For each part of the window, how surely it contains the fact asked for."""
    fact: Fact | None = None


class Support(NamedTuple):
    """The judgement of the reader on a claim and one window, as probabilities that add up to 1."""

    supported: float
    contradicted: float
    not_told: float


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved chunk with its best passage."""

    chunk: Chunk
    passage: Passage
    scores: Scores
    similarity: float
    is_near: bool = True
    """Whether it is about the subject of the question, whether or not it answers it."""


@dataclass(frozen=True, slots=True)
class Bin:
    """A bin of a calibration curve."""

    low: float
    high: float
    count: int
    promised: float
    """The mean score in the bin."""
    kept: float
    """The share of correct results in the bin."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How well similarity is calibrated for one book."""

    book: str
    generation: int
    model: str
    questions: int
    passages: int
    bearing: int
    bins: Sequence[Bin]
    error: float | None
    auroc: float | None
