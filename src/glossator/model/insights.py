"""What an operator sees of everybody's sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from glossator.model.answer import Citation, Level, Outcome, Suggestion
from glossator.model.session import Feedback, KeptExchange, ResponseState, Session


@dataclass(frozen=True, slots=True)
class DayCount:
    day: date
    """In UTC."""
    exchanges: int
    outcomes: Mapping[Outcome, int]
    flagged: int


@dataclass(frozen=True, slots=True)
class Overview:
    """Whole exchanges since a moment."""

    since: datetime
    sessions: int
    """In which they were."""
    exchanges: int
    outcomes: Mapping[Outcome, int]
    levels: Mapping[Level, int]
    """Of confidence; small talk has none."""
    flagged: int
    helpful: int
    unhelpful: int
    latency_p50_ms: float | None
    latency_p95_ms: float | None
    """None where nothing was asked."""
    days: Sequence[DayCount]
    """Oldest first; days without a question are left out."""
    responses: Mapping[ResponseState, int] = field(default_factory=dict[ResponseState, int])
    """Those that are being worked on now, those that were delivered, and those with a claim that failed."""


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A question that the book did not answer, or hardly."""

    exchange_id: str
    session_id: str
    session: int
    """Its number: an id may be that of several owners' sessions."""
    question: str
    outcome: Outcome
    """Also `answered`, where a reader said that it did not help."""
    confidence: float | None
    nearest: Suggestion | None
    """The section that came closest."""
    asked_at: datetime


@dataclass(frozen=True, slots=True)
class Export:
    """Everything that is kept of a session."""

    session: Session
    exchanges: Sequence[KeptExchange]
    feedback: Sequence[Feedback]


@dataclass(frozen=True, slots=True)
class Gap:
    """Questions of one meaning that the book did not answer, or hardly."""

    example: str
    """The one that stands nearest to all the others."""
    questions: Sequence[str]
    """Each wording once, the most frequent first."""
    count: int
    sessions: int
    """In which it was asked; never fewer than the report says."""
    outcomes: Mapping[Outcome, int]
    nearest: Suggestion | None
    """The section where an answer would be looked for."""
    missing: Sequence[str]
    """Words of the questions that the book does not have, as they were spelled, the most frequent first."""
    last_asked: datetime


@dataclass(frozen=True, slots=True)
class GapReport:
    since: datetime
    least_sessions: int
    gaps: Sequence[Gap]
    """Asked in the most sessions first."""
    questions: int
    """How many were looked at."""
    held_back: int
    """How many of them are in no gap that is shown: too few sessions asked the like."""
    is_cut: bool = False
    """Whether there were more: only so many, the newest, are compared."""


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
    """Also those that the book no longer has."""
    never: Sequence[CitedSection]
    """In reading order."""
    sections: int
    """That the book has."""


@dataclass(frozen=True, slots=True)
class FlaggedClaim:
    text: str
    nearest: Citation | None
    """What the book says that comes closest; it did not carry the claim."""


@dataclass(frozen=True, slots=True)
class FlaggedAnswer:
    exchange: KeptExchange
    claims: Sequence[FlaggedClaim]
