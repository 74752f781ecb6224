"""The native contract's application, with the routes for search, sessions, feedback and erasure."""

from __future__ import annotations

import uuid
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from pydantic import StringConstraints

from glossator.engine import Engine
from glossator.errors import ExchangeUnknown, TokenInvalid
from glossator.model import Contract, Feedback, Owner, Scope, Session
from glossator.web.auth.caller import AnyCaller, Asks, Caller, Operates, Reads
from glossator.web.auth.limits import rate_headers
from glossator.web.contract import (
    READABLE,
    ContractApp,
    ContractSettings,
    SessionId,
    UserId,
    application,
    error_responses,
)
from glossator.web.contracts.native.ask import ask_routes
from glossator.web.contracts.native.insights import insight_routes
from glossator.web.contracts.native.reply import (
    ChaptersReply,
    ErasedReply,
    QuestionsReply,
    SearchReply,
    SectionReply,
    SessionReply,
)
from glossator.web.contracts.native.request import (
    PROBLEM_JSON,
    FeedbackRequest,
    ProblemBody,
    SearchQuery,
    SessionRequest,
    render,
)

_SUMMARY = "Questions about a book, answered from the book, with the places where it says so."


def native(engine: Engine, contract_settings: ContractSettings) -> ContractApp:
    app = application("Glossator", _SUMMARY, render, error_media_type=PROBLEM_JSON)
    for routes in (ask_routes, search_routes, session_routes, insight_routes):
        app.include_router(routes(engine, contract_settings))
    asks = frozenset({"/ask"})
    return ContractApp(Contract.NATIVE, "/v1", app, render, rate_headers, contract_settings.body_bytes, asks)


# Search and contents of the book.

_SEARCH_ERRORS = error_responses(ProblemBody, (400, 401, 403, 404, 429, 500, 503))


SuggestAfter = Annotated[
    str | None,
    Query(
        max_length=1000,
        description="The chunk that an answer cites; the questions are then from sections near it.",
    ),
]


def search_routes(engine: Engine, contract_settings: ContractSettings) -> APIRouter:
    router = APIRouter(responses=_SEARCH_ERRORS)

    @router.get("/search")
    async def search(query: SearchQuery, caller: Reads) -> SearchReply:
        """Find passages of the book, with the confidence that they answer the query."""
        outcome = await engine.book.search(query.to_question(), with_embedding="embedding" in query.include)
        return SearchReply.of(outcome, contract_settings.clock())

    @router.get("/chapters")
    async def chapters(caller: Reads) -> ChaptersReply:
        return ChaptersReply.of(await engine.book.chapters())

    @router.get("/questions")
    async def questions(caller: Asks, after: SuggestAfter = None) -> QuestionsReply:
        """Questions to suggest, made from the book's headings, which the book answers."""
        manifest = await engine.book.manifest()
        return QuestionsReply(book=manifest.book, questions=await engine.suggested_questions(after))

    @router.get("/sections/{chunk_id:path}")
    async def section(chunk_id: str, caller: Reads) -> SectionReply:
        """A chunk of the book. Its id contains a `#`, which is written `%23` in a URL."""
        return SectionReply.of(await engine.book.section(chunk_id))

    return router


# Sessions, feedback and erasure.

_SESSION_ERRORS = error_responses(ProblemBody, (400, 401, 403, 404, 413, 429, 500, 503))

SessionUser = Annotated[
    UserId | None, Query(description="The user whose session it is, if the key has users.")
]

# Whatever was once taken for a user can be erased, so a blank one too.
User = Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=READABLE)]
ErasedUser = Annotated[User, Query(description="The user whose data is erased.")]
ProvenSession = Annotated[
    SessionId | None,
    Query(
        description=(
            "A session of the user; only it is erased. Required for keys without the scope `operate`; "
            "a publishable key also needs its token."
        )
    ),
]


