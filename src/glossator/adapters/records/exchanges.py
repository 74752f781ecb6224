"""The SQL exchange store: reads the exchanges that `turns` has stored, and stores the feedback on them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Boolean, Connection, Text, bindparam, not_, select

# SQLite copied this syntax from PostgreSQL, so PostgreSQL's construct works on both.
from sqlalchemy.dialects.postgresql import insert

from glossator.adapters.records.database import Database
from glossator.adapters.records.retention import Retention, is_expired, status_of, statuses
from glossator.adapters.records.rows import (
    complete_exchanges,
    exchange_of,
    matches_owner,
    matches_session,
    owner_params,
    session_params,
)
from glossator.adapters.records.tables import (
    Moment,
    exchanges,
    feedback,
    is_complete,
    is_storable_id,
    sessions,
    storable,
)
from glossator.errors import ExchangeUnknown, SessionUnknown
from glossator.model import Feedback, KeptExchange, Owner, TurnStatus

_session = select(sessions.c.number).where(matches_session, not_(is_expired))
_of_session = complete_exchanges.where(exchanges.c.session == bindparam("session")).order_by(
    exchanges.c.number.desc()
)
_matches_exchange = exchanges.c.id == bindparam("exchange")
_find = complete_exchanges.where(_matches_exchange, matches_owner, not_(is_expired))
_status = statuses().where(_matches_exchange, matches_owner)
_insert_feedback = insert(feedback).from_select(
    ["exchange_id", "helpful", "reason", "given_at"],
    select(
        exchanges.c.id,
        bindparam("is_helpful", type_=Boolean),
        bindparam("why", type_=Text),
        bindparam("at", type_=Moment),
    )
    .join(sessions, sessions.c.number == exchanges.c.session)
    .where(_matches_exchange, is_complete, matches_owner, not_(is_expired)),
)
_upsert_feedback = _insert_feedback.on_conflict_do_update(
    index_elements=["exchange_id"],
    set_={name: _insert_feedback.excluded[name] for name in ("helpful", "reason", "given_at")},
).returning(feedback.c.exchange_id)


class SqlExchangeStore:
    def __init__(self, database: Database, retention: Retention) -> None:
        self._database = database
        self._retention = retention

    async def of_session(
        self, session_id: str, owner: Owner, limit: int | None = None, *, created_at: datetime | None = None
    ) -> Sequence[KeptExchange]:
        params = {**session_params(session_id, owner, created_at), **self._expired_params}

        def read(connection: Connection) -> Sequence[KeptExchange]:
            session = connection.scalar(_session, params)
            if session is None:
                raise SessionUnknown
            rows = connection.execute(_of_session.limit(limit), {"session": session}).all()
            return [exchange_of(row) for row in reversed(rows)]

        return await self._database.read(read)

    async def find(self, exchange_id: str, owner: Owner) -> KeptExchange:
        params = {**_exchange_params(exchange_id, owner), **self._expired_params}
        row = await self._database.read(lambda connection: connection.execute(_find, params).one_or_none())
        if row is None:
            raise ExchangeUnknown
        return exchange_of(row)

    async def status(self, exchange_id: str, owner: Owner) -> TurnStatus | None:
        if not is_storable_id(exchange_id):
            return None
        params = {"exchange": exchange_id, **owner_params(owner)}
        row = await self._database.read(lambda connection: connection.execute(_status, params).one_or_none())
        return status_of(row, self._retention.clock()) if row else None

    async def judge(self, feedback: Feedback, owner: Owner, at: datetime) -> None:
        params = {
            **_exchange_params(feedback.exchange_id, owner),
            "is_helpful": feedback.helpful,
            "why": storable(feedback.reason),
            "at": at,
            **self._expired_params,
        }
        exchange_id = await self._database.write(
            lambda connection: connection.scalar(_upsert_feedback, params)
        )
        if exchange_id is None:
            raise ExchangeUnknown

    @property
    def _expired_params(self) -> dict[str, datetime]:
        return self._retention.expired_params(self._retention.clock())


def _exchange_params(exchange_id: str, owner: Owner) -> dict[str, str]:
    if not is_storable_id(exchange_id) or not is_storable_id(owner.user or "-"):
        raise ExchangeUnknown
    return {"exchange": exchange_id, **owner_params(owner)}
