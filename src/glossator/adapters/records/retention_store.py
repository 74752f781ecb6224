"""The SQL retention store: ends abandoned turns, archives and deletes old sessions, erases readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    ColumnElement,
    Connection,
    FromClause,
    ScalarSelect,
    Select,
    and_,
    bindparam,
    delete,
    func,
    not_,
    or_,
    select,
    type_coerce,
    update,
)

from glossator.adapters.records import idempotency
from glossator.adapters.records.database import Database
from glossator.adapters.records.retention import (
    Retention,
    is_abandoned,
    is_expired,
    is_free,
    is_held,
    is_idle,
    lease_params,
)
from glossator.adapters.records.rows import matches_session, session_params
from glossator.adapters.records.tables import (
    NAME,
    Moment,
    cleared_question,
    exchanges,
    feedback,
    idempotency_keys,
    is_complete,
    is_storable_id,
    sessions,
    unanswered_questions,
)
from glossator.errors import SessionUnknown
from glossator.model import (
    DEFAULT_BOOK,
    Contract,
    ErasedReader,
    Owner,
    RetentionReport,
    SessionState,
    TurnStatus,
)

_DELETE_BATCH = 100
"""Sessions deleted in one transaction: few, so that other writers do not wait long."""

_now = bindparam("now", type_=Moment)
_can_be_archived = (sessions.c.archived_at.is_(None), is_idle, not_(is_expired), is_free)
_can_be_deleted = (is_expired, is_free)

_abandoned = select(exchanges.c.id).where(is_abandoned)
_archivable = select(sessions.c.id).where(*_can_be_archived)
_deletable = select(sessions.c.id).where(*_can_be_deleted)

_release_leases = update(sessions).where(not_(is_held)).values(lease_turn=None, lease_until=None)
_interrupt = (
    update(exchanges)
    .where(is_abandoned)
    .values(status=TurnStatus.INTERRUPTED.value, **cleared_question)
    .returning(exchanges.c.id)
)
_was_interrupted = (
    select(exchanges.c.id)
    .where(
        exchanges.c.id == idempotency_keys.c.exchange_id,
        exchanges.c.status == TurnStatus.INTERRUPTED.value,
    )
    .exists()
)
_free_idempotency_keys = delete(idempotency_keys).where(
    or_(idempotency_keys.c.created_at < bindparam("kept_since", type_=Moment), _was_interrupted)
)
_archive = (
    update(sessions)
    .where(*_can_be_archived)
    .values(archived_at=_now, state=SessionState.INACTIVE.value)
    .returning(sessions.c.id)
)
_delete_batch = (
    delete(sessions)
    .where(
        sessions.c.number.in_(select(sessions.c.number).where(*_can_be_deleted).limit(_DELETE_BATCH)),
        *_can_be_deleted,
    )
    .returning(sessions.c.id)
)


_of_user = bindparam("of_user", type_=NAME)
# Requests of the grounding contract name no user, so its sessions have no user as owner, only a note of one.
_noted_user = type_coerce(sessions.c.metadata, JSON)["user_id"].as_string()
_matches_user = or_(
    sessions.c.owner_user == _of_user,
    and_(sessions.c.contract == Contract.GROUNDING.value, _noted_user == _of_user),
)
_matches_book = sessions.c.book == bindparam("of_book")
_rename_book = update(sessions).where(_matches_book).values(book=bindparam("new_book"))


def _erasure_counts(condition: ColumnElement[bool]) -> Select[int, int, int, int]:
    of_sessions = exchanges.join(sessions, sessions.c.number == exchanges.c.session)

    def count(rows: FromClause, *conditions: ColumnElement[bool]) -> ScalarSelect[int]:
        return select(func.count()).select_from(rows).where(condition, *conditions).scalar_subquery()

    return select(
        count(sessions).label("sessions"),
        count(of_sessions, is_complete).label("exchanges"),
        count(of_sessions.join(feedback, feedback.c.exchange_id == exchanges.c.id)).label("feedback"),
        count(
            of_sessions.join(unanswered_questions, unanswered_questions.c.exchange_id == exchanges.c.id)
        ).label("unanswered"),
    )


class SqlRetentionStore:
    def __init__(self, database: Database, retention: Retention) -> None:
        self._database = database
        self._retention = retention

    async def sweep(self, now: datetime, *, dry_run: bool = False) -> RetentionReport:
        if dry_run:
            return await self._database.read(lambda connection: self._preview(connection, now))
        async with self._database.exclusive() as is_exclusive:
            return await self._sweep(now) if is_exclusive else RetentionReport(is_elsewhere=True)

    async def end_abandoned(self, now: datetime) -> Sequence[str]:
        """Reads before it writes: it runs often and hardly ever finds an abandoned turn."""
        if not await self._database.read(
            lambda connection: connection.scalars(_abandoned, lease_params(now)).all()
        ):
            return ()
        return await self._database.write(lambda connection: _end_turns(connection, now))

    async def erase(self, user: str, books: Sequence[str] = ()) -> ErasedReader:
        if not is_storable_id(user):
            return ErasedReader(sessions=0, exchanges=0, feedback=0, unanswered=0)
        in_books = sessions.c.book.in_("" if book == DEFAULT_BOOK else book for book in books)
        condition = and_(_matches_user, in_books) if books else _matches_user
        return await self._erase(condition, {"of_user": user})

    async def erase_session(
        self, session_id: str, owner: Owner, *, created_at: datetime | None = None
    ) -> ErasedReader:
        erased = await self._erase(matches_session, session_params(session_id, owner, created_at))
        if not erased.sessions:
            raise SessionUnknown
        return erased

    async def erase_book(self, book: str) -> ErasedReader:
        """Erase all sessions about the book."""
        return await self._erase(_matches_book, {"of_book": book})

    async def rename_book(self, book: str, name: str) -> None:
        params = {"of_book": book, "new_book": name}
        await self._database.write(lambda connection: connection.execute(_rename_book, params).rowcount)

    async def _erase(self, condition: ColumnElement[bool], params: Mapping[str, Any]) -> ErasedReader:
        def erase(connection: Connection) -> ErasedReader:
            counts = connection.execute(_erasure_counts(condition), params).mappings().one()
            connection.execute(delete(sessions).where(condition), params)
            return ErasedReader(**counts)

        erased = await self._database.write(erase)
        await self._database.truncate_wal()
        return erased

    async def ping(self) -> None:
        await self._database.ping()

    async def _sweep(self, now: datetime) -> RetentionReport:
        interrupted = await self._database.write(lambda connection: _end_turns(connection, now))
        archived = await self._database.write(lambda connection: self._archive(connection, now))
        deleted = list[str]()
        while batch := await self._database.write(lambda connection: self._delete_batch(connection, now)):
            deleted += batch
        if deleted:
            await self._database.truncate_wal()
        return _report(archived, deleted, interrupted)

    def _archive(self, connection: Connection, now: datetime) -> Sequence[str]:
        params = {
            **self._retention.idle_params(now),
            **self._retention.expired_params(now),
            **lease_params(now),
        }
        return connection.scalars(_archive, params).all()

    def _delete_batch(self, connection: Connection, now: datetime) -> Sequence[str]:
        params = {**self._retention.expired_params(now), **lease_params(now)}
        return connection.scalars(_delete_batch, params).all()

    def _preview(self, connection: Connection, now: datetime) -> RetentionReport:
        params = {**self._retention.expired_params(now), **lease_params(now)}
        return _report(
            archived=connection.scalars(_archivable, {**params, **self._retention.idle_params(now)}).all(),
            deleted=connection.scalars(_deletable, params).all(),
            interrupted=connection.scalars(_abandoned, lease_params(now)).all(),
        )


def _report(archived: Sequence[str], deleted: Sequence[str], interrupted: Sequence[str]) -> RetentionReport:
    return RetentionReport(tuple(sorted(archived)), tuple(sorted(deleted)), tuple(sorted(interrupted)))


def _end_turns(connection: Connection, now: datetime) -> Sequence[str]:
    connection.execute(_release_leases, lease_params(now))
    interrupted = connection.scalars(_interrupt, lease_params(now)).all()
    connection.execute(_free_idempotency_keys, {"kept_since": now - idempotency.KEPT})
    return interrupted
