"""What keeps the records in order, and forgets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    ScalarSelect,
    Select,
    bindparam,
    delete,
    func,
    not_,
    or_,
    select,
    update,
)

from glossator.adapters.records import idempotency
from glossator.adapters.records.database import Database
from glossator.adapters.records.retention import (
    Retention,
    held_from,
    is_free,
    is_held,
    is_idle,
    is_left_behind,
    is_over,
)
from glossator.adapters.records.rows import is_this, of_session
from glossator.adapters.records.tables import (
    Moment,
    can_be_name,
    exchanges,
    feedback,
    idempotency_keys,
    is_complete,
    nothing_asked,
    sessions,
    unanswered_questions,
)
from glossator.errors import SessionUnknown
from glossator.model import ErasedReader, Owner, RetentionReport, SessionState, TurnStatus

_AT_ONCE = 100
"""Sessions that are deleted in one transaction, so that no reader waits long for the next."""

_now = bindparam("now", type_=Moment)
_can_be_archived = (sessions.c.archived_at.is_(None), is_idle, not_(is_over), is_free)
_can_be_deleted = (is_over, is_free)

_left_behind = select(exchanges.c.id).where(is_left_behind)
_archivable = select(sessions.c.id).where(*_can_be_archived)
_deletable = select(sessions.c.id).where(*_can_be_deleted)

_let_go = update(sessions).where(not_(is_held)).values(lease_turn=None, lease_until=None)
_interrupt = (
    update(exchanges)
    .where(is_left_behind)
    .values(status=TurnStatus.INTERRUPTED.value, **nothing_asked)
    .returning(exchanges.c.id)
)
_came_to_nothing = (
    select(exchanges.c.id)
    .where(
        exchanges.c.id == idempotency_keys.c.exchange_id,
        exchanges.c.status == TurnStatus.INTERRUPTED.value,
    )
    .exists()
)
_free_names = delete(idempotency_keys).where(
    or_(idempotency_keys.c.created_at < bindparam("kept_since", type_=Moment), _came_to_nothing)
)
_archive = (
    update(sessions)
    .where(*_can_be_archived)
    .values(archived_at=_now, state=SessionState.INACTIVE.value)
    .returning(sessions.c.id)
)
_delete_some = (
    delete(sessions)
    .where(
        sessions.c.number.in_(select(sessions.c.number).where(*_can_be_deleted).limit(_AT_ONCE)),
        *_can_be_deleted,
    )
    .returning(sessions.c.id)
)


_of_user = sessions.c.owner_user == bindparam("of_user")


def _receipt(which: ColumnElement[bool]) -> Select[int, int, int, int]:
    theirs = exchanges.join(sessions, sessions.c.number == exchanges.c.session)

    def how_many(of: FromClause, *further: ColumnElement[bool]) -> ScalarSelect[int]:
        return select(func.count()).select_from(of).where(which, *further).scalar_subquery()

    return select(
        how_many(sessions).label("sessions"),
        how_many(theirs, is_complete).label("exchanges"),
        how_many(theirs.join(feedback, feedback.c.exchange_id == exchanges.c.id)).label("feedback"),
        how_many(
            theirs.join(unanswered_questions, unanswered_questions.c.exchange_id == exchanges.c.id)
        ).label("unanswered"),
    )


class SqlRetentionStore:
    def __init__(self, database: Database, retention: Retention) -> None:
        self._database = database
        self._retention = retention

    async def sweep(self, now: datetime, *, dry_run: bool = False) -> RetentionReport:
        if dry_run:
            return await self._database.read(lambda connection: self._would(connection, now))
        async with self._database.alone() as is_alone:
            return await self._sweep(now) if is_alone else RetentionReport(is_elsewhere=True)

    async def end_abandoned(self, now: datetime) -> Sequence[str]:
        """Looked for before it is done: that is often, and there are hardly ever any."""
        if not await self._database.read(
            lambda connection: connection.scalars(_left_behind, held_from(now)).all()
        ):
            return ()
        return await self._database.write(lambda connection: _end_turns(connection, now))

    async def erase(self, user: str) -> ErasedReader:
        if not can_be_name(user):
            return ErasedReader(sessions=0, exchanges=0, feedback=0, unanswered=0)
        return await self._erased(_of_user, {"of_user": user})

    async def erase_session(
        self, session_id: str, owner: Owner, *, created_at: datetime | None = None
    ) -> ErasedReader:
        erased = await self._erased(is_this, of_session(session_id, owner, created_at))
        if not erased.sessions:
            raise SessionUnknown
        return erased

    async def _erased(self, which: ColumnElement[bool], names: Mapping[str, Any]) -> ErasedReader:
        def erase(connection: Connection) -> ErasedReader:
            counted = connection.execute(_receipt(which), names).mappings().one()
            connection.execute(delete(sessions).where(which), names)
            return ErasedReader(**counted)

        erased = await self._database.write(erase)
        await self._database.truncate_wal()
        return erased

    async def ping(self) -> None:
        await self._database.ping()

    async def _sweep(self, now: datetime) -> RetentionReport:
        interrupted = await self._database.write(lambda connection: _end_turns(connection, now))
        archived = await self._database.write(lambda connection: self._archive(connection, now))
        deleted = list[str]()
        while some := await self._database.write(lambda connection: self._delete_some(connection, now)):
            deleted += some
        if deleted:
            await self._database.truncate_wal()
        return _swept(archived, deleted, interrupted)

    def _archive(self, connection: Connection, now: datetime) -> Sequence[str]:
        times = {**self._retention.idle(now), **self._retention.over(now), **held_from(now)}
        return connection.scalars(_archive, times).all()

    def _delete_some(self, connection: Connection, now: datetime) -> Sequence[str]:
        return connection.scalars(_delete_some, {**self._retention.over(now), **held_from(now)}).all()

    def _would(self, connection: Connection, now: datetime) -> RetentionReport:
        over = {**self._retention.over(now), **held_from(now)}
        return _swept(
            archived=connection.scalars(_archivable, {**over, **self._retention.idle(now)}).all(),
            deleted=connection.scalars(_deletable, over).all(),
            interrupted=connection.scalars(_left_behind, held_from(now)).all(),
        )


def _swept(archived: Sequence[str], deleted: Sequence[str], interrupted: Sequence[str]) -> RetentionReport:
    return RetentionReport(tuple(sorted(archived)), tuple(sorted(deleted)), tuple(sorted(interrupted)))


def _end_turns(connection: Connection, now: datetime) -> Sequence[str]:
    connection.execute(_let_go, held_from(now))
    interrupted = connection.scalars(_interrupt, held_from(now)).all()
    connection.execute(_free_names, {"kept_since": now - idempotency.KEPT})
    return interrupted
