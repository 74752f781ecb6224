"""Whole exchanges, and what readers thought of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Boolean, Connection, Text, bindparam, not_, select

# SQLite has taken its words for this from PostgreSQL: the one construct speaks to both.
from sqlalchemy.dialects.postgresql import insert

from glossator.adapters.records.database import Database
from glossator.adapters.records.retention import Retention, is_over, status_of, statuses
from glossator.adapters.records.rows import (
    exchange_of,
    is_mine,
    is_this,
    of_owner,
    of_session,
    whole_exchanges,
)
from glossator.adapters.records.tables import (
    Moment,
    can_be_name,
    exchanges,
    feedback,
    is_complete,
    sessions,
    storable,
)
from glossator.errors import ExchangeUnknown, SessionUnknown
from glossator.model import Feedback, KeptExchange, Owner, TurnStatus

_session = select(sessions.c.number).where(is_this, not_(is_over))
_of_session = whole_exchanges.where(exchanges.c.session == bindparam("session")).order_by(
    exchanges.c.number.desc()
)
_is_asked_for = exchanges.c.id == bindparam("exchange")
_mine = whole_exchanges.where(_is_asked_for, is_mine, not_(is_over))
_status = statuses().where(_is_asked_for, is_mine)
_judge = insert(feedback).from_select(
    ["exchange_id", "helpful", "reason", "given_at"],
    select(
        exchanges.c.id,
        bindparam("is_helpful", type_=Boolean),
        bindparam("why", type_=Text),
        bindparam("at", type_=Moment),
    )
    .join(sessions, sessions.c.number == exchanges.c.session)
    .where(_is_asked_for, is_complete, is_mine, not_(is_over)),
)
_judge_again = _judge.on_conflict_do_update(
    index_elements=["exchange_id"],
    set_={name: _judge.excluded[name] for name in ("helpful", "reason", "given_at")},
).returning(feedback.c.exchange_id)


class SqlExchangeStore:
    def __init__(self, database: Database, retention: Retention) -> None:
        self._database = database
        self._retention = retention

    async def of_session(
        self, session_id: str, owner: Owner, limit: int | None = None, *, created_at: datetime | None = None
    ) -> Sequence[KeptExchange]:
        this = {**of_session(session_id, owner, created_at), **self._over}

        def read(connection: Connection) -> Sequence[KeptExchange]:
            session = connection.scalar(_session, this)
            if session is None:
                raise SessionUnknown
            rows = connection.execute(_of_session.limit(limit), {"session": session}).all()
            return [exchange_of(row) for row in reversed(rows)]

        return await self._database.read(read)

    async def find(self, exchange_id: str, owner: Owner) -> KeptExchange:
        this = {**_of_exchange(exchange_id, owner), **self._over}
        row = await self._database.read(lambda connection: connection.execute(_mine, this).one_or_none())
        if row is None:
            raise ExchangeUnknown
        return exchange_of(row)

    async def status(self, exchange_id: str, owner: Owner) -> TurnStatus | None:
        if not can_be_name(exchange_id):
            return None
        this = {"exchange": exchange_id, **of_owner(owner)}
        row = await self._database.read(lambda connection: connection.execute(_status, this).one_or_none())
        return status_of(row, self._retention.clock()) if row else None

    async def judge(self, feedback: Feedback, owner: Owner, at: datetime) -> None:
        said = {
            **_of_exchange(feedback.exchange_id, owner),
            "is_helpful": feedback.helpful,
            "why": storable(feedback.reason),
            "at": at,
            **self._over,
        }
        judged = await self._database.write(lambda connection: connection.scalar(_judge_again, said))
        if judged is None:
            raise ExchangeUnknown

    @property
    def _over(self) -> dict[str, datetime]:
        return self._retention.over(self._retention.clock())


def _of_exchange(exchange_id: str, owner: Owner) -> dict[str, str]:
    if not can_be_name(exchange_id) or not can_be_name(owner.user or "-"):
        raise ExchangeUnknown
    return {"exchange": exchange_id, **of_owner(owner)}
