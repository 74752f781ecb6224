"""Stores conversations of another server as our sessions, each complete and only once."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update

from glossator.adapters.records.completing import answer_columns, selection_to_json
from glossator.adapters.records.database import Database
from glossator.adapters.records.foreign import ForeignExchange, ForeignSession, Unimported
from glossator.adapters.records.leases import SessionLeases
from glossator.adapters.records.retention import Retention
from glossator.adapters.records.rows import matches_session, session_params
from glossator.adapters.records.tables import exchanges, sessions, storable
from glossator.answer.confidence import is_sufficient, level_of
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

_find = select(sessions.c.number).where(matches_session)
_insert = insert(exchanges)
_set_count = (
    update(sessions)
    .where(sessions.c.number == bindparam("session"))
    .values(exchanges=bindparam("count"), state=SessionState.ACTIVE.value)
)

_EXPIRED = "it is older than its contract keeps sessions"
_KNOWN = "it is here already"
_EMPTY = "it has no whole exchange"


@dataclass(frozen=True, slots=True)
class ImportReport:
    sessions: int = 0
    exchanges: int = 0
    left: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    """Ids of the sessions that were not imported, by reason."""


@dataclass(frozen=True, slots=True)
class Importer:
    database: Database
    retention: Retention
    key: str
    """The API key that will own the sessions."""
    dry_run: bool = False

    async def take(self, conversations: Iterable[ForeignSession], skipped: Unimported) -> ImportReport:
        session_count, exchange_count = 0, 0
        for conversation in conversations:
            reason = await self.database.write(partial(self._store, conversation=conversation))
            if reason is None:
                session_count, exchange_count = (
                    session_count + 1,
                    exchange_count + len(conversation.exchanges),
                )
            else:
                skipped.add(conversation.id, reason)
        return ImportReport(session_count, exchange_count, skipped.by_reason)

    def _store(self, connection: Connection, conversation: ForeignSession) -> str | None:
        """The reason why it is not imported; None if it is, or would be in a run that is not dry."""
        owner = Owner(self.key, conversation.user)
        contract, updated_at = conversation.contract, conversation.updated_at
        if not conversation.exchanges:
            return _EMPTY
        if self.retention.state(SessionState.ACTIVE, contract, updated_at) is SessionState.EXPIRED:
            return _EXPIRED
        if connection.execute(_find, session_params(conversation.id, owner)).one_or_none() is not None:
            return _KNOWN
        if self.dry_run:
            return None
        session = Session(
            conversation.id,
            owner,
            contract,
            conversation.created_at,
            updated_at,
            metadata=conversation.metadata,
        )
        row = SessionLeases(connection, self.retention, self.retention.clock()).open(session)
        if row is None:
            return _KNOWN
        columns = [
            _columns(row.number, number, exchange)
            for number, exchange in enumerate(conversation.exchanges, 1)
        ]
        connection.execute(_insert, columns)
        connection.execute(_set_count, {"session": row.number, "count": len(columns)})
        return None


def _columns(session: int, number: int, exchange: ForeignExchange) -> dict[str, Any]:
    answer = _answer(exchange)
    return {
        **answer_columns(answer, exchange.answered_at),
        "id": answer.id,
        "session": session,
        "number": number,
        "question": storable(exchange.question),
        "selection": selection_to_json(exchange.selection),
        "mode": storable(exchange.mode),
        "asked_at": exchange.asked_at,
        "latency_ms": _latency_ms(exchange),
    }


def _answer(exchange: ForeignExchange) -> Answer:
    score, citations = exchange.confidence, exchange.citations
    return Answer(
        id=str(uuid.uuid4()),
        outcome=Outcome.ANSWERED,
        text=exchange.answer,
        claims=(),
        citations=citations,
        confidence=None if score is None else _confidence(score, len(citations)),
        grounding=Grounding(is_fully_grounded=True),
        suggestions=(),
        disclaimer=None,
        writer=WRITER,
        model=None,
        index=None,
        timings={"total": _latency_ms(exchange)},
        trace=(),
    )


def _latency_ms(exchange: ForeignExchange) -> float:
    return (exchange.answered_at - exchange.asked_at).total_seconds() * 1000


def _confidence(score: float, chunks: int) -> Confidence:
    """The other server stored one score only, which is used for every chunk."""
    level = level_of(score)
    should_answer = level is not Level.INSUFFICIENT
    metrics = ConfidenceMetrics(
        average_similarity=score,
        min_similarity=score,
        max_similarity=score,
        num_chunks=chunks,
        chunk_diversity=0.0,
        confidence_level=level,
        should_answer=should_answer,
        has_sufficient_context=is_sufficient(score, chunks),
    )
    return Confidence(score, level, should_answer, Policy.STRICT, metrics)
