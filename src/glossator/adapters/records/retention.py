"""When a session is archived, and when its time is over, by the rules of its contract."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, and_, bindparam, not_, or_

from glossator.adapters.records.columns import Moment
from glossator.adapters.records.tables import sessions
from glossator.model import Contract, Lifecycle, SessionState

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
