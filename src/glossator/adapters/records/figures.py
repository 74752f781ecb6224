"""How the assistant did, in numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, Connection, Integer, Select, bindparam, case, func, select

from glossator.adapters.records.columns import Found, Moment
from glossator.adapters.records.tables import cited_sections, exchanges, feedback, is_complete, is_unfinished
from glossator.model import Level, Outcome, ResponseState
from glossator.model.desk import CitedSection, DayCount, Overview

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
