"""Statistics and reports about all sessions, for an operator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum

from glossator.model.answer import Citation, Level, Outcome, Suggestion
from glossator.model.session import Feedback, KeptExchange, Owner, ResponseState, Session


@dataclass(frozen=True, slots=True)
class DayCount:
    day: date
    """The day in UTC."""
    exchanges: int
    outcomes: Mapping[Outcome, int]
    flagged: int


@dataclass(frozen=True, slots=True)
class Overview:
    """Whole exchanges since a moment."""

    since: datetime
    sessions: int
    """How many sessions have such exchanges."""
    exchanges: int
    outcomes: Mapping[Outcome, int]
    levels: Mapping[Level, int]
    """Answers by level of confidence; small talk has none."""
    flagged: int
    helpful: int
    unhelpful: int
    latency_p50_ms: float | None
    latency_p95_ms: float | None
    """None without any exchange."""
    days: Sequence[DayCount]
    """Oldest first; days without an exchange are left out."""
    responses: Mapping[ResponseState, int] = field(default_factory=dict[ResponseState, int])
    """Answers in progress now, delivered answers, and answers with a claim that failed its check."""


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A question without an answer, with a doubtful one, or with one that did not help."""

    exchange_id: str
    session_id: str
    session: int
    """The number of the session, because sessions of several owners may have the same id."""
    question: str
    outcome: Outcome
    """`answered` only where a reader rated the answer as not helpful."""
    confidence: float | None
    nearest: Suggestion | None
    """The most similar section."""
    asked_at: datetime


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A stored question with its answer, who asked it, and what the reader thought of the answer."""

    exchange: KeptExchange
    owner: Owner
    feedback: Feedback | None


@dataclass(frozen=True, slots=True)
class Export:
    """Everything that is stored of a session."""

    session: Session
    exchanges: Sequence[KeptExchange]
    feedback: Sequence[Feedback]


class GapState(StrEnum):
    """What became of a gap since the book was ingested last."""

    OPEN = "open"
    """Asked in vain of the book as it is now."""
    STILL_OPEN = "still_open"
    """Last asked before the latest ingest; the book as it is now does not answer it either."""
    CLOSED = "closed"
    """Last asked before the latest ingest; the book as it is now answers it."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Questions of one meaning that the book did not answer, or hardly."""

    example: str
    """The question most similar to all others."""
    questions: Sequence[str]
    """Each wording once, most frequent first."""
    count: int
    sessions: int
    """How many sessions asked such a question; never fewer than `least_sessions` of the report."""
    outcomes: Mapping[Outcome, int]
    nearest: Suggestion | None
    """The section where a reader would look for the answer."""
    missing: Sequence[str]
    """Words of the questions that are not in the book, as spelled, most frequent first."""
    last_asked: datetime
    state: GapState = GapState.OPEN


@dataclass(frozen=True, slots=True)
class GapReport:
    since: datetime
    least_sessions: int
    gaps: Sequence[Gap]
    """The gaps that the most sessions have asked about come first."""
    questions: int
    """How many questions were compared."""
    held_back: int
    """How many of them are in no gap of the report, because too few sessions asked similar ones."""
    is_cut: bool = False
    """Whether there were more questions than the limit, of which only the newest are compared."""


@dataclass(frozen=True, slots=True)
class CitedSection:
    title: str
    page: str
    url: str
    count: int
    """Answers that cite it."""


@dataclass(frozen=True, slots=True)
class CitedSections:
    since: datetime
    most: Sequence[CitedSection]
    """The sections that are cited most, including those that the book no longer has."""
    never: Sequence[CitedSection]
    """Never cited, in reading order."""
    sections: int
    """Number of sections in the book."""


@dataclass(frozen=True, slots=True)
class FlaggedClaim:
    text: str
    nearest: Citation | None
    """The closest text of the book, which does not support the claim."""


@dataclass(frozen=True, slots=True)
class FlaggedAnswer:
    exchange: KeptExchange
    claims: Sequence[FlaggedClaim]
