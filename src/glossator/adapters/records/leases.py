"""Finding a session or opening it, and holding it while a turn runs there: one statement, nearly always."""

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

# SQLite has taken its words for this from PostgreSQL: the one construct speaks to both.
from sqlalchemy.dialects.postgresql import insert

from glossator.adapters.records.retention import Retention, held_from, is_free, is_over
from glossator.adapters.records.rows import has_id, is_this, of_session, session_columns, was_created_then
from glossator.adapters.records.tables import Found, Json, Moment, sessions
from glossator.errors import SessionBusy, SessionUnknown
from glossator.model import Opening, Session, SessionState, Turn

_OWNER = ("owner_key", "owner_user", "id")
_resumed = {
    "archived_at": None,
    "state": case((sessions.c.exchanges > 0, SessionState.ACTIVE.value), else_=SessionState.CREATED.value),
}
_is_of_contract = sessions.c.contract == bindparam("of_contract")
_can_be_entered = and_(is_free, not_(is_over))
_same = sessions.alias()
_name = case(
    (exists().where(_same.c.id == bindparam("called")), bindparam("spare", type_=String)),
    else_=bindparam("first", type_=String),
)
_insert = insert(sessions).values(name=_name)
_fresh = _insert.excluded

_open = _insert.on_conflict_do_nothing(index_elements=_OWNER).returning(*sessions.c)
_enter_or_open = _insert.on_conflict_do_update(
    index_elements=_OWNER,
    set_={
        "lease_turn": _fresh.lease_turn,
        "lease_until": _fresh.lease_until,
        "updated_at": _fresh.updated_at,
        "context_mode": _fresh.context_mode,
        "active_filters": _fresh.active_filters,
        **_resumed,
    },
    where=and_(_can_be_entered, was_created_then, sessions.c.contract == _fresh.contract),
).returning(*sessions.c)
_enter = (
    update(sessions)
    .where(is_this, _is_of_contract, _can_be_entered)
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
_is_there = select(sessions.c.number).where(is_this, _is_of_contract, not_(is_over))
_has_another = select(sessions.c.number).where(has_id, not_(and_(was_created_then, _is_of_contract)))
_clear_away = delete(sessions).where(has_id, is_over, is_free)

Columns = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SessionLeases:
    """Where sessions are entered, in one transaction."""

    connection: Connection
    retention: Retention
    now: datetime

    def enter(self, turn: Turn, until: datetime) -> Found:
        """The session's row, held for the turn. Raises SessionUnknown and SessionBusy."""
        named = turn.session
        this = of_session(named.id, named.owner, turn.session_created_at) | {"of_contract": named.contract}
        columns = {**session_columns(turn.session), "lease_turn": turn.id, "lease_until": until}
        match turn.opening:
            case Opening.IF_UNKNOWN:
                return self._enter_or_open(columns, this)
            case Opening.NEVER:
                return self._enter(columns, this)
            case Opening.ALWAYS:
                return self._open_only(columns, this)

    def open(self, session: Session) -> Found | None:
        """None where there is one already."""
        return self._open(session_columns(session), of_session(session.id, session.owner))

    def _enter_or_open(self, columns: Columns, this: Columns) -> Found:
        values = {**columns, **self._times, "of_created_at": this["of_created_at"]}
        row = self._one(_enter_or_open, values)
        if row is None and self._has_made_room(this):
            row = self._one(_enter_or_open, values)
        if row is None:
            raise SessionUnknown if self._one(_has_another, this) else SessionBusy
        return row

    def _enter(self, columns: Columns, this: Columns) -> Found:
        changed = {f"new_{name}": columns[name] for name in _CHANGED}
        row = self._one(_enter, {**changed, **this, **self._times})
        if row is not None:
            return row
        is_there = self._one(_is_there, {**this, **self.retention.over(self.now)}) is not None
        raise SessionBusy if is_there else SessionUnknown

    def _open_only(self, columns: Columns, this: Columns) -> Found:
        row = self._open(columns, this)
        if row is None:
            raise SessionUnknown
        return row

    def _open(self, columns: Columns, this: Columns) -> Found | None:
        row = self._one(_open, columns)
        if row is None and self._has_made_room(this):
            row = self._one(_open, columns)
        return row

    def _has_made_room(self, this: Columns) -> bool:
        """A session whose time is over is as good as gone."""
        return self.connection.execute(_clear_away, {**this, **self._times}).rowcount > 0

    def _one(self, statement: Executable, values: Columns) -> Found | None:
        return self.connection.execute(statement, values).one_or_none()

    @property
    def _times(self) -> dict[str, datetime]:
        return {**self.retention.over(self.now), **held_from(self.now)}
