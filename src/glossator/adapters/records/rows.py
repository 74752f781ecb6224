"""Maps rows to domain values, builds the shared WHERE conditions and their parameters, names sessions."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import and_, bindparam, func, select

from glossator.adapters.records.completing import (
    answer_from_json,
    filters_from_json,
    filters_to_json,
    mapping_from_json,
    mapping_to_json,
    selection_from_json,
)
from glossator.adapters.records.retention import Retention
from glossator.adapters.records.tables import (
    Moment,
    Row,
    exchanges,
    is_complete,
    is_storable_id,
    sessions,
    storable,
)
from glossator.errors import SessionUnknown
from glossator.model import Contract, KeptExchange, Owner, Session, SessionState

_matches_reader = and_(
    sessions.c.owner_key == bindparam("of_key"),
    sessions.c.owner_user == bindparam("of_user"),
)
matches_book = sessions.c.book == bindparam("of_book")
matches_owner = and_(_matches_reader, matches_book)
matches_id = and_(_matches_reader, sessions.c.id == bindparam("of_id"))
"""The reader's session of this id, in any book."""
_of_created_at = bindparam("of_created_at", type_=Moment)
matches_created_at = sessions.c.created_at == func.coalesce(_of_created_at, sessions.c.created_at)
"""Always true when no creation time is given."""
matches_session = and_(matches_id, matches_book, matches_created_at)

complete_exchanges = (
    select(
        exchanges.c.id,
        sessions.c.id.label("session_id"),
        sessions.c.created_at.label("session_created_at"),
        exchanges.c.question,
        exchanges.c.document,
        exchanges.c.asked_at,
        exchanges.c.answered_at,
        exchanges.c.selection,
        exchanges.c.mode,
    )
    .join(sessions, sessions.c.number == exchanges.c.session)
    .where(is_complete)
)


def owner_params(owner: Owner) -> dict[str, str]:
    """The parameters of `matches_owner`."""
    return {"of_key": owner.key, "of_user": owner.user or "", "of_book": owner.book}


def session_params(session_id: str, owner: Owner, created_at: datetime | None = None) -> dict[str, Any]:
    """The parameters of `matches_session`. Raises SessionUnknown for an id that no session can have."""
    if not is_storable_id(session_id) or not is_storable_id(owner.user or "-"):
        raise SessionUnknown
    return {**owner_params(owner), "of_id": session_id, "of_created_at": created_at}


def session_columns(session: Session) -> dict[str, Any]:
    """The columns of a new session. Its name is `first`, or `spare` if another session already has the id."""
    owner = (session.owner.key, session.owner.user or "", session.contract.value)
    return {
        **name_of(session.id, owner)._asdict(),
        "called": session.id,
        "id": session.id,
        "owner_key": session.owner.key,
        "owner_user": session.owner.user or "",
        "book": session.owner.book,
        "contract": session.contract.value,
        "state": SessionState.CREATED.value,
        "created_at": session.created_at,
        "updated_at": session.updated_at,
        "topic_summary": "",
        "metadata": mapping_to_json(session.metadata),
        "context_mode": storable(session.context_mode),
        "active_filters": filters_to_json(session.filters),
        "exchanges": 0,
    }


def session_of(row: Row, retention: Retention) -> Session:
    contract = Contract(row.contract)
    return Session(
        id=row.id,
        owner=owner_of(row),
        contract=contract,
        created_at=row.created_at,
        updated_at=row.updated_at,
        state=retention.state(SessionState(row.state), contract, row.updated_at),
        archived_at=row.archived_at,
        exchanges=row.exchanges,
        topic_summary=row.topic_summary,
        metadata=mapping_from_json(row.metadata),
        context_mode=row.context_mode,
        filters=filters_from_json(row.active_filters),
    )


def owner_of(row: Row) -> Owner:
    return Owner(row.owner_key, row.owner_user or None, row.book)


def exchange_of(row: Row) -> KeptExchange:
    return KeptExchange(
        id=row.id,
        session_id=row.session_id,
        session_created_at=row.session_created_at,
        question=row.question,
        answer=answer_from_json(row.document),
        asked_at=row.asked_at,
        answered_at=row.answered_at,
        selection=selection_from_json(row.selection),
        mode=row.mode,
    )


_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_NAMESPACE = uuid.UUID("b3f0c1c2-6e0a-5b3e-9a54-0d6f0b7c4e21")


class StableNames(NamedTuple):
    """A UUID for a session, for the views, which list the sessions of all owners side by side."""

    first: str
    """The session's id if that is a UUID, otherwise the same as `spare`."""
    spare: str
    """Derived from owner and id, for when another owner's session already has the id."""


def name_of(session_id: str, owner: Sequence[str]) -> StableNames:
    identity = "\0".join(f"{len(part)}:{part}" for part in (*owner, session_id))
    spare = str(uuid.uuid5(_NAMESPACE, identity))
    return StableNames(session_id if _UUID.fullmatch(session_id) else spare, spare)
