"""The SQL session store: opens, finds, resets and deletes the sessions of one owner."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, delete, not_, select, update

from glossator.adapters.records.database import Database
from glossator.adapters.records.leases import SessionLeases
from glossator.adapters.records.retention import Retention, is_expired
from glossator.adapters.records.rows import matches_book, matches_session, session_of, session_params
from glossator.adapters.records.tables import Moment, Row, exchanges, sessions
from glossator.errors import SessionBusy, SessionUnknown
from glossator.model import Contract, Owner, Session, SessionState

_find = select(sessions).where(matches_session, not_(is_expired))
_find_by_id = select(sessions).where(
    sessions.c.id == bindparam("of_id"),
    sessions.c.owner_key == bindparam("of_key"),
    sessions.c.contract == bindparam("of_contract"),
    matches_book,
    not_(is_expired),
)
_delete = delete(sessions).where(matches_session, not_(is_expired))
_reset = (
    update(sessions)
    .where(matches_session, not_(is_expired))
    .values(
        state=SessionState.CREATED.value,
        updated_at=bindparam("now", type_=Moment),
        archived_at=None,
        topic_summary="",
        exchanges=0,
        lease_turn=None,
        lease_until=None,
    )
    .returning(*sessions.c)
)
_delete_exchanges = delete(exchanges).where(exchanges.c.session == bindparam("number"))


class SqlSessionStore:
    def __init__(self, database: Database, retention: Retention) -> None:
        self._database = database
        self._retention = retention

    async def open(self, session: Session) -> Session:
        row = await self._database.write(lambda connection: self._open(connection, session))
        return session_of(row, self._retention)

    def _open(self, connection: Connection, session: Session) -> Row:
        opened = SessionLeases(connection, self._retention, self._retention.clock()).open(session)
        if opened is not None:
            return opened
        existing = connection.execute(_find, self._params(session.id, session.owner)).one_or_none()
        if existing is None:
            # It has expired, but a running turn still holds it.
            raise SessionBusy
        return existing

    async def find(self, session_id: str, owner: Owner, *, created_at: datetime | None = None) -> Session:
        params = self._params(session_id, owner, created_at)
        row = await self._database.read(lambda connection: connection.execute(_find, params).one_or_none())
        return session_of(_require(row), self._retention)

    async def find_by_id(self, session_id: str, owner: Owner, contract: Contract) -> Session:
        params = {**self._params(session_id, owner), "of_contract": contract.value}
        rows = await self._database.read(lambda connection: connection.execute(_find_by_id, params).all())
        return session_of(_require(rows[0] if len(rows) == 1 else None), self._retention)

    async def reset(self, session_id: str, owner: Owner, *, created_at: datetime | None = None) -> Session:
        """A turn that is running in the session raises TurnLost later, and its exchange is not stored."""
        params = {**self._params(session_id, owner, created_at), "now": self._retention.clock()}

        def reset(connection: Connection) -> Row:
            row = _require(connection.execute(_reset, params).one_or_none())
            connection.execute(_delete_exchanges, {"number": row.number})
            return row

        row = await self._database.write(reset)
        await self._database.truncate_wal()
        return session_of(row, self._retention)

    async def delete(self, session_id: str, owner: Owner, *, created_at: datetime | None = None) -> None:
        params = self._params(session_id, owner, created_at)
        deleted = await self._database.write(lambda connection: connection.execute(_delete, params).rowcount)
        if not deleted:
            raise SessionUnknown
        await self._database.truncate_wal()

    def _params(self, session_id: str, owner: Owner, created_at: datetime | None = None) -> dict[str, Any]:
        now = self._retention.clock()
        return {**session_params(session_id, owner, created_at), **self._retention.expired_params(now)}


def _require(row: Row | None) -> Row:
    if row is None:
        raise SessionUnknown
    return row
