"""When a session is idle or expired by the rules of its contract, and whether a turn's lease still holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, not_, or_, select

from glossator.adapters.records.tables import Moment, Row, exchanges, is_unfinished, sessions
from glossator.model import Contract, Lifecycle, SessionState, TurnStatus

_NEVER = datetime.min.replace(tzinfo=UTC)


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Retention:
    lifecycles: Mapping[Contract, Lifecycle]
    clock: Callable[[], datetime] = utc_now

    def idle_params(self, now: datetime) -> dict[str, datetime]:
        """The parameters of `is_idle`."""
        return {f"idle_{contract}": _before(now, self._archive_after(contract)) for contract in Contract}

    def expired_params(self, now: datetime) -> dict[str, datetime]:
        """The parameters of `is_expired`."""
        return {f"expired_{contract}": _before(now, self._delete_after(contract)) for contract in Contract}

    def state(self, stored: SessionState, contract: Contract, updated_at: datetime) -> SessionState:
        """The state at this moment, even if the sweeper has not stored it yet."""
        now = self.clock()
        if updated_at < _before(now, self._delete_after(contract)):
            return SessionState.EXPIRED
        if updated_at < _before(now, self._archive_after(contract)):
            return SessionState.INACTIVE
        return stored

    def _archive_after(self, contract: Contract) -> timedelta | None:
        lifecycle = self.lifecycles.get(contract)
        return lifecycle.archive_after if lifecycle else None

    def _delete_after(self, contract: Contract) -> timedelta | None:
        lifecycle = self.lifecycles.get(contract)
        return lifecycle.delete_after if lifecycle else None


def _before(now: datetime, age: timedelta | None) -> datetime:
    return _NEVER if age is None else now - age


def _is_unused_since(prefix: str) -> ColumnElement[bool]:
    return or_(*(_is_contract_unused_since(f"{prefix}_{contract}", contract) for contract in Contract))


def _is_contract_unused_since(parameter: str, contract: Contract) -> ColumnElement[bool]:
    is_older = sessions.c.updated_at < bindparam(parameter, type_=Moment)
    return and_(sessions.c.contract == contract.value, is_older)


is_idle = _is_unused_since("idle")
is_expired = _is_unused_since("expired")
LONGEST_LEASE = timedelta(minutes=1)
"""No turn takes a longer lease: one that ends later is void, the clock was set back after it was granted."""


def lease_params(now: datetime) -> dict[str, datetime]:
    """The parameters of `is_held`, `is_free` and `is_abandoned`."""
    return {"now": now, "far": now + LONGEST_LEASE}


is_held = and_(
    sessions.c.lease_until >= bindparam("now", type_=Moment),
    sessions.c.lease_until <= bindparam("far", type_=Moment),
)
is_free = or_(sessions.c.lease_turn.is_(None), not_(is_held))
"""No turn is running in the session."""


_has_lease = (
    select(sessions.c.number)
    .where(
        sessions.c.number == exchanges.c.session,
        sessions.c.lease_turn == exchanges.c.id,
        is_held,
    )
    .correlate(exchanges)
    .exists()
)

is_abandoned = and_(is_unfinished, not_(_has_lease))
"""The process that ran the turn has crashed."""


def statuses(*columns: Any) -> Any:
    """Selects what `status_of` reads, and further columns."""
    return select(
        exchanges.c.id, exchanges.c.status, sessions.c.lease_turn, sessions.c.lease_until, *columns
    ).join_from(exchanges, sessions, sessions.c.number == exchanges.c.session)


def status_of(row: Row, now: datetime) -> TurnStatus:
    """The status at this moment, even if the sweeper has not stored it yet."""
    status = TurnStatus(row.status)
    if status not in (TurnStatus.ACCEPTED, TurnStatus.STREAMING):
        return status
    has_lease = row.lease_turn == row.id and now <= row.lease_until <= now + LONGEST_LEASE
    return status if has_lease else TurnStatus.INTERRUPTED
