"""The grounding contract as an application."""

# pyright: reportUnusedFunction=false
# The framework calls the routes.

from __future__ import annotations

import uuid
from contextlib import suppress

from fastapi import FastAPI, Response

from glossator.engine import Asking, Engine, Running
from glossator.errors import SessionUnknown
from glossator.model import Contract, Filters, Idempotency, Opening, Session
from glossator.web.access import SESSION_HEADER
from glossator.web.caller import Asks, Caller, Entry, Known
from glossator.web.contract import Mounted, Wire, application, failures
from glossator.web.contracts.grounding.error import ErrorBody, render
from glossator.web.contracts.grounding.reply import ChatReply, HealthReply, SessionReply
from glossator.web.contracts.grounding.request import (
    ChatRequest,
    ContextMode,
    SessionId,
    SessionRequest,
)
from glossator.web.idempotency import Named
from glossator.web.limits import rate_headers

_SUMMARY = "Answers about a book, with the claims that failed their check, and sessions of a day."
_ASKED = failures(ErrorBody, (400, 401, 403, 404, 413, 422, 429, 500, 503))
_READ = failures(ErrorBody, (400, 401, 403, 404, 413, 429, 500, 503))


def grounding(engine: Engine, wire: Wire) -> Mounted:
    app = application("Glossator: grounding", _SUMMARY, render)
    _chat(app, engine, wire)
    _sessions(app, engine, wire)

    @app.get("/health", responses=failures(ErrorBody, (500,)))
    async def health() -> HealthReply:
        return HealthReply.of(await engine.health.probe(), wire.clock())

    asks = frozenset({"/chat"})
    return Mounted(
        Contract.GROUNDING, "/contracts/grounding", app, render, rate_headers, wire.body_bytes, asks
    )


def _chat(app: FastAPI, engine: Engine, wire: Wire) -> None:
    @app.post("/chat", responses=_ASKED)
    async def chat(sent: ChatRequest, caller: Asks, named: Named, response: Response) -> ChatReply:
        running = await _asked(engine, sent, caller, named)
        answer = await running.answer()
        _sign(response, caller.token_for(running.session_id, running.session_created_at))
        return ChatReply.of(answer, running.session_id or "", running.answered_at or wire.clock())


def _sessions(app: FastAPI, engine: Engine, wire: Wire) -> None:
    @app.post("/chat/session", responses=_READ)
    async def open_session(
        caller: Asks, response: Response, sent: SessionRequest | None = None
    ) -> SessionReply:
        session = await engine.sessions.open(_new(sent or SessionRequest(), caller, wire))
        _sign(response, caller.token_for(session.id, session.created_at))
        return SessionReply.of(session, ())

    @app.get("/chat/session/{session_id}", responses=_READ)
    async def read_session(session_id: SessionId, caller: Known, response: Response) -> SessionReply:
        session = await caller.find(engine, session_id)
        in_view = engine.lifecycles[Contract.GROUNDING].in_view // 2
        kept = await engine.exchanges.of_session(
            session_id, session.owner, in_view, created_at=session.created_at
        )
        _sign(response, caller.token_for(session_id, session.created_at))
        return SessionReply.of(session, kept)

    @app.post("/chat/session/{session_id}/reset", responses=_READ)
    async def reset_session(session_id: SessionId, caller: Known, response: Response) -> SessionReply:
        """Empties it and keeps its id."""
        session = await caller.find(engine, session_id, to_change=True)
        emptied = await engine.sessions.reset(session_id, session.owner, created_at=session.created_at)
        _sign(response, caller.token_for(session_id, session.created_at))
        return SessionReply.of(emptied, ())


async def _asked(engine: Engine, sent: ChatRequest, caller: Caller, named: Idempotency | None) -> Running:
    entry = caller.enter(sent.conversation_id)
    opened = await _opened(engine, sent.conversation_id, entry)
    return await engine.ask(
        Asking(
            question=sent.to_question(opened),
            owner=entry.owner,
            contract=Contract.GROUNDING,
            session_id=sent.conversation_id,
            opening=entry.opening,
            session_created_at=entry.session_created_at,
            idempotency=named,
            mode=sent.mode(opened),
        )
    )


async def _opened(engine: Engine, session_id: str | None, entry: Entry) -> SessionRequest:
    """What the caller's own session was opened with; a new one has nothing yet."""
    if session_id is not None and entry.opening is Opening.IF_UNKNOWN:
        with suppress(SessionUnknown):
            created_at = entry.session_created_at
            session = await engine.sessions.find(session_id, entry.owner, created_at=created_at)
            if session.contract is Contract.GROUNDING:
                return SessionRequest.of(session)
    return SessionRequest()


def _new(sent: SessionRequest, caller: Caller, wire: Wire) -> Session:
    now = wire.clock()
    return Session(
        id=str(uuid.uuid4()),
        owner=caller.owner(),
        contract=Contract.GROUNDING,
        created_at=now,
        updated_at=now,
        metadata=sent.metadata,
        context_mode=sent.context_mode or ContextMode.RETRIEVAL_PIPELINE,
        filters=sent.filters.to_filters() if sent.filters else Filters(),
    )


def _sign(response: Response, token: str | None) -> None:
    """With a key that everybody can read, a token shows whose the session is."""
    if token:
        response.headers[SESSION_HEADER] = token
