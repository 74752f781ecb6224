"""The routes, and how each becomes a question to the engine."""

# pyright: reportUnusedFunction=false

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from fastapi import APIRouter, Response
from pydantic import BaseModel

from glossator.engine import Asking, Engine, Running
from glossator.model import Answer, Answered, Claimed, Contract, Idempotency
from glossator.web.access import SESSION_HEADER
from glossator.web.caller import Asks, Caller, Known
from glossator.web.contract import EVENT_STREAM, Mounted, Wire, application, failures
from glossator.web.contracts.threads.error import ErrorBody, ErrorEvent, render
from glossator.web.contracts.threads.reply import (
    ChatReply,
    DoneEvent,
    HealthReply,
    Thread,
    TokenEvent,
    words_of,
)
from glossator.web.contracts.threads.request import ChatRequest, ThreadId
from glossator.web.idempotency import Named
from glossator.web.limits import x_rate_headers
from glossator.web.problem import problem_of
from glossator.web.sse import EventStream, frame

BODY_BYTES = 10_240

_SUMMARY = "Questions about a book, in threads that are remembered."
_WHOLE: dict[int | str, dict[str, Any]] = {
    200: {
        "model": ChatReply,
        "content": EVENT_STREAM,
        "description": "The answer; as events when `stream` is true.",
    }
}
_STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "content": EVENT_STREAM,
        "description": "`token` events, then `done` with the whole reply, or `error`.",
    }
}


def threads(engine: Engine, wire: Wire) -> Mounted:
    render_now = partial(render, clock=wire.clock)
    app = application("Threads", _SUMMARY, render_now)
    app.include_router(_asking(engine, wire))
    app.include_router(_keeping(engine, wire))
    return Mounted(
        contract=Contract.THREADS,
        prefix="/contracts/threads",
        app=app,
        render=render_now,
        rate_headers=x_rate_headers,
        body_bytes=min(BODY_BYTES, wire.body_bytes),
        asks=frozenset({"/chat/run", "/chat/stream"}),
    )


def _asking(engine: Engine, wire: Wire) -> APIRouter:
    router = APIRouter(responses=failures(ErrorBody, (400, 401, 403, 404, 413, 422, 429, 500, 503)))

    @router.post("/chat/run", response_class=Response, responses=_WHOLE)
    async def run(asked: ChatRequest, caller: Asks, named: Named) -> Response:
        """Answer from the book."""
        call = _Call(engine, wire, caller)
        return await (call.streamed if asked.stream else call.whole)(asked, named)

    @router.post("/chat/stream", response_class=Response, responses=_STREAMED)
    async def stream(asked: ChatRequest, caller: Asks, named: Named) -> Response:
        """Answer from the book, sentence by sentence."""
        return await _Call(engine, wire, caller).streamed(asked, named)

    return router


def _keeping(engine: Engine, wire: Wire) -> APIRouter:
    router = APIRouter()
    failed = failures(ErrorBody, (400, 401, 403, 404, 413, 429, 500, 503))

    @router.get("/session/{session_id}/history", responses=failed)
    async def history(session_id: ThreadId, caller: Known, response: Response) -> Thread:
        """The last messages of a thread."""
        return await _Call(engine, wire, caller).thread(session_id, response)

    @router.delete("/session/{session_id}", status_code=204, responses=failed)
    async def delete(session_id: ThreadId, caller: Known) -> None:
        """A thread and everything in it, for good."""
        session = await caller.find(engine, session_id, to_change=True)
        await engine.sessions.delete(session_id, session.owner, created_at=session.created_at)

    @router.get("/health", responses=failures(ErrorBody, (500,)) | failures(HealthReply, (503,)))
    async def health(response: Response) -> HealthReply:
        """What an answer needs, and whether it is there; 503 when no question can be answered."""
        if not await engine.health.is_ready():
            response.status_code = 503
        return HealthReply.of(await engine.health.probe(), wire.clock())

    return router


@dataclass(frozen=True, slots=True)
class _Call:
    engine: Engine
    wire: Wire
    caller: Caller

    async def whole(self, asked: ChatRequest, named: Idempotency | None) -> Response:
        running = await self._ask(asked, named)
        reply = self._reply(await running.answer(), running)
        response = Response(reply.model_dump_json(), media_type="application/json")
        return self._signed(response, running.session_id, running.session_created_at)

    async def streamed(self, asked: ChatRequest, named: Idempotency | None) -> Response:
        running = await self._ask(asked, named)
        stream = EventStream(self._frames(running), heartbeat_seconds=self.wire.heartbeat_seconds)
        return self._signed(stream, running.session_id, running.session_created_at)

    async def thread(self, session_id: str, response: Response) -> Thread:
        session = await self.caller.find(self.engine, session_id)
        exchanges = max(1, self.engine.lifecycles[Contract.THREADS].in_view // 2)
        kept = await self.engine.exchanges.of_session(
            session_id, session.owner, exchanges, created_at=session.created_at
        )
        self._signed(response, session_id, session.created_at)
        return Thread.of(session, kept)

    async def _ask(self, asked: ChatRequest, named: Idempotency | None) -> Running:
        entry = self.caller.enter(asked.session_id)
        asking = Asking(
            question=asked.to_question(),
            owner=entry.owner,
            contract=Contract.THREADS,
            session_id=asked.session_id,
            opening=entry.opening,
            session_created_at=entry.session_created_at,
            idempotency=named,
            metadata=asked.metadata,
        )
        return await self.engine.ask(asking)

    async def _frames(self, running: Running) -> AsyncGenerator[bytes]:
        try:
            async with aclosing(self._events(running)) as events:
                async for event in events:
                    yield _frame(event)
        except Exception as error:  # noqa: BLE001  every stream has an end that can be read
            yield _frame(ErrorEvent.of(problem_of(error), self.wire.clock()))

    async def _events(self, running: Running) -> AsyncGenerator[TokenEvent | DoneEvent]:
        """The contents of the tokens, joined, are the reply's response."""
        said = 0
        async with aclosing(running.events()) as events:
            async for heard in events:
                if isinstance(heard.event, Claimed):
                    said += len(heard.event.claim.text)
                    yield TokenEvent(content=heard.event.claim.text)
                elif isinstance(heard.event, Answered):
                    answer = heard.event.answer
                    # A refusal, small talk and a disclaimer are no claims.
                    if rest := words_of(answer)[said:]:
                        yield TokenEvent(content=rest)
                    yield DoneEvent(metadata=self._reply(answer, running))

    def _reply(self, answer: Answer, running: Running) -> ChatReply:
        return ChatReply.of(answer, running.session_id or "", running.answered_at or self.wire.clock())

    def _signed(self, response: Response, session_id: str | None, created_at: datetime | None) -> Response:
        """With what a caller of a publishable key needs to go on in the thread."""
        if token := self.caller.token_for(session_id, created_at):
            response.headers[SESSION_HEADER] = token
        return response


def _frame(event: BaseModel) -> bytes:
    return frame(event.model_dump_json(exclude_none=True).encode())
