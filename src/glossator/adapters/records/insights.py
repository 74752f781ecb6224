"""The SQL insight store: what an operator sees of all readers' sessions, and statistics of the answers."""

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
    true,
)

from glossator.adapters.records.database import Database
from glossator.adapters.records.retention import Retention, is_expired, is_idle
from glossator.adapters.records.rows import (
    complete_exchanges,
    exchange_of,
    matches_session,
    owner_of,
    session_of,
    session_params,
)
from glossator.adapters.records.tables import (
    Moment,
    Row,
    cited_sections,
    exchanges,
    feedback,
    is_complete,
    is_storable_id,
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
from glossator.model.insights import AskedQuestion, CitedSection, DayCount, Export, Overview, Unanswered

_IN_STATE = {
    SessionState.EXPIRED: (is_expired,),
    SessionState.INACTIVE: (not_(is_expired), is_idle),
    SessionState.ACTIVE: (not_(is_expired), not_(is_idle), sessions.c.exchanges > 0),
    SessionState.CREATED: (not_(is_expired), not_(is_idle), sessions.c.exchanges == 0),
}
_newest_first = select(sessions).order_by(sessions.c.updated_at.desc(), sessions.c.number.desc())
_by_id = select(sessions).where(sessions.c.id == bindparam("of_id")).order_by(sessions.c.number)
_session = select(sessions).where(matches_session)
_of_session = complete_exchanges.where(matches_session).order_by(exchanges.c.number)
_feedback = (
    select(feedback)
    .join(exchanges, exchanges.c.id == feedback.c.exchange_id)
    .join(sessions, sessions.c.number == exchanges.c.session)
    .where(matches_session)
    .order_by(exchanges.c.number)
)
_flagged = (
    complete_exchanges.where(exchanges.c.is_flagged)
    .order_by(exchanges.c.answered_at.desc())
    .limit(bindparam("limit", type_=Integer))
)
_may_be_gap = exchanges.c.outcome.in_([outcome.value for outcome in Outcome if outcome.may_be_gap])
# An answer that a reader marked as unhelpful is a gap in the book too.
_is_unhelpful = and_(feedback.c.helpful.is_(False), _may_be_gap)
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
        or_(unanswered_questions.c.exchange_id.is_not(None), _is_unhelpful),
    )
    .order_by(exchanges.c.answered_at.desc(), exchanges.c.id)
    .limit(bindparam("limit", type_=Integer))
)
_questions = (
    complete_exchanges.add_columns(
        sessions.c.owner_key,
        sessions.c.owner_user,
        sessions.c.book,
        feedback.c.helpful,
        feedback.c.reason,
    )
    .outerjoin(feedback, feedback.c.exchange_id == exchanges.c.id)
    .order_by(exchanges.c.asked_at.desc(), exchanges.c.id)
    .limit(bindparam("limit", type_=Integer))
)
_begun_with = (
    select(sessions.c.id, sessions.c.owner_key, sessions.c.owner_user, sessions.c.book, exchanges.c.question)
    .join(exchanges, exchanges.c.session == sessions.c.number)
    .where(is_complete)
    .order_by(exchanges.c.number.desc())
)
_delete = delete(sessions).where(matches_session)


