"""The exchanges of one reader, with an owner and a lifecycle."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, delete, not_, select, update

from glossator.adapters.records.database import Database
from glossator.adapters.records.leases import SessionLeases
from glossator.adapters.records.retention import Retention, is_over
from glossator.adapters.records.rows import is_this, of_session, session_of
from glossator.adapters.records.tables import Found, Moment, exchanges, sessions
from glossator.errors import SessionBusy, SessionUnknown
from glossator.model import Contract, Owner, Session, SessionState

_find = select(sessions).where(is_this, not_(is_over))
_find_by_id = select(sessions).where(
    sessions.c.id == bindparam("of_id"),
    sessions.c.owner_key == bindparam("of_key"),
    sessions.c.contract == bindparam("of_contract"),
    not_(is_over),
)
_delete = delete(sessions).where(is_this, not_(is_over))
_reset = (
    update(sessions)
    .where(is_this, not_(is_over))
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
_empty = delete(exchanges).where(exchanges.c.session == bindparam("number"))


class SqlSessionStore:
    def __init__(self, database: Database, retention: Retention) -> None:
        self._database = database
        self._retention = retention

    async def open(self, session: Session) -> Session:
        row = await self._database.write(lambda connection: self._open(connection, session))
        return session_of(row, self._retention)

    def _open(self, connection: Connection, session: Session) -> Found:
        opened = SessionLeases(connection, self._retention, self._retention.clock()).open(session)
        if opened is not None:
            return opened
        found = connection.execute(_find, self._this(session.id, session.owner)).one_or_none()
        if found is None:
            # Its time ran out while a turn still holds it.
            raise SessionBusy
        return found

    async def find(self, session_id: str, owner: Owner, *, created_at: datetime | None = None) -> Session:
        this = self._this(session_id, owner, created_at)
        row = await self._database.read(lambda connection: connection.execute(_find, this).one_or_none())
        return session_of(_known(row), self._retention)

    async def find_by_id(self, session_id: str, key: str, contract: Contract) -> Session:
        this = {**self._this(session_id, Owner(key)), "of_contract": contract.value}
        rows = await self._database.read(lambda connection: connection.execute(_find_by_id, this).all())
        return session_of(_known(rows[0] if len(rows) == 1 else None), self._retention)

    async def reset(self, session_id: str, owner: Owner, *, created_at: datetime | None = None) -> Session:
        """A turn that is running there has lost its session, and with it its exchange."""
        this = {**self._this(session_id, owner, created_at), "now": self._retention.clock()}

        def reset(connection: Connection) -> Found:
            row = _known(connection.execute(_reset, this).one_or_none())
            connection.execute(_empty, {"number": row.number})
            return row

        row = await self._database.write(reset)
        await self._database.truncate_wal()
        return session_of(row, self._retention)

    async def delete(self, session_id: str, owner: Owner, *, created_at: datetime | None = None) -> None:
        this = self._this(session_id, owner, created_at)
        deleted = await self._database.write(lambda connection: connection.execute(_delete, this).rowcount)
        if not deleted:
            raise SessionUnknown
        await self._database.truncate_wal()

    def _this(self, session_id: str, owner: Owner, created_at: datetime | None = None) -> dict[str, Any]:
        return {**of_session(session_id, owner, created_at), **self._retention.over(self._retention.clock())}


def _known(row: Found | None) -> Found:
    if row is None:
        raise SessionUnknown
    return row
