"""The SQL turn store: accepts a question, holds its session's lease, and stores the exchange whole or not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update

from glossator.adapters.records import idempotency
from glossator.adapters.records.completing import TurnCompletion, selection_to_json
from glossator.adapters.records.database import Database
from glossator.adapters.records.leases import SessionLeases
from glossator.adapters.records.retention import Retention
from glossator.adapters.records.rows import session_of
from glossator.adapters.records.tables import (
    Moment,
    Row,
    cleared_question,
    exchanges,
    is_complete,
    is_unfinished,
    sessions,
    storable,
)
from glossator.errors import TurnLost
from glossator.model import (
    HISTORY_EXCHANGES,
    AcceptedTurn,
    Answer,
    Exchange,
    KeptExchange,
    Topic,
    Turn,
    TurnStatus,
)

_LEASE = timedelta(seconds=10)

Summarize = Callable[[Sequence[Topic]], str]

_insert = insert(exchanges)
_history = (
    select(exchanges.c.question, exchanges.c.answer)
    .where(exchanges.c.session == bindparam("session"), is_complete)
    .order_by(exchanges.c.number.desc())
    .limit(HISTORY_EXCHANGES)
)
_session_of_turn = (
    select(exchanges.c.session).where(exchanges.c.id == bindparam("turn"), is_unfinished).scalar_subquery()
)
_holds_lease = (sessions.c.number == _session_of_turn, sessions.c.lease_turn == bindparam("turn"))
_extend_lease = update(sessions).where(*_holds_lease).values(lease_until=bindparam("until", type_=Moment))
_release_lease = update(sessions).where(*_holds_lease).values(lease_turn=None, lease_until=None)
_unfinished = update(exchanges).where(exchanges.c.id == bindparam("turn"), is_unfinished)
_stream = _unfinished.values(status=TurnStatus.STREAMING.value)
_end = _unfinished.values(status=bindparam("ended"), **cleared_question)


def no_summary(topics: Sequence[Topic]) -> str:
    return ""


class SqlTurnStore:
    def __init__(
        self,
        database: Database,
        retention: Retention,
        *,
        summarize: Summarize = no_summary,
        lease: timedelta = _LEASE,
    ) -> None:
        self._database = database
        self._retention = retention
        self._summarize = summarize
        self._lease = lease

    async def accept(self, turn: Turn) -> AcceptedTurn:
        return await self._database.write_relaxed(lambda connection: self._accept(connection, turn))

    def _accept(self, connection: Connection, turn: Turn) -> AcceptedTurn:
        now = self._retention.clock()
        idempotency.claim(connection, turn, now)
        row = SessionLeases(connection, self._retention, now).enter(turn, until=now + self._lease)
        connection.execute(_insert, _columns(turn, row.number))
        return AcceptedTurn(session_of(row, self._retention), _read_history(connection, row))

    async def hold(self, turn_id: str) -> None:
        """Raises TurnLost."""
        await self._database.write_relaxed(lambda connection: self._hold(connection, turn_id))

    def _hold(self, connection: Connection, turn_id: str) -> None:
        until = self._retention.clock() + self._lease
        if not connection.execute(_extend_lease, {"turn": turn_id, "until": until}).rowcount:
            raise TurnLost
        connection.execute(_stream, {"turn": turn_id})

    async def complete(self, turn_id: str, answer: Answer, at: datetime) -> KeptExchange:
        """Raises TurnLost if the session was reset or deleted, or another turn has taken its lease."""
        completion = TurnCompletion.of(turn_id, answer, at, self._summarize)
        return await self._database.write(completion.store)

    async def give_up(self, turn_id: str, status: TurnStatus) -> None:
        await self._database.write_relaxed(lambda connection: _give_up(connection, turn_id, status))


def _columns(turn: Turn, session: int) -> dict[str, Any]:
    return {
        "id": turn.id,
        "session": session,
        "status": TurnStatus.ACCEPTED.value,
        "question": storable(turn.question),
        "selection": selection_to_json(turn.selection),
        "mode": storable(turn.mode),
        "asked_at": turn.asked_at,
        "is_flagged": False,
    }


def _read_history(connection: Connection, session: Row) -> tuple[Exchange, ...]:
    """Oldest first."""
    if not session.exchanges:
        return ()
    rows = connection.execute(_history, {"session": session.number}).all()
    return tuple(Exchange(row.question, row.answer) for row in reversed(rows))


def _give_up(connection: Connection, turn_id: str, status: TurnStatus) -> None:
    """Updates the session first, as every transaction does: one lock order means no deadlock."""
    connection.execute(_release_lease, {"turn": turn_id})
    connection.execute(_end, {"turn": turn_id, "ended": status.value})
    idempotency.free(connection, turn_id)
