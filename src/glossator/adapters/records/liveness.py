"""How far a turn has come, and whether anybody is still at it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import and_, not_, select

from glossator.adapters.records.columns import Found
from glossator.adapters.records.retention import LONGEST_LEASE, is_held
from glossator.adapters.records.tables import exchanges, is_unfinished, sessions
from glossator.model import TurnStatus

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
