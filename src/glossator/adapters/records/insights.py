"""What an operator sees of everybody's sessions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from itertools import groupby
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Executable,
    Integer,
    Select,
    and_,
    bindparam,
    case,
    delete,
    func,
    not_,
    or_,
    select,
)

from glossator.adapters.records.database import Database
from glossator.adapters.records.retention import Retention, is_idle, is_over
from glossator.adapters.records.rows import exchange_of, is_this, of_session, session_of, whole_exchanges
from glossator.adapters.records.tables import (
    Found,
    Moment,
    can_be_name,
    cited_sections,
    exchanges,
    feedback,
    is_complete,
    is_unfinished,
    sessions,
    unanswered_questions,
)
from glossator.errors import SessionUnknown
from glossator.model import (
    Contract,
    Feedback,
    KeptExchange,
    Level,
    Outcome,
    Owner,
    ResponseState,
    Session,
    SessionState,
    Suggestion,
)
from glossator.model.insights import CitedSection, DayCount, Export, Overview, Unanswered

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


class SqlInsightStore:
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
        await self._database.truncate_wal()

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


# How the assistant did, in numbers.

_counted = (is_complete, exchanges.c.answered_at >= bindparam("since", type_=Moment))


def _how_many(which: ColumnElement[bool]) -> ColumnElement[int]:
    return func.coalesce(func.sum(case((which, 1), else_=0)), 0)


_totals = (
    select(
        func.count().label("exchanges"),
        func.count(exchanges.c.session.distinct()).label("sessions"),
        _how_many(exchanges.c.is_flagged).label("flagged"),
        _how_many(feedback.c.helpful).label("helpful"),
        _how_many(feedback.c.helpful.is_(False)).label("unhelpful"),
    )
    .join_from(exchanges, feedback, feedback.c.exchange_id == exchanges.c.id, isouter=True)
    .where(*_counted)
)
_latency = (
    select(exchanges.c.latency_ms)
    .where(*_counted)
    .order_by(exchanges.c.latency_ms)
    .offset(bindparam("place", type_=Integer))
    .limit(1)
)


def _by(column: ColumnElement[Any]) -> Select[Any, int]:
    return select(column, func.count()).where(*_counted, column.is_not(None)).group_by(column)


_by_outcome, _by_level = _by(exchanges.c.outcome), _by(exchanges.c.confidence_level)
# The server's day is that of UTC: the connection says so.
_day = func.date(exchanges.c.answered_at)
_by_day = (
    select(_day, exchanges.c.outcome, func.count(), _how_many(exchanges.c.is_flagged))
    .where(*_counted)
    .group_by(_day, exchanges.c.outcome)
    .order_by(_day)
)
_cited = (
    select(cited_sections.c.title, cited_sections.c.page, cited_sections.c.url, func.count().label("count"))
    .where(cited_sections.c.cited_at >= bindparam("since", type_=Moment))
    .group_by(cited_sections.c.page, cited_sections.c.url, cited_sections.c.title)
    .order_by(func.count().desc(), cited_sections.c.page, cited_sections.c.url, cited_sections.c.title)
)


_processing = select(func.count()).select_from(exchanges).where(is_unfinished)


def overview(connection: Connection, since: datetime) -> Overview:
    of = {"since": since}
    totals = connection.execute(_totals, of).mappings().one()
    count: int = totals["exchanges"]
    return Overview(
        since=since,
        **totals,
        outcomes={Outcome(name): number for name, number in connection.execute(_by_outcome, of)},
        levels={Level(name): number for name, number in connection.execute(_by_level, of)},
        latency_p50_ms=_percentile(connection, since, count, 0.50),
        latency_p95_ms=_percentile(connection, since, count, 0.95),
        days=list(_days(connection.execute(_by_day, of).all())),
        responses={
            ResponseState.PROCESSING: connection.scalar(_processing) or 0,
            ResponseState.DELIVERED: count - totals["flagged"],
            ResponseState.FLAGGED: totals["flagged"],
        },
    )


def cited(connection: Connection, since: datetime) -> Sequence[CitedSection]:
    return [CitedSection(**row) for row in connection.execute(_cited, {"since": since}).mappings()]


def _percentile(connection: Connection, since: datetime, count: int, share: float) -> float | None:
    """The least latency that this share of the exchanges did not exceed."""
    place = max(math.ceil(count * share) - 1, 0)
    latency: float | None = connection.scalar(_latency, {"since": since, "place": place})
    return latency


def _days(rows: Sequence[Found]) -> Iterator[DayCount]:
    for day, some in groupby(rows, key=lambda row: row[0]):
        found = list(some)
        yield DayCount(
            day=day if isinstance(day, date) else date.fromisoformat(day),
            exchanges=sum(count for _, _, count, _ in found),
            outcomes={Outcome(name): count for _, name, count, _ in found},
            flagged=sum(flagged for *_, flagged in found),
        )
