"""The course contract as an application."""

# pyright: reportUnusedFunction=false
# The framework calls the routes.

from __future__ import annotations

from math import ceil

from fastapi import FastAPI, Response

from glossator.engine import Asking, Engine, Running
from glossator.errors import SessionUnknown
from glossator.model import Contract, Idempotency
from glossator.web.access import SESSION_HEADER
from glossator.web.caller import Asks, Caller, Entry, Known
from glossator.web.contract import Mounted, Wire, application, failures
from glossator.web.contracts.course.error import ErrorBody, render
from glossator.web.contracts.course.reply import ChatReply, HealthReply, HistoryReply
from glossator.web.contracts.course.request import ChatRequest, Limit, Of, SessionId
from glossator.web.idempotency import Named
from glossator.web.limits import rate_headers

_SUMMARY = "A course's assistant: answers from its pages, for readers who are named."
_FAILED = failures(ErrorBody, (400, 401, 403, 404, 413, 429, 500, 503))


def course(engine: Engine, wire: Wire) -> Mounted:
    app = application("Glossator: course", _SUMMARY, render)
    _chat(app, engine)
    _history(app, engine)

    @app.get("/health", responses=failures(ErrorBody, (500,)))
    async def health() -> HealthReply:
        return HealthReply.of(await engine.health.probe(), wire.clock())

    asks = frozenset({"/chat"})
    return Mounted(Contract.COURSE, "/contracts/course", app, render, rate_headers, wire.body_bytes, asks)


def _chat(app: FastAPI, engine: Engine) -> None:
    @app.post("/chat", responses=_FAILED)
    async def chat(sent: ChatRequest, caller: Asks, named: Named, response: Response) -> ChatReply:
        running = await _asked(engine, sent, caller, named)
        answer = await running.answer()
        created_at = running.session_created_at
        _sign(response, caller.token_for(running.session_id, created_at, user=sent.user_id))
        return ChatReply.of(answer, running.session_id or "")


def _history(app: FastAPI, engine: Engine) -> None:
    @app.get("/history", responses=_FAILED, response_model_exclude_unset=True)
    async def read_history(
        session_id: SessionId, caller: Known, response: Response, limit: Limit = 50, user_id: Of = None
    ) -> HistoryReply:
        """Oldest first."""
        session = await caller.find(engine, session_id, user=user_id)
        kept = await engine.exchanges.of_session(
            session_id, session.owner, ceil(limit / 2), created_at=session.created_at
        )
        _sign(response, caller.token_for(session_id, session.created_at, user=session.owner.user))
        return HistoryReply.of(kept, limit, session)

    @app.delete("/history", status_code=204, responses=_FAILED)
    async def forget_history(session_id: SessionId, caller: Known, user_id: Of = None) -> None:
        session = await caller.find(engine, session_id, user=user_id, to_change=True)
        await engine.sessions.delete(session_id, session.owner, created_at=session.created_at)


async def _asked(engine: Engine, sent: ChatRequest, caller: Caller, named: Idempotency | None) -> Running:
    entry = caller.enter(sent.session_id, user=sent.user_id)
    if sent.session_id is not None and entry.is_by_id:
        await _check_user(engine, sent.session_id, entry)
    return await engine.ask(
        Asking(
            question=sent.to_question(),
            owner=entry.owner,
            contract=Contract.COURSE,
            session_id=sent.session_id,
            opening=entry.opening,
            session_created_at=entry.session_created_at,
            idempotency=named,
            metadata=sent.metadata,
        )
    )


async def _check_user(engine: Engine, session_id: str, entry: Entry) -> None:
    """Who has the id of a session has it all; a user that is named must be its own all the same."""
    try:
        session = await engine.sessions.find_by_id(session_id, entry.owner.key, Contract.COURSE)
    except SessionUnknown:
        return
    if session.owner != entry.owner:
        raise SessionUnknown


def _sign(response: Response, token: str | None) -> None:
    """With a key that everybody can read, a token shows whose the session is."""
    if token:
        response.headers[SESSION_HEADER] = token
