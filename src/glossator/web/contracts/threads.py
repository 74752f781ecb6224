"""The threads contract: conversations in threads, in the format of 003-rag-agent-api."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Annotated, Any, Literal, Self

from fastapi import APIRouter, Response
from pydantic import AfterValidator, BaseModel, Field, StringConstraints, WithJsonSchema
from pydantic_core import PydanticCustomError

from glossator.engine import Engine
from glossator.model import (
    Answer,
    Citation,
    Contract,
    Idempotency,
    KeptExchange,
    Level,
    Question,
    Session,
)
from glossator.resilience.health import Dependency, Probe
from glossator.sessions.running import RunningTurn, TurnRequest
from glossator.web.auth.caller import AnyCaller, Asks, Caller, IdempotencyKey
from glossator.web.auth.limits import x_rate_headers
from glossator.web.contract import (
    EVENT_STREAM,
    ContractApp,
    ContractSettings,
    Metadata,
    application,
    error_responses,
    set_session_token,
    text_pieces,
    text_with_disclaimer,
)
from glossator.web.problem import Problem, ProblemKind, problem_of
from glossator.web.sse import EventStream, frame

# Request.

LONGEST_MESSAGE = 1000

_UUID4 = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}"


def _uuid4(text: str) -> str:
    """Written in lower case, so that the same UUID in upper case is the same thread."""
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
        Field(description="The question. Blanks around it are removed."),
    ]
    session_id: ThreadId | None = Field(
        default=None, description="UUID v4 of the thread. A new one is made when absent."
    )
    stream: Annotated[bool, Field(strict=True)] = Field(
        default=False, description="If true, `/chat/run` answers as `/chat/stream` does."
    )
    top_k: Annotated[int, Field(strict=True, ge=1, le=10)] = 5
    similarity_threshold: Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)] = Field(
        default=0.7, description="Passages with a lower similarity are not used as evidence."
    )

    metadata: Metadata = Field(
        default={}, description="Stored when the message opens a thread, and returned in its history."
    )

    def to_question(self) -> Question:
        return Question(self.message, top_k=self.top_k, threshold=self.similarity_threshold)


# Reply.

LONGEST_CHUNK_TEXT = 500
LONGEST_SUMMARY = 200

Score = Annotated[float, Field(ge=0, le=1)]


class Source(BaseModel):
    chunk_text: str = Field(
        max_length=LONGEST_CHUNK_TEXT, description="The cited text, as it stands on the page."
    )
    similarity_score: Score
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
    confidence: Score
    sources: Sequence[Source] = Field(description="In the order of the marks: `[1]` is the first source.")
    session_id: str
    timestamp: datetime
    confidence_level: Level
    should_answer: bool

    @classmethod
    def of(cls, answer: Answer, session_id: str, at: datetime) -> ChatReply:
        score, level = score_and_level(answer)
        return cls(
            response=text_with_disclaimer(answer),
            confidence=score,
            sources=[Source.of(citation) for citation in answer.citations]
            if answer.outcome.is_answer
            else [],
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
    confidence: Score


Message = Annotated[UserMessage | AssistantMessage, Field(discriminator="role")]


class Thread(BaseModel):
    thread_id: str
    messages: Sequence[Message] = Field(description="The latest messages, oldest first.")
    created_at: datetime
    updated_at: datetime
    topic_summary: Annotated[str, Field(max_length=LONGEST_SUMMARY)] | None
    metadata: Mapping[str, object]

    @classmethod
    def of(cls, session: Session, exchanges: Sequence[KeptExchange]) -> Thread:
        return cls(
            thread_id=session.id,
            messages=[message for exchange in exchanges for message in _messages(exchange)],
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
    qdrant: DependencyOut = Field(description="The index, whether embedded or on a server.")
    openai: DependencyOut = Field(description="The writer in use.")
    postgresql: DependencyOut = Field(description="The database in use.")


class HealthReply(BaseModel):
    status: Literal["healthy", "degraded"]
    dependencies: DependenciesOut
    timestamp: datetime

    @classmethod
    def of(cls, probes: Mapping[Dependency, Probe], at: datetime) -> HealthReply:
        """The embedder counts for the status too, although this contract has no field for it."""
        return cls(
            status="healthy" if all(probe.is_up for probe in probes.values()) else "degraded",
            dependencies=DependenciesOut(
                qdrant=DependencyOut.of(probes[Dependency.INDEX]),
                openai=DependencyOut.of(probes[Dependency.WRITER]),
                postgresql=DependencyOut.of(probes[Dependency.RECORDS]),
            ),
            timestamp=at,
        )


def score_and_level(answer: Answer) -> tuple[float, Level]:
    """The level is `insufficient` for everything that is not an answer, small talk included.

    Answers from the table of contents have no confidence: they are certain.
    """
    confidence = answer.confidence
    if not answer.outcome.is_answer:
        is_refused = confidence is not None and not confidence.should_answer
        return (confidence.score if confidence and is_refused else 0.0), Level.INSUFFICIENT
    if confidence is None:
        return 1.0, Level.HIGH
    return confidence.score, Level.LOW if confidence.level is Level.INSUFFICIENT else confidence.level


def _messages(exchange: KeptExchange) -> Iterator[Message]:
    score, _ = score_and_level(exchange.answer)
    yield UserMessage(content=exchange.question, timestamp=exchange.asked_at)
    yield AssistantMessage(
        content=text_with_disclaimer(exchange.answer), timestamp=exchange.answered_at, confidence=score
    )


# Error body. Nothing the caller sent is repeated in it.


class Code(StrEnum):
    VALIDATION = "VALIDATION_ERROR"
    AUTHENTICATION = "AUTHENTICATION_ERROR"
    NOT_FOUND = "NOT_FOUND"
    TOO_LARGE = "PAYLOAD_TOO_LARGE"
    RATE_LIMIT = "RATE_LIMIT_EXCEEDED"
    UNAVAILABLE = "SERVICE_UNAVAILABLE"
    INTERNAL = "INTERNAL_SERVER_ERROR"


_RETRY = "Send the same request again after the time that is named here."
_REPORT = "Tell whoever runs this server, with the request_id."

CODES_AND_SUGGESTIONS: Mapping[ProblemKind, tuple[Code, str]] = {
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
    ProblemKind.RATE_LIMITED: (Code.RATE_LIMIT, _RETRY),
    ProblemKind.NO_BOOK: (Code.UNAVAILABLE, f"{_REPORT} There is no book to answer from."),
    ProblemKind.INDEX: (Code.UNAVAILABLE, _RETRY),
    ProblemKind.EMBEDDER: (Code.UNAVAILABLE, _RETRY),
    ProblemKind.WRITER: (Code.UNAVAILABLE, _RETRY),
    ProblemKind.RECORDS: (Code.UNAVAILABLE, _RETRY),
    ProblemKind.BUSY: (Code.UNAVAILABLE, "Wait for the thread's last answer, then send the request again."),
    ProblemKind.OVERLOADED: (Code.UNAVAILABLE, _RETRY),
    ProblemKind.STOPPING: (Code.UNAVAILABLE, _RETRY),
    ProblemKind.TIMEOUT: (Code.UNAVAILABLE, _RETRY),
    ProblemKind.INTERNAL: (Code.INTERNAL, _REPORT),
}
"""The error code of each kind, and what the caller can do."""

_RETRY_AFTER_REPAIR = 60
"""Seconds, for an unavailable service that an operator has to repair first."""


class Details(BaseModel):
    suggestion: str = Field(description="What the caller can do.")
    fields: Mapping[str, str] | None = Field(
        default=None, description="What is wrong with each field, by its name."
    )
    retry_after_seconds: int | None = None


class ErrorBody(BaseModel):
    error: Code
    message: str
    details: Details
    timestamp: datetime
    request_id: str
    detail: str = Field(description="The message again, where clients of FastAPI look for it.")

    @classmethod
    def of(cls, problem: Problem, at: datetime) -> Self:
        code, suggestion = CODES_AND_SUGGESTIONS[problem.kind]
        details = Details(
            suggestion=suggestion,
            fields={name or "body": message for name, message in problem.fields} or None,
            retry_after_seconds=_retry_after_seconds(problem, code),
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


def _retry_after_seconds(problem: Problem, code: Code) -> int | None:
    if problem.retry_after_seconds is None and code is Code.UNAVAILABLE:
        return _RETRY_AFTER_REPAIR
    return problem.retry_after_seconds


# Routes.

BODY_BYTES = 10_240

_SUMMARY = "Questions about a book, in threads that are remembered."
_CHAT_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "model": ChatReply,
        "content": EVENT_STREAM,
        "description": "The answer, as events if `stream` is true.",
    }
}
_STREAM_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "content": EVENT_STREAM,
        "description": "`token` events, then `done` with the whole reply; or `error`.",
    }
}


def threads(engine: Engine, contract_settings: ContractSettings) -> ContractApp:
    render_now = partial(render, clock=contract_settings.clock)
    app = application("Threads", _SUMMARY, render_now)
    app.include_router(_chat_routes(engine, contract_settings))
    app.include_router(_session_routes(engine, contract_settings))
    return ContractApp(
        contract=Contract.THREADS,
        prefix="/contracts/threads",
        app=app,
        render=render_now,
        rate_headers=x_rate_headers,
        body_bytes=min(BODY_BYTES, contract_settings.body_bytes),
        asks=frozenset({"/chat/run", "/chat/stream"}),
    )


def _chat_routes(engine: Engine, contract_settings: ContractSettings) -> APIRouter:
    router = APIRouter(responses=error_responses(ErrorBody, (400, 401, 403, 404, 413, 422, 429, 500, 503)))

    @router.post("/chat/run", response_class=Response, responses=_CHAT_RESPONSES)
    async def run(request: ChatRequest, caller: Asks, idempotency: IdempotencyKey) -> Response:
        """Answer from the book."""
        call = _Call(engine, contract_settings, caller)
        return await (call.stream if request.stream else call.answer)(request, idempotency)

    @router.post("/chat/stream", response_class=Response, responses=_STREAM_RESPONSES)
    async def stream(request: ChatRequest, caller: Asks, idempotency: IdempotencyKey) -> Response:
        """Answer from the book, sentence by sentence."""
        return await _Call(engine, contract_settings, caller).stream(request, idempotency)

    return router


def _session_routes(engine: Engine, contract_settings: ContractSettings) -> APIRouter:
    router = APIRouter()
    errors = error_responses(ErrorBody, (400, 401, 403, 404, 413, 429, 500, 503))

    @router.get("/session/{session_id}/history", responses=errors)
    async def history(session_id: ThreadId, caller: AnyCaller, response: Response) -> Thread:
        """The last messages of a thread."""
        return await _Call(engine, contract_settings, caller).thread(session_id, response)

    @router.delete("/session/{session_id}", status_code=204, responses=errors)
    async def delete(session_id: ThreadId, caller: AnyCaller) -> None:
        """Delete a thread and its messages for good."""
        session = await caller.find(engine, session_id, to_change=True)
        await engine.sessions.delete(session_id, session.owner, created_at=session.created_at)

    @router.get(
        "/health", responses=error_responses(ErrorBody, (500,)) | error_responses(HealthReply, (503,))
    )
    async def health(response: Response) -> HealthReply:
        """Whether the dependencies are up. The status is 503 when no question can be answered."""
        if not await engine.health.is_ready():
            response.status_code = 503
        return HealthReply.of(await engine.health.probe(), contract_settings.clock())

    return router


@dataclass(frozen=True, slots=True)
class _Call:
    engine: Engine
    contract_settings: ContractSettings
    caller: Caller

    async def answer(self, request: ChatRequest, idempotency: Idempotency | None) -> Response:
        running = await self._ask(request, idempotency)
        reply = self._reply(await running.answer(), running)
        response = Response(reply.model_dump_json(), media_type="application/json")
        return self._with_token(response, running.session_id, running.session_created_at)

    async def stream(self, request: ChatRequest, idempotency: Idempotency | None) -> Response:
        running = await self._ask(request, idempotency)
        stream = EventStream(
            self._frames(running), heartbeat_seconds=self.contract_settings.heartbeat_seconds
        )
        return self._with_token(stream, running.session_id, running.session_created_at)

    async def thread(self, session_id: str, response: Response) -> Thread:
        session = await self.caller.find(self.engine, session_id)
        limit = max(1, self.engine.lifecycles[Contract.THREADS].in_view // 2)
        exchanges = await self.engine.exchanges.of_session(
            session_id, session.owner, limit, created_at=session.created_at
        )
        self._with_token(response, session_id, session.created_at)
        return Thread.of(session, exchanges)

    async def _ask(self, request: ChatRequest, idempotency: Idempotency | None) -> RunningTurn:
        entry = self.caller.enter(request.session_id)
        turn_request = TurnRequest(
            question=request.to_question(),
            owner=entry.owner,
            contract=Contract.THREADS,
            session_id=request.session_id,
            opening=entry.opening,
            session_created_at=entry.session_created_at,
            idempotency=idempotency,
            metadata=request.metadata,
        )
        return await self.engine.ask(turn_request)

    async def _frames(self, running: RunningTurn) -> AsyncGenerator[bytes]:
        try:
            async with aclosing(self._events(running)) as events:
                async for event in events:
                    yield _frame(event)
        except Exception as error:  # noqa: BLE001  a stream always ends with an event
            yield _frame(ErrorEvent.of(problem_of(error), self.contract_settings.clock()))

    async def _events(self, running: RunningTurn) -> AsyncGenerator[TokenEvent | DoneEvent]:
        """The contents of the token events, joined, are the reply's `response`."""
        async with aclosing(text_pieces(running, text_with_disclaimer)) as pieces:
            async for piece in pieces:
                if isinstance(piece, str):
                    yield TokenEvent(content=piece)
                else:
                    yield DoneEvent(metadata=self._reply(piece, running))

    def _reply(self, answer: Answer, running: RunningTurn) -> ChatReply:
        return ChatReply.of(
            answer, running.session_id or "", running.answered_at or self.contract_settings.clock()
        )

    def _with_token(
        self, response: Response, session_id: str | None, created_at: datetime | None
    ) -> Response:
        set_session_token(response, self.caller.token_for(session_id, created_at))
        return response


def _frame(event: BaseModel) -> bytes:
    return frame(event.model_dump_json(exclude_none=True).encode())
