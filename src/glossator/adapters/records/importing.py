"""Puts conversations from elsewhere among our sessions, each whole and only once."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update

from glossator.adapters.records.completing import answer_columns, selection_to_json
from glossator.adapters.records.database import Database
from glossator.adapters.records.foreign import ForeignExchange, ForeignSession, Unimported
from glossator.adapters.records.leases import SessionLeases
from glossator.adapters.records.retention import Retention
from glossator.adapters.records.rows import is_this, of_session
from glossator.adapters.records.tables import exchanges, sessions, storable
from glossator.model import (
    Answer,
    Confidence,
    ConfidenceMetrics,
    Grounding,
    Level,
    Outcome,
    Owner,
    Policy,
    Session,
    SessionState,
)

WRITER = "imported"

_this = select(sessions.c.number).where(is_this)
_add = insert(exchanges)
_count = (
    update(sessions)
    .where(sessions.c.number == bindparam("session"))
    .values(exchanges=bindparam("count"), state=SessionState.ACTIVE.value)
)

_OLD = "it is older than its contract keeps sessions"
_KNOWN = "it is here already"
_EMPTY = "it has no whole exchange"
_CUT_OFFS = ((0.85, Level.HIGH), (0.75, Level.MEDIUM), (0.60, Level.LOW))


@dataclass(frozen=True, slots=True)
class ImportReport:
    sessions: int = 0
    exchanges: int = 0
    left: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    """What was not taken, by the reason."""


@dataclass(frozen=True, slots=True)
class Importer:
    database: Database
    retention: Retention
    key: str
    """Whose the sessions will be."""
    dry_run: bool = False

    async def take(self, found: Iterable[ForeignSession], left: Unimported) -> ImportReport:
        sessions, exchanges = 0, 0
        for one in found:
            reason = await self.database.write(lambda connection, one=one: self._store(connection, one))
            if reason is None:
                sessions, exchanges = sessions + 1, exchanges + len(one.exchanges)
            else:
                left.name(one.id, reason)
        return ImportReport(sessions, exchanges, left.because)

    def _store(self, connection: Connection, one: ForeignSession) -> str | None:
        """Why it was not taken; None where it was, or would be."""
        owner = Owner(self.key, one.user)
        if not one.exchanges:
            return _EMPTY
        if self.retention.state(SessionState.ACTIVE, one.contract, one.updated_at) is SessionState.EXPIRED:
            return _OLD
        if connection.execute(_this, of_session(one.id, owner)).one_or_none() is not None:
            return _KNOWN
        if self.dry_run:
            return None
        session = Session(one.id, owner, one.contract, one.created_at, one.updated_at, metadata=one.metadata)
        row = SessionLeases(connection, self.retention, self.retention.clock()).open(session)
        if row is None:
            return _KNOWN
        columns = [_columns(row.number, number, exchange) for number, exchange in enumerate(one.exchanges, 1)]
        connection.execute(_add, columns)
        connection.execute(_count, {"session": row.number, "count": len(columns)})
        return None


def _columns(session: int, number: int, one: ForeignExchange) -> dict[str, Any]:
    answer = _answer(one)
    return {
        **answer_columns(answer, one.answered_at),
        "id": answer.id,
        "session": session,
        "number": number,
        "question": storable(one.question),
        "selection": selection_to_json(one.selection),
        "mode": storable(one.mode),
        "asked_at": one.asked_at,
        "latency_ms": (one.answered_at - one.asked_at).total_seconds() * 1000,
    }


def _answer(one: ForeignExchange) -> Answer:
    return Answer(
        id=str(uuid.uuid4()),
        outcome=Outcome.ANSWERED,
        text=one.answer,
        claims=(),
        citations=one.citations,
        confidence=None if one.confidence is None else _confidence(one.confidence, len(one.citations)),
        grounding=Grounding(is_fully_grounded=True),
        suggestions=(),
        disclaimer=None,
        writer=WRITER,
        model=None,
        index=None,
        timings={"total": (one.answered_at - one.asked_at).total_seconds() * 1000},
        trace=(),
    )


def _confidence(score: float, chunks: int) -> Confidence:
    """Nothing but the score was kept there; it is taken for that of every chunk."""
    level = next((level for least, level in _CUT_OFFS if score >= least), Level.INSUFFICIENT)
    should_answer = level is not Level.INSUFFICIENT
    metrics = ConfidenceMetrics(
        average_similarity=score,
        min_similarity=score,
        max_similarity=score,
        num_chunks=chunks,
        chunk_diversity=0.0,
        confidence_level=level,
        should_answer=should_answer,
        has_sufficient_context=score >= 0.75 and chunks >= 3,
    )
    return Confidence(score, level, should_answer, Policy.STRICT, metrics)