class SqlInsightStore:
    def __init__(self, database: Database, retention: Retention, *, book: str | None = None) -> None:
        """Reads one book, or all of them where none is given."""
        self._database = database
        self._retention = retention
        self._sessions = true() if book is None else sessions.c.book == book
        in_book = select(sessions.c.number).where(self._sessions)
        self._exchanges = true() if book is None else exchanges.c.session.in_(in_book)

    async def overview(self, since: datetime) -> Overview:
        return await self._database.read(lambda connection: overview(connection, since, self._exchanges))

    async def unanswered(self, since: datetime, limit: int) -> Sequence[Unanswered]:
        """Newest first."""
        rows = await self._all(_unanswered.where(self._sessions), {"since": since, "limit": limit})
        return [_unanswered_of(row) for row in rows]

    async def flagged(self, limit: int) -> Sequence[KeptExchange]:
        """Exchanges with a claim that failed its check, newest first."""
        query = _flagged.where(self._sessions)
        return [exchange_of(row) for row in await self._all(query, {"limit": limit})]

    async def cited(self, since: datetime) -> Sequence[CitedSection]:
        """Most cited first."""
        return await self._database.read(lambda connection: cited(connection, since, self._exchanges))

    async def list_sessions(
        self, *, state: SessionState | None = None, contract: Contract | None = None, limit: int = 50
    ) -> Sequence[Session]:
        """Most recently used first."""
        now = self._retention.clock()
        query = _newest_first.where(self._sessions).limit(limit)
        params = dict[str, datetime]()
        if state is not None:
            query = query.where(*_IN_STATE[state])
            params = {**self._retention.expired_params(now), **self._retention.idle_params(now)}
        if contract is not None:
            query = query.where(sessions.c.contract == contract.value)
        return [session_of(row, self._retention) for row in await self._all(query, params)]

    async def questions(self, words: str, outcome: Outcome | None, limit: int) -> Sequence[AskedQuestion]:
        """Whose question or answer has these words, in any letter case; newest first."""
        query = _questions.where(self._sessions)
        for word in words.split():
            query = query.where(
                or_(
                    exchanges.c.question.icontains(word, autoescape=True),
                    exchanges.c.answer.icontains(word, autoescape=True),
                )
            )
        if outcome is not None:
            query = query.where(exchanges.c.outcome == outcome.value)
        return [_asked_of(row) for row in await self._all(query, {"limit": limit})]

    async def first_questions(self, session_ids: Sequence[str]) -> Mapping[tuple[str, Owner], str]:
        rows = await self._all(_begun_with.where(self._sessions, sessions.c.id.in_(list(session_ids))), {})
        # The first one comes last.
        return {(row.id, owner_of(row)): row.question for row in rows}

    async def find(self, session_id: str) -> Sequence[Session]:
        """Ids are unique per owner only, so several sessions may match."""
        if not is_storable_id(session_id):
            return []
        rows = await self._all(_by_id.where(self._sessions), {"of_id": session_id})
        return [session_of(row, self._retention) for row in rows]

    async def export(self, session_id: str, owner: Owner) -> Export:
        """Raises SessionUnknown."""
        params = session_params(session_id, owner)
        return await self._database.read(lambda connection: self._export(connection, params))

    async def delete(self, session_id: str, owner: Owner) -> None:
        """Raises SessionUnknown."""
        params = session_params(session_id, owner)
        if not await self._database.write(lambda connection: connection.execute(_delete, params).rowcount):
            raise SessionUnknown
        await self._database.truncate_wal()

    def _export(self, connection: Connection, params: Mapping[str, str]) -> Export:
        session = connection.execute(_session, params).one_or_none()
        if session is None:
            raise SessionUnknown
        return Export(
            session=session_of(session, self._retention),
            exchanges=[exchange_of(row) for row in connection.execute(_of_session, params)],
            feedback=[
                Feedback(row.exchange_id, row.helpful, row.reason)
                for row in connection.execute(_feedback, params)
            ],
        )

    async def _all(self, query: Executable, params: Mapping[str, Any]) -> Sequence[Row]:
        return await self._database.read(lambda connection: connection.execute(query, params).all())


def _asked_of(row: Row) -> AskedQuestion:
    judged = None if row.helpful is None else Feedback(row.id, row.helpful, row.reason)
    return AskedQuestion(exchange_of(row), owner_of(row), judged)


def _unanswered_of(row: Row) -> Unanswered:
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


_in_period = (is_complete, exchanges.c.answered_at >= bindparam("since", type_=Moment))


