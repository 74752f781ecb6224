"""When a session is archived, and when its time is over, by the rules of its contract."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, not_, or_, select

from glossator.adapters.records.tables import Found, Moment, exchanges, is_unfinished, sessions
from glossator.model import Contract, Lifecycle, SessionState, TurnStatus

_NEVER = datetime.min.replace(tzinfo=UTC)


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Retention:
    lifecycles: Mapping[Contract, Lifecycle]
    clock: Callable[[], datetime] = utc_now

    def idle(self, now: datetime) -> dict[str, datetime]:
        """What `is_idle` is to be read with."""
        return {f"idle_{one}": _earlier(now, self._archive_after(one)) for one in Contract}

    def over(self, now: datetime) -> dict[str, datetime]:
        """What `is_over` is to be read with."""
        return {f"over_{one}": _earlier(now, self._delete_after(one)) for one in Contract}

    def state(self, stored: SessionState, contract: Contract, updated_at: datetime) -> SessionState:
        """As it is now, whether or not the sweeper has been there since."""
        now = self.clock()
        if updated_at < _earlier(now, self._delete_after(contract)):
            return SessionState.EXPIRED
        if updated_at < _earlier(now, self._archive_after(contract)):
            return SessionState.INACTIVE
        return stored

    def _archive_after(self, contract: Contract) -> timedelta | None:
        lifecycle = self.lifecycles.get(contract)
        return lifecycle.archive_after if lifecycle else None

    def _delete_after(self, contract: Contract) -> timedelta | None:
        lifecycle = self.lifecycles.get(contract)
        return lifecycle.delete_after if lifecycle else None


def _earlier(now: datetime, time: timedelta | None) -> datetime:
    return _NEVER if time is None else now - time


def _is_left_since(what: str) -> ColumnElement[bool]:
    return or_(*(_is_one_left_since(f"{what}_{contract}", contract) for contract in Contract))


def _is_one_left_since(moment: str, contract: Contract) -> ColumnElement[bool]:
    is_older = sessions.c.updated_at < bindparam(moment, type_=Moment)
    return and_(sessions.c.contract == contract.value, is_older)


is_idle = _is_left_since("idle")
is_over = _is_left_since("over")
LONGEST_LEASE = timedelta(minutes=1)
"""No turn asks for so much: a lease that ends later was given before somebody set the clock back."""


def held_from(now: datetime) -> dict[str, datetime]:
    """What `is_held` and `is_free` are to be read with."""
    return {"now": now, "far": now + LONGEST_LEASE}


is_held = and_(
    sessions.c.lease_until >= bindparam("now", type_=Moment),
    sessions.c.lease_until <= bindparam("far", type_=Moment),
)
is_free = or_(sessions.c.lease_turn.is_(None), not_(is_held))
"""No turn is running in it."""


# How far a turn has come, and whether anybody is still at it.

_is_held = (
    select(sessions.c.number)
    .where(
        sessions.c.number == exchanges.c.session,
        sessions.c.lease_turn == exchanges.c.id,
        is_held,
    )
    .correlate(exchanges)
    .exists()
)

is_left_behind = and_(is_unfinished, not_(_is_held))
"""A crash took whoever was at it."""


def statuses(*more: Any) -> Any:
    """Rows that `status_of` reads, with more columns."""
    return select(
        exchanges.c.id, exchanges.c.status, sessions.c.lease_turn, sessions.c.lease_until, *more
    ).join_from(exchanges, sessions, sessions.c.number == exchanges.c.session)


def status_of(row: Found, now: datetime) -> TurnStatus:
    """As it is, whether or not the sweeper has been there since."""
    status = TurnStatus(row.status)
    if status not in (TurnStatus.ACCEPTED, TurnStatus.STREAMING):
        return status
    has_lease = row.lease_turn == row.id and now <= row.lease_until <= now + LONGEST_LEASE
    return status if has_lease else TurnStatus.INTERRUPTED
