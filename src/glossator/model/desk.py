"""What an operator sees of everybody's sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from glossator.model.answer import Level, Outcome, Suggestion
from glossator.model.session import Feedback, KeptExchange, Session


@dataclass(frozen=True, slots=True)
class DayCount:
    day: date
    """In UTC."""
    exchanges: int


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


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A question that the book did not answer, or hardly."""

    exchange_id: str
    session_id: str
    question: str
    outcome: Outcome
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
