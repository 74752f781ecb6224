"""The names that callers give their requests, so that sending one twice asks once."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta

from sqlalchemy import Connection, bindparam, delete

# SQLite has taken its words for this from PostgreSQL: the one construct speaks to both.
from sqlalchemy.dialects.postgresql import insert

from glossator.adapters.records.retention import status_of, statuses
from glossator.adapters.records.tables import Found, exchanges, idempotency_keys
from glossator.errors import AlreadyAsked, IdempotencyMismatch, SessionBusy
from glossator.model import Idempotency, Session, Turn, TurnStatus

KEPT = timedelta(hours=24)

_TRIES = 3
_ENDED_BADLY = (TurnStatus.INTERRUPTED, TurnStatus.FAILED)

_claim = (
    insert(idempotency_keys)
    .on_conflict_do_nothing(index_elements=["key"])
    .returning(idempotency_keys.c.exchange_id)
)
_holder = (
    statuses(idempotency_keys.c.fingerprint, idempotency_keys.c.created_at)
    .join(idempotency_keys, idempotency_keys.c.exchange_id == exchanges.c.id)
    .where(idempotency_keys.c.key == bindparam("name"))
)
_free = delete(idempotency_keys).where(idempotency_keys.c.exchange_id == bindparam("turn"))


def claim(connection: Connection, turn: Turn, now: datetime) -> None:
    """The name is this turn's from now on. Raises AlreadyAsked and IdempotencyMismatch."""
    named = turn.idempotency
    if named is None:
        return
    key = _key(turn.session, named)
    columns = {"key": key, "fingerprint": named.fingerprint, "exchange_id": turn.id, "created_at": now}
    for _ in range(_TRIES):
        if connection.execute(_claim, columns).one_or_none():
            return
        holder = connection.execute(_holder, {"name": key}).one_or_none()
        if holder is not None:
            _refuse_or_free(connection, holder, named, now)
    raise SessionBusy


def free(connection: Connection, turn_id: str) -> None:
    connection.execute(_free, {"turn": turn_id})


def _refuse_or_free(connection: Connection, holder: Found, named: Idempotency, now: datetime) -> None:
    """A name is free again after a day, and at once when its turn came to nothing."""
    if status_of(holder, now) in _ENDED_BADLY or holder.created_at < now - KEPT:
        free(connection, holder.id)
        return
    if holder.fingerprint != named.fingerprint:
        raise IdempotencyMismatch
    raise AlreadyAsked(holder.id)


def _key(session: Session, named: Idempotency) -> str:
    """Nobody's names meet those of another reader or another contract, and none is too long to keep."""
    owner = session.owner
    parts = (session.contract.value, owner.key, owner.user or "", named.key)
    whole = "\0".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()
