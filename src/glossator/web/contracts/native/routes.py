"""The native contract as an application."""

from __future__ import annotations

import uuid
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from glossator.engine import Engine
from glossator.errors import ExchangeUnknown, TokenInvalid
from glossator.model import Contract, Feedback, Owner, Scope, Session
from glossator.web.auth.caller import Asks, Caller, Known, Operates, Reads
from glossator.web.auth.limits import rate_headers
from glossator.web.contract import ContractApp, ContractSettings, application, failures
from glossator.web.contracts.native.ask import ask_routes
from glossator.web.contracts.native.insights import insight_routes
from glossator.web.contracts.native.reply import (
    ChaptersReply,
    ErasedReply,
    SearchReply,
    SectionReply,
    SessionReply,
)
from glossator.web.contracts.native.request import (
    PROBLEM_JSON,
    FeedbackRequest,
    ProblemBody,
    SearchQuery,
    SessionId,
    SessionRequest,
    User,
    render,
)

_SUMMARY = "Questions about a book, answered from the book, with the places where it says so."


def native(engine: Engine, contract_settings: ContractSettings) -> ContractApp:
    app = application("Glossator", _SUMMARY, render, failure_type=PROBLEM_JSON)
    for routes in (ask_routes, search_routes, session_routes, insight_routes):
        app.include_router(routes(engine, contract_settings))
    asks = frozenset({"/ask"})
    return ContractApp(Contract.NATIVE, "/v1", app, render, rate_headers, contract_settings.body_bytes, asks)


# Looking around in the book over the native contract.

_FAILED = failures(ProblemBody, (400, 401, 403, 404, 429, 500, 503))


def search_routes(engine: Engine, contract_settings: ContractSettings) -> APIRouter:
    router = APIRouter(responses=_FAILED)

    @router.get("/search")
    async def search(asked: SearchQuery, caller: Reads) -> SearchReply:
        """Where the book speaks of something, and how sure that is."""
        searched = await engine.book.search(asked.to_question(), with_embedding="embedding" in asked.include)
        return SearchReply.of(searched, contract_settings.clock())

    @router.get("/chapters")
    async def chapters(caller: Reads) -> ChaptersReply:
        return ChaptersReply.of(await engine.book.chapters())

    @router.get("/sections/{chunk_id:path}")
    async def section(chunk_id: str, caller: Reads) -> SectionReply:
        """A chunk of the book; its id has a `#`, which is `%23` in an address."""
        return SectionReply.of(await engine.book.section(chunk_id))

    return router


# Sessions, feedback and forgetting over the native contract.

_SESSION_FAILED = failures(ProblemBody, (400, 401, 403, 404, 413, 429, 500, 503))

Of = Annotated[User | None, Query(description="Whose session it is, where the key has users.")]

Erasing = Annotated[User, Query(description="Who is to be forgotten.")]
Proven = Annotated[
    SessionId | None,
    Query(description="A session of theirs, for keys that may not operate: with its token, or their own."),
]


def session_routes(engine: Engine, contract_settings: ContractSettings) -> APIRouter:
    router = APIRouter(responses=_SESSION_FAILED)

    @router.post("/sessions", status_code=201)
    async def open_session(sent: SessionRequest, caller: Asks) -> SessionReply:
        session = await engine.sessions.open(_new(sent, caller, contract_settings))
        return SessionReply.of(session, (), _token(caller, session))

    @router.get("/sessions/{session_id}")
    async def read_session(session_id: SessionId, caller: Known, user: Of = None) -> SessionReply:
        """The last exchanges, oldest first."""
        in_view = engine.lifecycles[Contract.NATIVE].in_view // 2
        return await _session(engine, caller, session_id, user, in_view)

    @router.get("/sessions/{session_id}/export")
    async def export_session(session_id: SessionId, caller: Known, user: Of = None) -> Response:
        """All of it, as a file."""
        told = await _session(engine, caller, session_id, user, None)
        name = f'attachment; filename="session-{session_id.replace(":", "-")}.json"'
        return Response(
            told.model_dump_json(), media_type="application/json", headers={"content-disposition": name}
        )

    @router.post("/sessions/{session_id}/reset")
    async def reset_session(session_id: SessionId, caller: Known, user: Of = None) -> SessionReply:
        """Empties it and keeps its id."""
        entry = caller.change(session_id, user=user)
        session = await engine.sessions.reset(session_id, entry.owner, created_at=entry.session_created_at)
        return SessionReply.of(session, (), _token(caller, session))

    @router.delete("/sessions/{session_id}", status_code=204)
    async def delete_session(session_id: SessionId, caller: Known, user: Of = None) -> None:
        entry = caller.change(session_id, user=user)
        await engine.sessions.delete(session_id, entry.owner, created_at=entry.session_created_at)

    @router.post("/feedback", status_code=204)
    async def judge(sent: FeedbackRequest, caller: Asks) -> None:
        """Whether an answer helped; said again, it replaces what was said."""
        owner = await _owner_of(engine, sent, caller)
        await engine.exchanges.judge(
            Feedback(sent.exchange_id, sent.helpful, sent.reason), owner, contract_settings.clock()
        )

    @router.delete("/users/{user}")
    async def erase_by_path(user: Annotated[User, Path()], caller: Operates) -> ErasedReply:
        """Everything of a reader, under every key and in every contract, with a receipt."""
        return ErasedReply(
            user=user, erased=await engine.retention_store.erase(user), at=contract_settings.clock()
        )

    @router.delete("/users")
    async def erase(user: Erasing, caller: Known, session: Proven = None) -> ErasedReply:
        """The same for any id, also one with a slash; a reader's own session erases itself."""
        if session is None:
            return await erase_by_path(user, caller.need(Scope.OPERATE))
        entry = caller.change(session, user=user)
        erased = await engine.retention_store.erase_session(
            session, entry.owner, created_at=entry.session_created_at
        )
        return ErasedReply(user=user, erased=erased, at=contract_settings.clock())

    return router


def _new(sent: SessionRequest, caller: Caller, contract_settings: ContractSettings) -> Session:
    now = contract_settings.clock()
    return Session(
        id=str(uuid.uuid4()),
        owner=caller.owner(sent.user),
        contract=Contract.NATIVE,
        created_at=now,
        updated_at=now,
        metadata=sent.metadata,
    )


async def _session(
    engine: Engine, caller: Caller, session_id: str, user: str | None, limit: int | None
) -> SessionReply:
    entry = caller.reach(session_id, user=user)
    created_at = entry.session_created_at
    session = await engine.sessions.find(session_id, entry.owner, created_at=created_at)
    kept = await engine.exchanges.of_session(session_id, entry.owner, limit, created_at=created_at)
    return SessionReply.of(session, kept, _token(caller, session))


def _token(caller: Caller, session: Session) -> str | None:
    return caller.token_for(session.id, session.created_at, user=session.owner.user)


async def _owner_of(engine: Engine, sent: FeedbackRequest, caller: Caller) -> Owner:
    """Only whoever may read the session may judge its answers."""
    kept = await engine.exchanges.find(sent.exchange_id, caller.owner(sent.user))
    token = sent.session.token if sent.session else None
    try:
        entry = caller.reach(kept.session_id, user=sent.user, token=token)
    except TokenInvalid as error:
        raise ExchangeUnknown from error
    if entry.session_created_at not in (None, kept.session_created_at):
        raise ExchangeUnknown
    return entry.owner
