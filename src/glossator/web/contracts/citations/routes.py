"""The routes, and how each becomes a question to the engine."""

# pyright: reportUnusedFunction=false

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel

from glossator.engine import Asking, Engine, Running
from glossator.model import Answered, Claimed, Contract, Idempotency, KeptExchange
from glossator.web.access import SESSION_HEADER
from glossator.web.caller import Asks, Caller, Known
from glossator.web.contract import EVENT_STREAM, Mounted, Wire, application, failures
from glossator.web.contracts.citations.error import ErrorBody, ErrorEvent, render
from glossator.web.contracts.citations.reply import (
    ChatReply,
    ChunkEvent,
    Conversation,
    DoneEvent,
    HealthReply,
    Messages,
    ResponseMetadata,
    SourcesEvent,
    sources_of,
    words_of,
)
from glossator.web.contracts.citations.request import ChatRequest, SessionId
from glossator.web.idempotency import Named
from glossator.web.limits import rate_headers
from glossator.web.problem import problem_of
from glossator.web.sse import EventStream, frame

MOST_CONVERSATIONS = 20

_SUMMARY = "Questions about a book or a selection, answered with the places that say so."
_WHOLE: dict[int | str, dict[str, Any]] = {200: {"model": ChatReply}}
_STREAMED: dict[int | str, dict[str, Any]] = {
    200: {"content": EVENT_STREAM, "description": "`chunk` events, then `sources` and `done`, or `error`."}
}

Limit = Annotated[int, Query(ge=1, le=MOST_CONVERSATIONS)]
Format = Annotated[Literal["exchanges", "messages"], Query(description="How the exchanges are told.")]


def citations(engine: Engine, wire: Wire) -> Mounted:
    app = application("Citations", _SUMMARY, render)
    app.include_router(_asking(engine, wire))
    app.include_router(_keeping(engine, wire))
    return Mounted(
        contract=Contract.CITATIONS,
        prefix="/contracts/citations",
        app=app,
        render=render,
        rate_headers=rate_headers,
        body_bytes=wire.body_bytes,
        asks=frozenset({"/chat", "/chat/stream"}),
    )


def _asking(engine: Engine, wire: Wire) -> APIRouter:
    router = APIRouter(responses=failures(ErrorBody, (400, 401, 403, 404, 413, 422, 429, 500, 503)))

    @router.post("/chat", response_class=Response, responses=_WHOLE)
    async def chat(asked: ChatRequest, caller: Asks, named: Named) -> Response:
        """Answer from the book, or from the selected text alone."""
        return await _Call(engine, wire, caller).whole(asked, named)

    @router.post("/chat/stream", response_class=Response, responses=_STREAMED)
    async def stream(asked: ChatRequest, caller: Asks, named: Named) -> Response:
        """The same, sentence by sentence."""
        return await _Call(engine, wire, caller).streamed(asked, named)

    return router


def _keeping(engine: Engine, wire: Wire) -> APIRouter:
    router = APIRouter()
    failed = failures(ErrorBody, (400, 401, 403, 404, 413, 429, 500, 503))

    @router.get("/conversations/{session_id}", responses=failed)
    async def conversations(
        session_id: SessionId,
        caller: Known,
        response: Response,
        limit: Limit = MOST_CONVERSATIONS,
        format: Format = "exchanges",
    ) -> Sequence[Conversation] | Messages:
        """The last exchanges, newest first; as messages, oldest first, when asked for."""
        kept = await _Call(engine, wire, caller).kept(session_id, limit, response)
        if format == "messages":
            return Messages.of(kept)
        return [Conversation.of(one) for one in reversed(kept)]

    @router.get("/health", responses=failures(ErrorBody, (500,)))
    async def health() -> HealthReply:
        """What an answer needs, and whether it is there."""
        return HealthReply.of(await engine.health.probe(), wire.clock(), engine.health.needed)

    return router


@dataclass(frozen=True, slots=True)
class _Call:
    engine: Engine
    wire: Wire
    caller: Caller

    async def whole(self, asked: ChatRequest, named: Idempotency | None) -> Response:
        running = await self._ask(asked, named)
        reply = ChatReply.of(await running.answer(), asked.mode, asked.selection)
        response = Response(reply.model_dump_json(), media_type="application/json")
        return self._signed(response, running.session_id, running.session_created_at)

    async def streamed(self, asked: ChatRequest, named: Idempotency | None) -> Response:
        running = await self._ask(asked, named)
        stream = EventStream(_frames(asked, running), heartbeat_seconds=self.wire.heartbeat_seconds)
        return self._signed(stream, running.session_id, running.session_created_at)

    async def kept(self, session_id: str, limit: int, response: Response) -> Sequence[KeptExchange]:
        session = await self.caller.find(self.engine, session_id)
        kept = await self.engine.exchanges.of_session(
            session_id, session.owner, limit, created_at=session.created_at
        )
        self._signed(response, session_id, session.created_at)
        return kept

    async def _ask(self, asked: ChatRequest, named: Idempotency | None) -> Running:
        pages = (await self.engine.book.manifest()).pages if asked.needs_pages else ()
        entry = self.caller.enter(asked.session_id)
        asking = Asking(
            question=asked.to_question(pages),
            owner=entry.owner,
            contract=Contract.CITATIONS,
            session_id=asked.session_id,
            opening=entry.opening,
            session_created_at=entry.session_created_at,
            # The reply names no session: without one of the caller's own, nobody could ever read it again.
            remember=asked.session_id is not None,
            idempotency=named,
            mode=asked.mode,
        )
        return await self.engine.ask(asking)

    def _signed(self, response: Response, session_id: str | None, created_at: datetime | None) -> Response:
        """With what a caller of a publishable key needs to go on in the session."""
        if token := self.caller.token_for(session_id, created_at):
            response.headers[SESSION_HEADER] = token
        return response


async def _frames(asked: ChatRequest, running: Running) -> AsyncGenerator[bytes]:
    try:
        async with aclosing(_events(asked, running)) as events:
            async for event in events:
                yield _frame(event)
    except Exception as error:  # noqa: BLE001  every stream has an end that can be read
        yield _frame(ErrorEvent.of(problem_of(error)))


async def _events(asked: ChatRequest, running: Running) -> AsyncGenerator[BaseModel]:
    """The contents of the chunks, joined, are the answer."""
    said = 0
    async with aclosing(running.events()) as events:
        async for heard in events:
            if isinstance(heard.event, Claimed):
                said += len(heard.event.claim.text)
                yield ChunkEvent(content=heard.event.claim.text)
            elif isinstance(heard.event, Answered):
                answer = heard.event.answer
                # A refusal, small talk and a disclaimer are no claims.
                if rest := words_of(answer)[said:]:
                    yield ChunkEvent(content=rest)
                yield SourcesEvent(sources=sources_of(answer, asked.selection))
                yield DoneEvent(metadata=ResponseMetadata.of(answer))


def _frame(event: BaseModel) -> bytes:
    return frame(event.model_dump_json().encode())
