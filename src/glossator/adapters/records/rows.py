"""Rows as the values of the product, and the questions by which they are found."""

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
    Found,
    Moment,
    can_be_name,
    exchanges,
    is_complete,
    sessions,
    storable,
)
from glossator.errors import SessionUnknown
from glossator.model import Contract, KeptExchange, Owner, Session, SessionState

is_mine = and_(
    sessions.c.owner_key == bindparam("of_key"),
    sessions.c.owner_user == bindparam("of_user"),
)
has_id = and_(is_mine, sessions.c.id == bindparam("of_id"))
_of_created_at = bindparam("of_created_at", type_=Moment)
was_created_then = sessions.c.created_at == func.coalesce(_of_created_at, sessions.c.created_at)
"""True of every session where no time is asked for."""
is_this = and_(has_id, was_created_then)

whole_exchanges = (
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


def of_owner(owner: Owner) -> dict[str, str]:
    return {"of_key": owner.key, "of_user": owner.user or ""}


def of_session(session_id: str, owner: Owner, created_at: datetime | None = None) -> dict[str, Any]:
    """What `is_this` is to be read with. Raises SessionUnknown for what no session can be called."""
    if not can_be_name(session_id) or not can_be_name(owner.user or "-"):
        raise SessionUnknown
    return {**of_owner(owner), "of_id": session_id, "of_created_at": created_at}


def session_columns(session: Session) -> dict[str, Any]:
    """As it is opened; its name is `first`, or `spare` where another session is called the same."""
    owner = (session.owner.key, session.owner.user or "", session.contract.value)
    return {
        **name_of(session.id, owner)._asdict(),
        "called": session.id,
        "id": session.id,
        "owner_key": session.owner.key,
        "owner_user": session.owner.user or "",
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


def session_of(row: Found, retention: Retention) -> Session:
    contract = Contract(row.contract)
    return Session(
        id=row.id,
        owner=Owner(row.owner_key, row.owner_user or None),
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


def exchange_of(row: Found) -> KeptExchange:
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


# What a session is called where ids of several owners stand side by side, as in the views: a UUID.

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_OURS = uuid.UUID("b3f0c1c2-6e0a-5b3e-9a54-0d6f0b7c4e21")


class StableNames(NamedTuple):
    first: str
    """Its id, where that is a UUID."""
    spare: str
    """Of this owner's alone, for when another session has the id already."""


def name_of(session_id: str, owner: Sequence[str]) -> StableNames:
    whole = "\0".join(f"{len(part)}:{part}" for part in (*owner, session_id))
    spare = str(uuid.uuid5(_OURS, whole))
    return StableNames(session_id if _UUID.fullmatch(session_id) else spare, spare)
