"""Idempotency keys: a request that is sent twice with the same key is answered once."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta

from sqlalchemy import Connection, bindparam, delete

# SQLite copied this syntax from PostgreSQL, so PostgreSQL's construct works on both.
from sqlalchemy.dialects.postgresql import insert

from glossator.adapters.records.retention import status_of, statuses
from glossator.adapters.records.tables import Row, exchanges, idempotency_keys
from glossator.errors import AlreadyAsked, IdempotencyMismatch, SessionBusy
from glossator.model import Idempotency, Session, Turn, TurnStatus

KEPT = timedelta(hours=24)

_ATTEMPTS = 3
_ENDED_BADLY = (TurnStatus.INTERRUPTED, TurnStatus.FAILED)

_claim = (
    insert(idempotency_keys)
    .on_conflict_do_nothing(index_elements=["key"])
    .returning(idempotency_keys.c.exchange_id)
)
_holder = (
    statuses(idempotency_keys.c.fingerprint, idempotency_keys.c.created_at)
    .join(idempotency_keys, idempotency_keys.c.exchange_id == exchanges.c.id)
    .where(idempotency_keys.c.key == bindparam("key"))
)
_free = delete(idempotency_keys).where(idempotency_keys.c.exchange_id == bindparam("turn"))


def claim(connection: Connection, turn: Turn, now: datetime) -> None:
    """Reserves the turn's key for it. Raises AlreadyAsked, IdempotencyMismatch and SessionBusy."""
    request = turn.idempotency
    if request is None:
        return
    key = _key(turn.session, request)
    columns = {"key": key, "fingerprint": request.fingerprint, "exchange_id": turn.id, "created_at": now}
    for _ in range(_ATTEMPTS):
        if connection.execute(_claim, columns).one_or_none():
            return
        holder = connection.execute(_holder, {"key": key}).one_or_none()
        if holder is not None:
            _refuse_or_free(connection, holder, request, now)
    raise SessionBusy


def free(connection: Connection, turn_id: str) -> None:
    connection.execute(_free, {"turn": turn_id})


def _refuse_or_free(connection: Connection, holder: Row, request: Idempotency, now: datetime) -> None:
    """A key is free again after a day, and at once if its turn failed or was interrupted."""
    if status_of(holder, now) in _ENDED_BADLY or holder.created_at < now - KEPT:
        free(connection, holder.id)
        return
    if holder.fingerprint != request.fingerprint:
        raise IdempotencyMismatch
    raise AlreadyAsked(holder.id)


def _key(session: Session, request: Idempotency) -> str:
    """A hash with owner and contract: keys of different readers never collide, and none is too long."""
    owner = session.owner
    # Without the default book, so that keys stay what they were before there were others.
    book = (owner.book,) if owner.book else ()
    parts = (session.contract.value, owner.key, owner.user or "", request.key, *book)
    scoped_key = "\0".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(scoped_key.encode("utf-8", "surrogatepass")).hexdigest()
