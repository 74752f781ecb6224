"""The routes, and how a list of messages becomes a question to the engine."""

# pyright: reportUnusedFunction=false
from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Response

from glossator.engine import Asking, Engine, Running
from glossator.model import Answer, Answered, Claimed, Contract, Idempotency
from glossator.web.caller import Asks, Caller, Known
from glossator.web.contract import Mounted, Wire, application, failures
from glossator.web.contracts.openai.error import ErrorBody, rate_headers, render
from glossator.web.contracts.openai.reply import (
    Chunk,
    ChunkChoice,
    Completion,
    Delta,
    ModelsReply,
    Told,
    Usage,
    content_of,
    name_of,
)
from glossator.web.contracts.openai.request import CompletionRequest
from glossator.web.idempotency import Named
from glossator.web.problem import problem_of
from glossator.web.sse import EventStream, frame
from glossator.web.trace import trace_id

_SUMMARY = "A book that answers any client of the OpenAI API."
_EVENT = {
    "type": "object",
    "required": ["data"],
    "properties": {"data": {"type": "string", "contentMediaType": "application/json"}},
}
_ANSWERED: dict[int | str, dict[str, Any]] = {
    200: {
        "model": Completion,
        "content": {"text/event-stream": {"itemSchema": _EVENT}},
        "description": "The answer; as chunks, and `[DONE]` behind them, when `stream` is true.",
    }
}
_DONE = frame(b"[DONE]")


def openai(engine: Engine, wire: Wire) -> Mounted:
    app = application("Glossator: OpenAI", _SUMMARY, render)
    app.include_router(_routes(engine, wire))
    asks = frozenset({"/chat/completions"})
    return Mounted(Contract.OPENAI, "/openai/v1", app, render, rate_headers, wire.body_bytes, asks)


def _routes(engine: Engine, wire: Wire) -> APIRouter:
    router = APIRouter()
    since = wire.clock()

    @router.post(
        "/chat/completions",
        response_class=Response,
        responses=_ANSWERED | failures(ErrorBody, (400, 401, 403, 404, 413, 422, 429, 500, 503)),
    )
    async def complete(sent: CompletionRequest, caller: Asks, named: Named) -> Response:
        """Answer from the book, and show where; nothing of it is kept."""
        call = _Call(engine, wire, caller, sent)
        return await (call.streamed if sent.stream else call.whole)(named)

    @router.get("/models", responses=failures(ErrorBody, (400, 401, 403, 404, 413, 429, 500, 503)))
    async def models(caller: Known) -> ModelsReply:
        """The one there is."""
        return ModelsReply.of(since)

    return router


@dataclass(frozen=True, slots=True)
class _Call:
    engine: Engine
    wire: Wire
    caller: Caller
    sent: CompletionRequest

    async def whole(self, named: Idempotency | None) -> Response:
        running = await self._ask(named)
        answer = await running.answer()
        usage = await self._usage(answer)
        reply = Completion.of(answer, usage, running.answered_at or self.wire.clock())
        return Response(reply.model_dump_json(), media_type="application/json", headers=_headers())

    async def streamed(self, named: Idempotency | None) -> Response:
        running = await self._ask(named)
        return EventStream(self._frames(running), self.wire.heartbeat_seconds, headers=_headers())

    async def _ask(self, named: Idempotency | None) -> Running:
        asking = Asking(
            question=await self.engine.book.in_time(self.sent.to_question),
            owner=self.caller.owner(self.sent.user),
            contract=Contract.OPENAI,
            # Whoever asks sends the conversation along, every time.
            remember=False,
            idempotency=named,
        )
        return await self.engine.ask(asking)

    async def _frames(self, running: Running) -> AsyncGenerator[bytes]:
        left_out = None if self.sent.wants_usage else {"usage"}
        try:
            async with aclosing(self._chunks(running)) as chunks:
                async for chunk in chunks:
                    yield frame(chunk.model_dump_json(exclude=left_out).encode())
            yield _DONE
        except Exception as error:  # noqa: BLE001  every stream has an end that can be read
            yield frame(ErrorBody.of(problem_of(error)).model_dump_json().encode())

    async def _chunks(self, running: Running) -> AsyncGenerator[Chunk]:
        """The contents, joined, are those of a whole reply."""
        line = _Line(name_of(running.id), int(self.wire.clock().timestamp()))
        yield line.says(Delta(role="assistant", content=""))
        said = 0
        async with aclosing(running.events()) as events:
            async for heard in events:
                if isinstance(heard.event, Claimed):
                    said += len(heard.event.claim.text)
                    yield line.says(Delta(content=heard.event.claim.text))
                elif isinstance(heard.event, Answered):
                    answer = heard.event.answer
                    # A refusal, small talk, a caution and the sources are no claims.
                    if rest := content_of(answer)[said:]:
                        yield line.says(Delta(content=rest))
                    yield line.stops(Told.of(answer))
                    if self.sent.wants_usage:
                        yield line.counts(await self._usage(answer))

    async def _usage(self, answer: Answer) -> Usage:
        """Of everything that was sent, read or not."""
        texts = [*(message.text for message in self.sent.messages), content_of(answer)]
        embedder = self.engine.book.assistant.embedder
        *asked, told = await asyncio.to_thread(embedder.count_tokens, texts)
        return Usage.of(sum(asked), told)


@dataclass(frozen=True, slots=True)
class _Line:
    """What the chunks of one answer have in common."""

    id: str
    created: int

    def says(self, delta: Delta) -> Chunk:
        return Chunk(id=self.id, created=self.created, choices=[ChunkChoice(delta=delta)])

    def stops(self, told: Told) -> Chunk:
        last = ChunkChoice(delta=Delta(), finish_reason="stop")
        return Chunk(id=self.id, created=self.created, choices=[last], glossator=told)

    def counts(self, usage: Usage) -> Chunk:
        return Chunk(id=self.id, created=self.created, choices=[], usage=usage)


def _headers() -> dict[str, str]:
    """Where the client looks for what a failure is found by in the log."""
    return {"X-Request-Id": trace_id()}
