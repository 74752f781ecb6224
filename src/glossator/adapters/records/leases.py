"""Finds or opens a session and leases it to a turn, nearly always in one statement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Connection,
    Executable,
    String,
    and_,
    bindparam,
    case,
    delete,
    exists,
    not_,
    select,
    update,
)

# SQLite copied this syntax from PostgreSQL, so PostgreSQL's construct works on both.
from sqlalchemy.dialects.postgresql import insert

from glossator.adapters.records.retention import Retention, is_expired, is_free, lease_params
from glossator.adapters.records.rows import (
    matches_book,
    matches_created_at,
    matches_id,
    matches_session,
    session_columns,
    session_params,
)
from glossator.adapters.records.tables import Json, Moment, Row, sessions
from glossator.errors import SessionBusy, SessionUnknown
from glossator.model import Opening, Session, SessionState, Turn

_OWNER = ("owner_key", "owner_user", "id")
_resumed = {
    "archived_at": None,
    "state": case((sessions.c.exchanges > 0, SessionState.ACTIVE.value), else_=SessionState.CREATED.value),
}
_is_of_contract = sessions.c.contract == bindparam("of_contract")
_can_be_entered = and_(is_free, not_(is_expired))
_same_id = sessions.alias()
_name = case(
    (exists().where(_same_id.c.id == bindparam("called")), bindparam("spare", type_=String)),
    else_=bindparam("first", type_=String),
)
_insert = insert(sessions).values(name=_name)
_new = _insert.excluded

_open = _insert.on_conflict_do_nothing(index_elements=_OWNER).returning(*sessions.c)
_enter_or_open = _insert.on_conflict_do_update(
    index_elements=_OWNER,
    set_={
        "lease_turn": _new.lease_turn,
        "lease_until": _new.lease_until,
        "updated_at": _new.updated_at,
        "context_mode": _new.context_mode,
        "active_filters": _new.active_filters,
        **_resumed,
    },
    where=and_(
        _can_be_entered,
        matches_created_at,
        sessions.c.contract == _new.contract,
        sessions.c.book == _new.book,
    ),
).returning(*sessions.c)
_enter = (
    update(sessions)
    .where(matches_session, _is_of_contract, _can_be_entered)
    .values(
        lease_turn=bindparam("new_lease_turn"),
        lease_until=bindparam("new_lease_until", type_=Moment),
        updated_at=bindparam("new_updated_at", type_=Moment),
        context_mode=bindparam("new_context_mode"),
        active_filters=bindparam("new_active_filters", type_=Json),
        **_resumed,
    )
    .returning(*sessions.c)
)
_CHANGED = ("lease_turn", "lease_until", "updated_at", "context_mode", "active_filters")
_find = select(sessions.c.number).where(matches_session, _is_of_contract, not_(is_expired))
_has_other = select(sessions.c.number).where(
    matches_id, not_(and_(matches_created_at, _is_of_contract, matches_book))
)
_delete_expired = delete(sessions).where(matches_id, is_expired, is_free)

Columns = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SessionLeases:
    """Opens and leases sessions within one transaction."""

    connection: Connection
    retention: Retention
    now: datetime

    def enter(self, turn: Turn, until: datetime) -> Row:
        """The session's row, leased to the turn. Raises SessionUnknown and SessionBusy."""
        session = turn.session
        params = {
            **session_params(session.id, session.owner, turn.session_created_at),
            "of_contract": session.contract,
        }
        columns = {**session_columns(session), "lease_turn": turn.id, "lease_until": until}
        match turn.opening:
            case Opening.IF_UNKNOWN:
                return self._enter_or_open(columns, params)
            case Opening.NEVER:
                return self._enter(columns, params)
            case Opening.ALWAYS:
                return self._open_only(columns, params)

    def open(self, session: Session) -> Row | None:
        """None if the owner already has a session of this id."""
        return self._open(session_columns(session), session_params(session.id, session.owner))

    def _enter_or_open(self, columns: Columns, params: Columns) -> Row:
        values = {**columns, **self._time_params, "of_created_at": params["of_created_at"]}
        row = self._fetch(_enter_or_open, values)
        if row is None and self._delete_expired(params):
            row = self._fetch(_enter_or_open, values)
        if row is None:
            raise SessionUnknown if self._fetch(_has_other, params) else SessionBusy
        return row

    def _enter(self, columns: Columns, params: Columns) -> Row:
        changed = {f"new_{name}": columns[name] for name in _CHANGED}
        row = self._fetch(_enter, {**changed, **params, **self._time_params})
        if row is not None:
            return row
        is_known = self._fetch(_find, {**params, **self.retention.expired_params(self.now)}) is not None
        raise SessionBusy if is_known else SessionUnknown

    def _open_only(self, columns: Columns, params: Columns) -> Row:
        row = self._open(columns, params)
        if row is None:
            raise SessionUnknown
        return row

    def _open(self, columns: Columns, params: Columns) -> Row | None:
        row = self._fetch(_open, columns)
        if row is None and self._delete_expired(params):
            row = self._fetch(_open, columns)
        return row

    def _delete_expired(self, params: Columns) -> bool:
        """Whether an expired session had the id; it counts as deleted, so its id is free for a new one."""
        return self.connection.execute(_delete_expired, {**params, **self._time_params}).rowcount > 0

    def _fetch(self, statement: Executable, values: Columns) -> Row | None:
        return self.connection.execute(statement, values).one_or_none()

    @property
    def _time_params(self) -> dict[str, datetime]:
        return {**self.retention.expired_params(self.now), **lease_params(self.now)}
