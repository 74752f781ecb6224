"""What an operator sees of everybody's sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Executable, Integer, and_, bindparam, delete, not_, or_, select

from glossator.adapters.records.columns import Found, Moment
from glossator.adapters.records.database import Database
from glossator.adapters.records.figures import cited, overview
from glossator.adapters.records.retention import Retention, is_idle, is_over
from glossator.adapters.records.rows import exchange_of, is_this, of_session, session_of, whole_exchanges
from glossator.adapters.records.tables import (
    exchanges,
    feedback,
    is_complete,
    sessions,
    unanswered_questions,
)
from glossator.adapters.records.text import can_be_name
from glossator.errors import SessionUnknown
from glossator.model import (
    Contract,
    Feedback,
    KeptExchange,
    Outcome,
    Owner,
    Session,
    SessionState,
    Suggestion,
)
from glossator.model.desk import CitedSection, Export, Overview, Unanswered

_WHEN = {
    SessionState.EXPIRED: (is_over,),
    SessionState.INACTIVE: (not_(is_over), is_idle),
    SessionState.ACTIVE: (not_(is_over), not_(is_idle), sessions.c.exchanges > 0),
    SessionState.CREATED: (not_(is_over), not_(is_idle), sessions.c.exchanges == 0),
}
_newest_first = select(sessions).order_by(sessions.c.updated_at.desc(), sessions.c.number.desc())
_called = select(sessions).where(sessions.c.id == bindparam("called")).order_by(sessions.c.number)
_this = select(sessions).where(is_this)
_of_session = whole_exchanges.where(is_this).order_by(exchanges.c.number)
_feedback = (
    select(feedback)
    .join(exchanges, exchanges.c.id == feedback.c.exchange_id)
    .join(sessions, sessions.c.number == exchanges.c.session)
    .where(is_this)
    .order_by(exchanges.c.number)
)
_flagged = (
    whole_exchanges.where(exchanges.c.is_flagged)
    .order_by(exchanges.c.answered_at.desc())
    .limit(bindparam("limit", type_=Integer))
)
# A reader who says that an answer did not help has found a gap, whatever the assistant thought of it.
_was_no_help = and_(feedback.c.helpful.is_(False), exchanges.c.outcome != Outcome.SMALL_TALK.value)
_unanswered = (
    select(
        exchanges.c.id.label("exchange_id"),
        sessions.c.id.label("session_id"),
        exchanges.c.session,
        exchanges.c.question,
        exchanges.c.outcome,
        exchanges.c.confidence,
        unanswered_questions.c.nearest_title,
        unanswered_questions.c.nearest_url,
        unanswered_questions.c.nearest_chunk_id,
        exchanges.c.asked_at,
    )
    .join(sessions, sessions.c.number == exchanges.c.session)
    .outerjoin(unanswered_questions, unanswered_questions.c.exchange_id == exchanges.c.id)
    .outerjoin(feedback, feedback.c.exchange_id == exchanges.c.id)
    .where(
        is_complete,
        exchanges.c.answered_at >= bindparam("since", type_=Moment),
        or_(unanswered_questions.c.exchange_id.is_not(None), _was_no_help),
    )
    .order_by(exchanges.c.answered_at.desc(), exchanges.c.id)
    .limit(bindparam("limit", type_=Integer))
)
_delete = delete(sessions).where(is_this)


class SqlDesk:
    def __init__(self, database: Database, retention: Retention) -> None:
        self._database = database
        self._retention = retention

    async def overview(self, since: datetime) -> Overview:
        return await self._database.read(lambda connection: overview(connection, since))

    async def unanswered(self, since: datetime, limit: int) -> Sequence[Unanswered]:
        """The latest first."""
        rows = await self._all(_unanswered, {"since": since, "limit": limit})
        return [_question(row) for row in rows]

    async def flagged(self, limit: int) -> Sequence[KeptExchange]:
        """Where a claim failed its check; the latest first."""
        return [exchange_of(row) for row in await self._all(_flagged, {"limit": limit})]

    async def cited(self, since: datetime) -> Sequence[CitedSection]:
        """The most cited first."""
        return await self._database.read(lambda connection: cited(connection, since))

    async def list_sessions(
        self, *, state: SessionState | None = None, contract: Contract | None = None, limit: int = 50
    ) -> Sequence[Session]:
        """Those that were used last first."""
        now = self._retention.clock()
        query = _newest_first.limit(limit)
        times = dict[str, datetime]()
        if state is not None:
            query = query.where(*_WHEN[state])
            times = {**self._retention.over(now), **self._retention.idle(now)}
        if contract is not None:
            query = query.where(sessions.c.contract == contract.value)
        return [session_of(row, self._retention) for row in await self._all(query, times)]

    async def find(self, session_id: str) -> Sequence[Session]:
        """An id is its owner's own: there may be several."""
        if not can_be_name(session_id):
            return []
        return [session_of(row, self._retention) for row in await self._all(_called, {"called": session_id})]

    async def export(self, session_id: str, owner: Owner) -> Export:
        """Raises SessionUnknown."""
        this = of_session(session_id, owner)
        return await self._database.read(lambda connection: self._export(connection, this))

    async def delete(self, session_id: str, owner: Owner) -> None:
        """Raises SessionUnknown."""
        this = of_session(session_id, owner)
        if not await self._database.write(lambda connection: connection.execute(_delete, this).rowcount):
            raise SessionUnknown
        await self._database.wipe()

    def _export(self, connection: Connection, this: Mapping[str, str]) -> Export:
        session = connection.execute(_this, this).one_or_none()
        if session is None:
            raise SessionUnknown
        return Export(
            session=session_of(session, self._retention),
            exchanges=[exchange_of(row) for row in connection.execute(_of_session, this)],
            feedback=[
                Feedback(row.exchange_id, row.helpful, row.reason)
                for row in connection.execute(_feedback, this)
            ],
        )

    async def _all(self, query: Executable, values: Mapping[str, Any]) -> Sequence[Found]:
        return await self._database.read(lambda connection: connection.execute(query, values).all())


def _question(row: Found) -> Unanswered:
    nearest = Suggestion(row.nearest_title, row.nearest_url, row.nearest_chunk_id)
    return Unanswered(
        exchange_id=row.exchange_id,
        session_id=row.session_id,
        session=row.session,
        question=row.question,
        outcome=Outcome(row.outcome),
        confidence=row.confidence,
        nearest=nearest if row.nearest_title is not None else None,
        asked_at=row.asked_at,
    )