def session_routes(engine: Engine, contract_settings: ContractSettings) -> APIRouter:
    router = APIRouter(responses=_SESSION_ERRORS)

    @router.post("/sessions", status_code=201)
    async def open_session(request: SessionRequest, caller: Asks) -> SessionReply:
        session = await engine.sessions.open(_new_session(request, caller, contract_settings))
        return SessionReply.of(session, (), _token(caller, session))

    @router.get("/sessions/{session_id}")
    async def read_session(
        session_id: SessionId, caller: AnyCaller, user: SessionUser = None
    ) -> SessionReply:
        """A session with its latest exchanges, oldest first."""
        in_view = engine.lifecycles[Contract.NATIVE].in_view // 2
        return await _session(engine, caller, session_id, user, in_view)

    @router.get("/sessions/{session_id}/export")
    async def export_session(session_id: SessionId, caller: AnyCaller, user: SessionUser = None) -> Response:
        """A session with all its exchanges, as a file."""
        reply = await _session(engine, caller, session_id, user, None)
        disposition = f'attachment; filename="session-{session_id.replace(":", "-")}.json"'
        return Response(
            reply.model_dump_json(),
            media_type="application/json",
            headers={"content-disposition": disposition},
        )

    @router.post("/sessions/{session_id}/reset")
    async def reset_session(
        session_id: SessionId, caller: AnyCaller, user: SessionUser = None
    ) -> SessionReply:
        """Delete the exchanges of a session and keep its id."""
        entry = caller.change(session_id, user=user)
        session = await engine.sessions.reset(session_id, entry.owner, created_at=entry.session_created_at)
        return SessionReply.of(session, (), _token(caller, session))

    @router.delete("/sessions/{session_id}", status_code=204)
    async def delete_session(session_id: SessionId, caller: AnyCaller, user: SessionUser = None) -> None:
        entry = caller.change(session_id, user=user)
        await engine.sessions.delete(session_id, entry.owner, created_at=entry.session_created_at)

    @router.post("/feedback", status_code=204)
    async def judge(request: FeedbackRequest, caller: Asks) -> None:
        """Record whether an answer helped; it replaces earlier feedback."""
        owner = await _owner_of(engine, request, caller)
        await engine.exchanges.judge(
            Feedback(request.exchange_id, request.helpful, request.reason), owner, contract_settings.clock()
        )

    @router.delete("/users/{user}")
    async def erase_by_path(user: Annotated[User, Path()], caller: Operates) -> ErasedReply:
        """Erase all data of a user, under every key and in every contract, with a receipt."""
        erased = await engine.retention_store.erase(user, caller.books)
        return ErasedReply(user=user, erased=erased, at=contract_settings.clock())

    @router.delete("/users")
    async def erase(user: ErasedUser, caller: AnyCaller, session: ProvenSession = None) -> ErasedReply:
        """Erase all data of a user whose id may contain a slash, or only one session of the user."""
        if session is None:
            return await erase_by_path(user, caller.need(Scope.OPERATE))
        entry = caller.change(session, user=user)
        erased = await engine.retention_store.erase_session(
            session, entry.owner, created_at=entry.session_created_at
        )
        return ErasedReply(user=user, erased=erased, at=contract_settings.clock())

    return router


def _new_session(request: SessionRequest, caller: Caller, contract_settings: ContractSettings) -> Session:
    now = contract_settings.clock()
    return Session(
        id=str(uuid.uuid4()),
        owner=caller.owner(request.user),
        contract=Contract.NATIVE,
        created_at=now,
        updated_at=now,
        metadata=request.metadata,
    )


async def _session(
    engine: Engine, caller: Caller, session_id: str, user: str | None, limit: int | None
) -> SessionReply:
    entry = caller.reach(session_id, user=user)
    created_at = entry.session_created_at
    session = await engine.sessions.find(session_id, entry.owner, created_at=created_at)
    exchanges = await engine.exchanges.of_session(session_id, entry.owner, limit, created_at=created_at)
    return SessionReply.of(session, exchanges, _token(caller, session))


def _token(caller: Caller, session: Session) -> str | None:
    return caller.token_for(session.id, session.created_at, user=session.owner.user)


async def _owner_of(engine: Engine, request: FeedbackRequest, caller: Caller) -> Owner:
    """Raises ExchangeUnknown if the caller may not read the session, since feedback needs that too."""
    exchange = await engine.exchanges.find(request.exchange_id, caller.owner(request.user))
    token = request.session.token if request.session else None
    try:
        entry = caller.reach(exchange.session_id, user=request.user, token=token)
    except TokenInvalid as error:
        raise ExchangeUnknown from error
    if entry.session_created_at not in (None, exchange.session_created_at):
        raise ExchangeUnknown
    return entry.owner