def _count_where(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.coalesce(func.sum(case((condition, 1), else_=0)), 0)


_totals = (
    select(
        func.count().label("exchanges"),
        func.count(exchanges.c.session.distinct()).label("sessions"),
        _count_where(exchanges.c.is_flagged).label("flagged"),
        _count_where(feedback.c.helpful).label("helpful"),
        _count_where(feedback.c.helpful.is_(False)).label("unhelpful"),
    )
    .join_from(exchanges, feedback, feedback.c.exchange_id == exchanges.c.id, isouter=True)
    .where(*_in_period)
)
_latency = (
    select(exchanges.c.latency_ms)
    .where(*_in_period)
    .order_by(exchanges.c.latency_ms)
    .offset(bindparam("rank", type_=Integer))
    .limit(1)
)


def _count_by(column: ColumnElement[Any]) -> Select[Any, int]:
    return select(column, func.count()).where(*_in_period, column.is_not(None)).group_by(column)


_by_outcome, _by_level = _count_by(exchanges.c.outcome), _count_by(exchanges.c.confidence_level)
# Days are in UTC: PostgreSQL connections set the time zone, SQLite stores times in UTC.
_day = func.date(exchanges.c.answered_at)
_by_day = (
    select(_day, exchanges.c.outcome, func.count(), _count_where(exchanges.c.is_flagged))
    .where(*_in_period)
    .group_by(_day, exchanges.c.outcome)
    .order_by(_day)
)
_cited = (
    select(cited_sections.c.title, cited_sections.c.page, cited_sections.c.url, func.count().label("count"))
    .join(exchanges, exchanges.c.id == cited_sections.c.exchange_id)
    .where(cited_sections.c.cited_at >= bindparam("since", type_=Moment))
    .group_by(cited_sections.c.page, cited_sections.c.url, cited_sections.c.title)
    .order_by(func.count().desc(), cited_sections.c.page, cited_sections.c.url, cited_sections.c.title)
)


_processing = select(func.count()).select_from(exchanges).where(is_unfinished)


def overview(connection: Connection, since: datetime, of_book: ColumnElement[bool]) -> Overview:
    params = {"since": since}
    totals = connection.execute(_totals.where(of_book), params).mappings().one()
    count: int = totals["exchanges"]
    return Overview(
        since=since,
        **totals,
        outcomes={
            Outcome(name): number for name, number in connection.execute(_by_outcome.where(of_book), params)
        },
        levels={Level(name): number for name, number in connection.execute(_by_level.where(of_book), params)},
        latency_p50_ms=_percentile(connection, params, count, 0.50, of_book),
        latency_p95_ms=_percentile(connection, params, count, 0.95, of_book),
        days=list(_days(connection.execute(_by_day.where(of_book), params).all())),
        responses={
            ResponseState.PROCESSING: connection.scalar(_processing.where(of_book)) or 0,
            ResponseState.DELIVERED: count - totals["flagged"],
            ResponseState.FLAGGED: totals["flagged"],
        },
    )


def cited(connection: Connection, since: datetime, of_book: ColumnElement[bool]) -> Sequence[CitedSection]:
    rows = connection.execute(_cited.where(of_book), {"since": since}).mappings()
    return [CitedSection(**row) for row in rows]


def _percentile(
    connection: Connection,
    params: Mapping[str, datetime],
    count: int,
    share: float,
    of_book: ColumnElement[bool],
) -> float | None:
    """The lowest latency that this share of the exchanges did not exceed."""
    rank = max(math.ceil(count * share) - 1, 0)
    latency: float | None = connection.scalar(_latency.where(of_book), {**params, "rank": rank})
    return latency


def _days(rows: Sequence[Row]) -> Iterator[DayCount]:
    for day, group in groupby(rows, key=lambda row: row[0]):
        outcomes = list(group)
        yield DayCount(
            day=day if isinstance(day, date) else date.fromisoformat(day),
            exchanges=sum(count for _, _, count, _ in outcomes),
            outcomes={Outcome(name): count for _, name, count, _ in outcomes},
            flagged=sum(flagged for *_, flagged in outcomes),
        )
