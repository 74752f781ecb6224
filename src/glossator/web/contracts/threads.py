"""Conversations in threads, as 003-rag-agent-api has them."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial
from math import ceil
from typing import Annotated, Any, Literal, Self

from fastapi import APIRouter, Response
from pydantic import AfterValidator, BaseModel, Field, StringConstraints, WithJsonSchema
from pydantic_core import PydanticCustomError

from glossator.engine import Engine
from glossator.model import (
    Answer,
    AnswerFinished,
    Citation,
    ClaimChecked,
    Contract,
    Idempotency,
    KeptExchange,
    Level,
    Outcome,
    Question,
    Session,
)
from glossator.resilience.health import Dependency, Probe
from glossator.sessions.running import RunningTurn, TurnRequest
from glossator.web.auth.access import SESSION_HEADER
from glossator.web.auth.caller import Asks, Caller, Known, Named
from glossator.web.auth.limits import x_rate_headers
from glossator.web.contract import (
    EVENT_STREAM,
    ContractApp,
    ContractSettings,
    Metadata,
    application,
    failures,
)
from glossator.web.problem import Problem, ProblemKind, problem_of
from glossator.web.sse import EventStream, frame

# What a program sends.

LONGEST_MESSAGE = 1000

_UUID4 = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}"


def _uuid4(text: str) -> str:
    """Written in either case, it is the same thread."""
    if not re.fullmatch(_UUID4, text):
        raise PydanticCustomError("uuid4", "It must be a UUID of version 4, with its hyphens")
    return text.lower()


ThreadId = Annotated[
    str, AfterValidator(_uuid4), WithJsonSchema({"type": "string", "pattern": f"^{_UUID4}$"})
]


class ChatRequest(BaseModel):
    message: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_MESSAGE, pattern=r"\S"),
        Field(description="The question; blanks around it do not count."),
    ]
    session_id: ThreadId | None = Field(default=None, description="UUID v4 of the thread; made when absent.")
    stream: Annotated[bool, Field(strict=True)] = Field(
        default=False, description="On `/chat/run`: answer as `/chat/stream` does."
    )
    top_k: Annotated[int, Field(strict=True, ge=1, le=10)] = 5
    similarity_threshold: Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)] = Field(
        default=0.7, description="The least similarity of what an answer may rest on."
    )

    metadata: Metadata = Field(
        default={}, description="Of the thread: kept with the message that opens it, and told in its history."
    )

    def to_question(self) -> Question:
        return Question(self.message, top_k=self.top_k, threshold=self.similarity_threshold)


# What is answered.

LONGEST_CHUNK_TEXT = 500
LONGEST_SUMMARY = 200

Share = Annotated[float, Field(ge=0, le=1)]

_ANSWERED = (Outcome.ANSWERED, Outcome.ANSWERED_WITH_CAUTION)


class Source(BaseModel):
    chunk_text: str = Field(
        max_length=LONGEST_CHUNK_TEXT, description="The cited words, as the page has them."
    )
    similarity_score: Share
    chapter: str
    section: str
    url: str
    chunk_index: Annotated[int, Field(ge=0)]

    @classmethod
    def of(cls, citation: Citation) -> Source:
        return cls(
            chunk_text=citation.quote[:LONGEST_CHUNK_TEXT],
            similarity_score=citation.similarity,
            chapter=citation.chapter,
            section=citation.section,
            url=citation.url,
            chunk_index=int(citation.chunk_id.rpartition("#")[2]),
        )


class ChatReply(BaseModel):
    response: Annotated[str, Field(min_length=1)]
    confidence: Share
    sources: Sequence[Source] = Field(description="In the order of the marks: `[1]` is the first one.")
    session_id: str
    timestamp: datetime
    confidence_level: Level
    should_answer: bool

    @classmethod
    def of(cls, answer: Answer, session_id: str, at: datetime) -> ChatReply:
        score, level = judged(answer)
        return cls(
            response=words_of(answer),
            confidence=score,
            sources=[Source.of(one) for one in answer.citations] if answer.outcome in _ANSWERED else [],
            session_id=session_id,
            timestamp=at,
            confidence_level=level,
            should_answer=level is not Level.INSUFFICIENT,
        )


class TokenEvent(BaseModel):
    type: Literal["token"] = "token"
    content: str


class DoneEvent(BaseModel):
    type: Literal["done"] = "done"
    metadata: ChatReply


class UserMessage(BaseModel):
    role: Literal["user"] = "user"
    content: str
    timestamp: datetime


class AssistantMessage(BaseModel):
    role: Literal["assistant"] = "assistant"
    content: str
    timestamp: datetime
    confidence: Share


Message = Annotated[UserMessage | AssistantMessage, Field(discriminator="role")]


class Thread(BaseModel):
    thread_id: str
    messages: Sequence[Message] = Field(description="The last ones, oldest first.")
    created_at: datetime
    updated_at: datetime
    topic_summary: Annotated[str, Field(max_length=LONGEST_SUMMARY)] | None
    metadata: Mapping[str, object]

    @classmethod
    def of(cls, session: Session, kept: Sequence[KeptExchange]) -> Thread:
        return cls(
            thread_id=session.id,
            messages=[message for exchange in kept for message in _messages(exchange)],
            created_at=session.created_at,
            updated_at=session.updated_at,
            topic_summary=session.topic_summary[:LONGEST_SUMMARY] or None,
            metadata=session.metadata,
        )


class DependencyOut(BaseModel):
    status: Literal["up", "down"]
    latency_ms: Annotated[float, Field(ge=0)]

    @classmethod
    def of(cls, probe: Probe) -> DependencyOut:
        return cls(status="up" if probe.is_up else "down", latency_ms=probe.latency_ms)


class DependenciesOut(BaseModel):
    qdrant: DependencyOut = Field(description="The index, embedded or on a server.")
    openai: DependencyOut = Field(description="The writer in use.")
    postgresql: DependencyOut = Field(description="The database in use.")


class HealthReply(BaseModel):
    status: Literal["healthy", "degraded"]
    dependencies: DependenciesOut
    timestamp: datetime

    @classmethod
    def of(cls, probes: Mapping[Dependency, Probe], at: datetime) -> HealthReply:
        """Whatever is down degrades it, the embedder too, which has no name in this contract."""
        return cls(
            status="healthy" if all(probe.is_up for probe in probes.values()) else "degraded",
            dependencies=DependenciesOut(
                qdrant=DependencyOut.of(probes[Dependency.INDEX]),
                openai=DependencyOut.of(probes[Dependency.WRITER]),
                postgresql=DependencyOut.of(probes[Dependency.RECORDS]),
            ),
            timestamp=at,
        )


def words_of(answer: Answer) -> str:
    """The contract has no other place for a disclaimer."""
    return f"{answer.text}\n\n{answer.disclaimer}" if answer.disclaimer else answer.text


def judged(answer: Answer) -> tuple[float, Level]:
    """Only `insufficient` refuses, and whatever is no answer is insufficient, small talk too.

    What is told from the table of contents needs no judgement: it stands there.
    """
    confidence = answer.confidence
    if answer.outcome not in _ANSWERED:
        is_doubted = confidence is not None and not confidence.should_answer
        return (confidence.score if confidence and is_doubted else 0.0), Level.INSUFFICIENT
    if confidence is None:
        return 1.0, Level.HIGH
    return confidence.score, Level.LOW if confidence.level is Level.INSUFFICIENT else confidence.level


def _messages(kept: KeptExchange) -> Iterator[Message]:
    score, _ = judged(kept.answer)
    yield UserMessage(content=kept.question, timestamp=kept.asked_at)
    yield AssistantMessage(content=words_of(kept.answer), timestamp=kept.answered_at, confidence=score)


# What is said when there is no answer; nothing of what was sent is repeated.


class Code(StrEnum):
    VALIDATION = "VALIDATION_ERROR"
    AUTHENTICATION = "AUTHENTICATION_ERROR"
    NOT_FOUND = "NOT_FOUND"
    TOO_LARGE = "PAYLOAD_TOO_LARGE"
    RATE_LIMIT = "RATE_LIMIT_EXCEEDED"
    UNAVAILABLE = "SERVICE_UNAVAILABLE"
    INTERNAL = "INTERNAL_SERVER_ERROR"


_AGAIN = "Send the same request again after the time that is named here."
_TELL = "Tell whoever runs this server, with the request_id."

SAID: Mapping[ProblemKind, tuple[Code, str]] = {
    ProblemKind.INVALID: (Code.VALIDATION, "Change what is named here and send the request again."),
    ProblemKind.NOT_ALLOWED: (Code.VALIDATION, "Use one of the methods that /docs shows for this address."),
    ProblemKind.CONFLICT: (Code.VALIDATION, "Send another request under an Idempotency-Key of its own."),
    ProblemKind.UNAUTHORIZED: (Code.AUTHENTICATION, "Send a valid key as `Authorization: Bearer …`."),
    ProblemKind.FORBIDDEN: (Code.AUTHENTICATION, "Use a key that may do this, from a page that may use it."),
    ProblemKind.NOT_FOUND: (
        Code.NOT_FOUND,
        "Check the address and the id; a thread begins with its first message.",
    ),
    ProblemKind.TOO_LARGE: (Code.TOO_LARGE, "Send at most 10 KB."),
    ProblemKind.RATE_LIMITED: (Code.RATE_LIMIT, _AGAIN),
    ProblemKind.NO_BOOK: (Code.UNAVAILABLE, f"{_TELL} There is no book to answer from."),
    ProblemKind.INDEX: (Code.UNAVAILABLE, _AGAIN),
    ProblemKind.EMBEDDER: (Code.UNAVAILABLE, _AGAIN),
    ProblemKind.WRITER: (Code.UNAVAILABLE, _AGAIN),
    ProblemKind.RECORDS: (Code.UNAVAILABLE, _AGAIN),
    ProblemKind.BUSY: (Code.UNAVAILABLE, "Wait for the thread's last answer, then send the request again."),
    ProblemKind.OVERLOADED: (Code.UNAVAILABLE, _AGAIN),
    ProblemKind.STOPPING: (Code.UNAVAILABLE, _AGAIN),
    ProblemKind.TIMEOUT: (Code.UNAVAILABLE, _AGAIN),
    ProblemKind.INTERNAL: (Code.INTERNAL, _TELL),
}
"""The code of each kind, and what the caller can do."""

_LATER = 60.0
"""Seconds, where somebody has to mend something first."""


class Details(BaseModel):
    suggestion: str = Field(description="What the caller can do.")
    fields: Mapping[str, str] | None = Field(default=None, description="What is wrong, by the field's name.")
    retry_after_seconds: int | None = None


class ErrorBody(BaseModel):
    error: Code
    message: str
    details: Details
    timestamp: datetime
    request_id: str
    detail: str = Field(description="The message once more, where clients of FastAPI look for it.")

    @classmethod
    def of(cls, problem: Problem, at: datetime) -> Self:
        code, suggestion = SAID[problem.kind]
        details = Details(
            suggestion=suggestion,
            fields={name or "body": wrong for name, wrong in problem.fields} or None,
            retry_after_seconds=_seconds(problem, code),
        )
        return cls(
            error=code,
            message=problem.message,
            details=details,
            timestamp=at,
            request_id=problem.trace_id,
            detail=problem.message,
        )


class ErrorEvent(ErrorBody):
    type: Literal["error"] = "error"


def render(problem: Problem, clock: Callable[[], datetime]) -> Response:
    body = ErrorBody.of(problem, clock())
    seconds = body.details.retry_after_seconds
    return Response(
        body.model_dump_json(exclude_none=True),
        status_code=problem.status,
        headers=None if seconds is None else {"Retry-After": str(seconds)},
        media_type="application/json",
    )


def _seconds(problem: Problem, code: Code) -> int | None:
    if problem.retry_after is None and code is not Code.UNAVAILABLE:
        return None
    return max(1, ceil(_LATER if problem.retry_after is None else problem.retry_after))


# The routes, and how each becomes a question to the engine.

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


def threads(engine: Engine, contract_settings: ContractSettings) -> ContractApp:
    render_now = partial(render, clock=contract_settings.clock)
    app = application("Threads", _SUMMARY, render_now)
    app.include_router(_asking(engine, contract_settings))
    app.include_router(_keeping(engine, contract_settings))
    return ContractApp(
        contract=Contract.THREADS,
        prefix="/contracts/threads",
        app=app,
        render=render_now,
        rate_headers=x_rate_headers,
        body_bytes=min(BODY_BYTES, contract_settings.body_bytes),
        asks=frozenset({"/chat/run", "/chat/stream"}),
    )


def _asking(engine: Engine, contract_settings: ContractSettings) -> APIRouter:
    router = APIRouter(responses=failures(ErrorBody, (400, 401, 403, 404, 413, 422, 429, 500, 503)))

    @router.post("/chat/run", response_class=Response, responses=_WHOLE)
    async def run(asked: ChatRequest, caller: Asks, named: Named) -> Response:
        """Answer from the book."""
        call = _Call(engine, contract_settings, caller)
        return await (call.streamed if asked.stream else call.whole)(asked, named)

    @router.post("/chat/stream", response_class=Response, responses=_STREAMED)
    async def stream(asked: ChatRequest, caller: Asks, named: Named) -> Response:
        """Answer from the book, sentence by sentence."""
        return await _Call(engine, contract_settings, caller).streamed(asked, named)

    return router


def _keeping(engine: Engine, contract_settings: ContractSettings) -> APIRouter:
    router = APIRouter()
    failed = failures(ErrorBody, (400, 401, 403, 404, 413, 429, 500, 503))

    @router.get("/session/{session_id}/history", responses=failed)
    async def history(session_id: ThreadId, caller: Known, response: Response) -> Thread:
        """The last messages of a thread."""
        return await _Call(engine, contract_settings, caller).thread(session_id, response)

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
        return HealthReply.of(await engine.health.probe(), contract_settings.clock())

    return router


@dataclass(frozen=True, slots=True)
class _Call:
    engine: Engine
    contract_settings: ContractSettings
    caller: Caller

    async def whole(self, asked: ChatRequest, named: Idempotency | None) -> Response:
        running = await self._ask(asked, named)
        reply = self._reply(await running.answer(), running)
        response = Response(reply.model_dump_json(), media_type="application/json")
        return self._signed(response, running.session_id, running.session_created_at)

    async def streamed(self, asked: ChatRequest, named: Idempotency | None) -> Response:
        running = await self._ask(asked, named)
        stream = EventStream(
            self._frames(running), heartbeat_seconds=self.contract_settings.heartbeat_seconds
        )
        return self._signed(stream, running.session_id, running.session_created_at)

    async def thread(self, session_id: str, response: Response) -> Thread:
        session = await self.caller.find(self.engine, session_id)
        exchanges = max(1, self.engine.lifecycles[Contract.THREADS].in_view // 2)
        kept = await self.engine.exchanges.of_session(
            session_id, session.owner, exchanges, created_at=session.created_at
        )
        self._signed(response, session_id, session.created_at)
        return Thread.of(session, kept)

    async def _ask(self, asked: ChatRequest, named: Idempotency | None) -> RunningTurn:
        entry = self.caller.enter(asked.session_id)
        turn_request = TurnRequest(
            question=asked.to_question(),
            owner=entry.owner,
            contract=Contract.THREADS,
            session_id=asked.session_id,
            opening=entry.opening,
            session_created_at=entry.session_created_at,
            idempotency=named,
            metadata=asked.metadata,
        )
        return await self.engine.ask(turn_request)

    async def _frames(self, running: RunningTurn) -> AsyncGenerator[bytes]:
        try:
            async with aclosing(self._events(running)) as events:
                async for event in events:
                    yield _frame(event)
        except Exception as error:  # noqa: BLE001  every stream has an end that can be read
            yield _frame(ErrorEvent.of(problem_of(error), self.contract_settings.clock()))

    async def _events(self, running: RunningTurn) -> AsyncGenerator[TokenEvent | DoneEvent]:
        """The contents of the tokens, joined, are the reply's response."""
        said = 0
        async with aclosing(running.events()) as events:
            async for heard in events:
                if isinstance(heard.event, ClaimChecked):
                    said += len(heard.event.claim.text)
                    yield TokenEvent(content=heard.event.claim.text)
                elif isinstance(heard.event, AnswerFinished):
                    answer = heard.event.answer
                    # A refusal, small talk and a disclaimer are no claims.
                    if rest := words_of(answer)[said:]:
                        yield TokenEvent(content=rest)
                    yield DoneEvent(metadata=self._reply(answer, running))

    def _reply(self, answer: Answer, running: RunningTurn) -> ChatReply:
        return ChatReply.of(
            answer, running.session_id or "", running.answered_at or self.contract_settings.clock()
        )

    def _signed(self, response: Response, session_id: str | None, created_at: datetime | None) -> Response:
        """With what a caller of a publishable key needs to go on in the thread."""
        if token := self.caller.token_for(session_id, created_at):
            response.headers[SESSION_HEADER] = token
        return response


def _frame(event: BaseModel) -> bytes:
    return frame(event.model_dump_json(exclude_none=True).encode())
