"""The OpenAI contract: chat completions for every client of the OpenAI API."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from math import ceil
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Response
from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    StringConstraints,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic_core import PydanticCustomError

from glossator.engine import Engine
from glossator.model import (
    HISTORY_MESSAGES,
    Answer,
    Citation,
    Confidence,
    Contract,
    Exchange,
    Idempotency,
    Outcome,
    Question,
)
from glossator.sessions.running import RunningTurn, TurnRequest
from glossator.text.markdown import escape
from glossator.web.auth.caller import AnyCaller, Asks, Caller, IdempotencyKey
from glossator.web.auth.limits import RateLimitStatus
from glossator.web.contract import (
    EVENT_STREAM,
    ContractApp,
    ContractSettings,
    application,
    error_responses,
    text_pieces,
    text_with_disclaimer,
)
from glossator.web.problem import Problem, ProblemKind, problem_of
from glossator.web.sse import EventStream, frame
from glossator.web.trace import trace_id

# Request. Fields that are not named here are accepted and ignored.

LONGEST_QUESTION = 2000
LONGEST_MESSAGE = 32_000
"""Characters; more than our longest answer, which the client sends back with the next question."""
LONGEST_CONVERSATION = 100_000
"""Characters of all messages."""

Flag = Annotated[bool, Field(strict=True)]
# A length constraint makes pydantic refuse lone surrogates.
Text = Annotated[str, StringConstraints(min_length=0)]


class TextPart(BaseModel):
    type: Literal["text"]
    text: Text


def _content(value: object, validate: ValidatorFunctionWrapHandler) -> object:
    """Reports one error, not one for each form that the content could have."""
    try:
        return validate(value)
    except ValidationError as error:
        message = "must be a text, or a list of parts of the type text"
        raise PydanticCustomError("content", message) from error


Content = str | list[TextPart] | None


def _text(content: Content) -> str:
    return "\n".join(part.text for part in content) if isinstance(content, list) else content or ""


def _short_enough(content: Content) -> Content:
    if len(_text(content)) > LONGEST_MESSAGE:
        message = "must have at most {longest} characters"
        raise PydanticCustomError("content_length", message, {"longest": LONGEST_MESSAGE})
    return content


class Message(BaseModel):
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: Annotated[
        Text | list[TextPart] | None, WrapValidator(_content), AfterValidator(_short_enough)
    ] = Field(default=None, description="At most 32000 characters.")

    @property
    def text(self) -> str:
        return _text(self.content)


def _with_question(messages: list[Message]) -> list[Message]:
    if sum(len(message.text) for message in messages) > LONGEST_CONVERSATION:
        message = "must have at most {longest} characters in all"
        raise PydanticCustomError("conversation_length", message, {"longest": LONGEST_CONVERSATION})
    index = _question_index(messages)
    if index is None:
        raise PydanticCustomError("question", "must hold a message of the role user")
    if not 1 <= len(messages[index].text.strip()) <= LONGEST_QUESTION:
        message = "must end with a user's question of 1 to {longest} characters"
        raise PydanticCustomError("question", message, {"longest": LONGEST_QUESTION})
    return messages


class StreamOptions(BaseModel):
    include_usage: Flag | None = Field(
        default=None, description="If true, a last chunk holds the token counts."
    )


class CompletionRequest(BaseModel):
    model: Text = Field(description="Any name; there is only one model.")
    messages: Annotated[list[Message], Field(min_length=1), AfterValidator(_with_question)] = Field(
        description=(
            "The last user message is the question, 1 to 2000 characters. The 10 messages of user and "
            "assistant before it are its conversation. All others are ignored. All messages together "
            "have at most 100000 characters."
        )
    )
    stream: Flag | None = None
    stream_options: StreamOptions | None = None
    n: Annotated[int, Field(strict=True, ge=1, le=1)] | None = None
    user: Annotated[str, StringConstraints(max_length=255)] | None = None

    @property
    def wants_usage(self) -> bool:
        return bool(self.stream_options and self.stream_options.include_usage)

    def to_question(self) -> Question:
        index = _question_index(self.messages) or 0
        earlier = [message for message in self.messages[:index] if message.role in ("user", "assistant")]
        history = _exchanges(earlier[-HISTORY_MESSAGES:])
        return Question(self.messages[index].text.strip(), history=history)


def _question_index(messages: Sequence[Message]) -> int | None:
    """The last message of the user is the question."""
    indexes = [index for index, message in enumerate(messages) if message.role == "user"]
    return indexes[-1] if indexes else None


def _exchanges(messages: Iterable[Message]) -> tuple[Exchange, ...]:
    """Leaves out unanswered questions, and assistant messages before any question."""
    exchanges = list[Exchange]()
    for message in messages:
        if message.role == "user":
            exchanges.append(Exchange(message.text.strip(), ""))
        elif exchanges:
            last = exchanges[-1]
            answer = f"{last.answer}\n\n{without_sources(message.text)}".strip()
            exchanges[-1] = replace(last, answer=answer)
    return tuple(exchange for exchange in exchanges if exchange.question and exchange.answer)


# Reply. `glossator` holds what the OpenAI API has no field for.

MODEL = "glossator"


class Usage(BaseModel):
    """Counted with the tokenizer of the embedding model, not of a language model."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int

    @classmethod
    def of(cls, prompt: int, completion: int) -> Usage:
        return cls(prompt_tokens=prompt, completion_tokens=completion, total_tokens=prompt + completion)


class GlossatorExtension(BaseModel):
    outcome: Outcome
    confidence: Confidence | None
    citations: Sequence[Citation]

    @classmethod
    def of(cls, answer: Answer) -> GlossatorExtension:
        return cls.model_construct(
            outcome=answer.outcome, confidence=answer.confidence, citations=answer.citations
        )


class AssistantMessage(BaseModel):
    role: Literal["assistant"] = "assistant"
    content: str = Field(description="Markdown with `[1]` marks, followed by the list of their sources.")
    refusal: None = None


class Choice(BaseModel):
    index: Literal[0] = 0
    message: AssistantMessage
    logprobs: None = None
    finish_reason: Literal["stop"] = "stop"


class Completion(BaseModel):
    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int = Field(description="Seconds since 1970.")
    model: str = MODEL
    choices: Sequence[Choice]
    usage: Usage
    glossator: GlossatorExtension

    @classmethod
    def of(cls, answer: Answer, usage: Usage, at: datetime) -> Completion:
        return cls(
            id=completion_id(answer.id),
            created=int(at.timestamp()),
            choices=[Choice(message=AssistantMessage(content=content_of(answer)))],
            usage=usage,
            glossator=GlossatorExtension.of(answer),
        )


def _is_none(value: object) -> bool:
    return value is None


class Delta(BaseModel):
    role: Literal["assistant"] | None = Field(default=None, exclude_if=_is_none)
    content: str | None = Field(default=None, exclude_if=_is_none)


class ChunkChoice(BaseModel):
    index: Literal[0] = 0
    delta: Delta
    logprobs: None = None
    finish_reason: Literal["stop"] | None = None


class CompletionChunk(BaseModel):
    id: str
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"
    created: int
    model: str = MODEL
    choices: Sequence[ChunkChoice]
    usage: Usage | None = Field(default=None, description="Only present if `include_usage` is true.")
    glossator: GlossatorExtension | None = Field(default=None, exclude_if=_is_none)


class ModelOut(BaseModel):
    id: str = MODEL
    object: Literal["model"] = "model"
    created: int
    owned_by: str = "glossator"


class ModelsReply(BaseModel):
    object: Literal["list"] = "list"
    data: Sequence[ModelOut]

    @classmethod
    def of(cls, since: datetime) -> ModelsReply:
        return cls(data=[ModelOut(created=int(since.timestamp()))])


def completion_id(exchange_id: str) -> str:
    return f"chatcmpl-{exchange_id}"


def content_of(answer: Answer) -> str:
    return text_with_disclaimer(answer) + sources_of(answer)


_SOURCES_HEADING = "\n\n**Sources**\n\n"


def sources_of(answer: Answer) -> str:
    """A Markdown list of the cited sections, which any chat client can show; empty without citations."""
    lines = [
        f"{citation.n}. [{escape(_title(citation))}]({_address(citation)})" for citation in answer.citations
    ]
    return _SOURCES_HEADING + "\n".join(lines) if lines else ""


def without_sources(text: str) -> str:
    """Clients send earlier answers back with their list of sources, which is no part of the conversation."""
    answer, heading, list_lines = text.rstrip().rpartition(_SOURCES_HEADING)
    is_ours = heading and all(map(_is_source, list_lines.split("\n")))
    return answer if is_ours else text


def _title(citation: Citation) -> str:
    names = dict.fromkeys((citation.chapter, citation.section or citation.page_title))
    return " › ".join(name for name in names if name) or citation.page


def _address(citation: Citation) -> str:
    """Escapes the characters that would end a Markdown link."""
    return citation.url.replace("(", "%28").replace(")", "%29").replace(" ", "%20")


def _is_source(line: str) -> bool:
    return line[:1].isdigit() and "](" in line and line.endswith(")")


# Error body. Nothing the caller sent is repeated in it.


class Type(StrEnum):
    REQUEST = "invalid_request_error"
    RATE = "requests"
    SERVER = "server_error"


TYPES_AND_CODES: Mapping[ProblemKind, tuple[Type, str]] = {
    ProblemKind.INVALID: (Type.REQUEST, "invalid_request"),
    ProblemKind.UNAUTHORIZED: (Type.REQUEST, "invalid_api_key"),
    ProblemKind.FORBIDDEN: (Type.REQUEST, "insufficient_permissions"),
    ProblemKind.NOT_FOUND: (Type.REQUEST, "unknown_url"),
    ProblemKind.NOT_ALLOWED: (Type.REQUEST, "method_not_supported"),
    ProblemKind.CONFLICT: (Type.REQUEST, "idempotency_mismatch"),
    ProblemKind.TOO_LARGE: (Type.REQUEST, "request_too_large"),
    ProblemKind.RATE_LIMITED: (Type.RATE, "rate_limit_exceeded"),
    ProblemKind.NO_BOOK: (Type.SERVER, "no_book"),
    ProblemKind.INDEX: (Type.SERVER, "index_unavailable"),
    ProblemKind.EMBEDDER: (Type.SERVER, "embedder_unavailable"),
    ProblemKind.WRITER: (Type.SERVER, "writer_unavailable"),
    ProblemKind.RECORDS: (Type.SERVER, "database_unavailable"),
    ProblemKind.BUSY: (Type.SERVER, "session_busy"),
    ProblemKind.OVERLOADED: (Type.SERVER, "overloaded"),
    ProblemKind.STOPPING: (Type.SERVER, "stopping"),
    ProblemKind.TIMEOUT: (Type.SERVER, "timeout"),
    ProblemKind.INTERNAL: (Type.SERVER, "internal_error"),
}


class ErrorOut(BaseModel):
    message: str
    type: Type
    param: str | None = Field(description="The first wrong field.")
    code: str


class ErrorBody(BaseModel):
    error: ErrorOut

    @classmethod
    def of(cls, problem: Problem) -> ErrorBody:
        kind, code = TYPES_AND_CODES[problem.kind]
        param, reason = next(iter(problem.fields), (None, None))
        message = f"The request is not valid. {param or 'body'}: {reason}." if reason else problem.message
        return cls(error=ErrorOut(message=message, type=kind, param=param or None, code=code))


def render(problem: Problem) -> Response:
    headers = {"X-Request-Id": problem.trace_id}
    if problem.retry_after_seconds is not None:
        headers["Retry-After"] = str(problem.retry_after_seconds)
    return Response(
        ErrorBody.of(problem).model_dump_json(),
        status_code=problem.status,
        headers=headers,
        media_type="application/json",
    )


def rate_headers(status: RateLimitStatus) -> Mapping[str, str]:
    """Named as in the OpenAI API, with a duration instead of a point in time."""
    return {
        "X-RateLimit-Limit-Requests": str(status.limit),
        "X-RateLimit-Remaining-Requests": str(status.remaining),
        "X-RateLimit-Reset-Requests": f"{ceil(status.reset_after)}s",
    }


# Routes.

_SUMMARY = "A book that answers any client of the OpenAI API."
_COMPLETION_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "model": Completion,
        "content": EVENT_STREAM,
        "description": "The answer, as chunks followed by `[DONE]` if `stream` is true.",
    }
}
_DONE = frame(b"[DONE]")


def openai(engine: Engine, contract_settings: ContractSettings) -> ContractApp:
    app = application("Glossator: OpenAI", _SUMMARY, render)
    app.include_router(_routes(engine, contract_settings))
    asks = frozenset({"/chat/completions"})
    return ContractApp(
        Contract.OPENAI, "/openai/v1", app, render, rate_headers, contract_settings.body_bytes, asks
    )


def _routes(engine: Engine, contract_settings: ContractSettings) -> APIRouter:
    router = APIRouter()
    since = contract_settings.clock()

    @router.post(
        "/chat/completions",
        response_class=Response,
        responses=_COMPLETION_RESPONSES
        | error_responses(ErrorBody, (400, 401, 403, 404, 413, 422, 429, 500, 503)),
    )
    async def complete(request: CompletionRequest, caller: Asks, idempotency: IdempotencyKey) -> Response:
        """Answer from the book with sources. Nothing is stored."""
        call = _Call(engine, contract_settings, caller, request)
        return await (call.stream if request.stream else call.answer)(idempotency)

    @router.get("/models", responses=error_responses(ErrorBody, (400, 401, 403, 404, 413, 429, 500, 503)))
    async def models(caller: AnyCaller) -> ModelsReply:
        """The only model."""
        return ModelsReply.of(since)

    return router


@dataclass(frozen=True, slots=True)
class _Call:
    engine: Engine
    contract_settings: ContractSettings
    caller: Caller
    request: CompletionRequest

    async def answer(self, idempotency: Idempotency | None) -> Response:
        running = await self._ask(idempotency)
        answer = await running.answer()
        usage = await self._usage(answer)
        reply = Completion.of(answer, usage, running.answered_at or self.contract_settings.clock())
        return Response(reply.model_dump_json(), media_type="application/json", headers=_headers())

    async def stream(self, idempotency: Idempotency | None) -> Response:
        running = await self._ask(idempotency)
        return EventStream(
            self._frames(running), self.contract_settings.heartbeat_seconds, headers=_headers()
        )

    async def _ask(self, idempotency: Idempotency | None) -> RunningTurn:
        turn_request = TurnRequest(
            question=await self.engine.book.in_time(self.request.to_question),
            owner=self.caller.owner(self.request.user),
            contract=Contract.OPENAI,
            # Clients send the whole conversation with every question.
            remember=False,
            idempotency=idempotency,
        )
        return await self.engine.ask(turn_request)

    async def _frames(self, running: RunningTurn) -> AsyncGenerator[bytes]:
        excluded = None if self.request.wants_usage else {"usage"}
        try:
            async with aclosing(self._chunks(running)) as chunks:
                async for chunk in chunks:
                    yield frame(chunk.model_dump_json(exclude=excluded).encode())
            yield _DONE
        except Exception as error:  # noqa: BLE001  a stream always ends with an event
            yield frame(ErrorBody.of(problem_of(error)).model_dump_json().encode())

    async def _chunks(self, running: RunningTurn) -> AsyncGenerator[CompletionChunk]:
        """Their contents, joined, are the content of a whole reply."""
        chunks = _ChunkFactory(completion_id(running.id), int(self.contract_settings.clock().timestamp()))
        yield chunks.with_delta(Delta(role="assistant", content=""))
        async with aclosing(text_pieces(running, content_of)) as pieces:
            async for piece in pieces:
                if isinstance(piece, str):
                    yield chunks.with_delta(Delta(content=piece))
                else:
                    yield chunks.stop(GlossatorExtension.of(piece))
                    if self.request.wants_usage:
                        yield chunks.with_usage(await self._usage(piece))

    async def _usage(self, answer: Answer) -> Usage:
        """Counts all messages that were sent, also those that are ignored."""
        texts = [*(message.text for message in self.request.messages), content_of(answer)]
        embedder = self.engine.book.assistant.embedder
        *prompt, completion = await asyncio.to_thread(embedder.count_tokens, texts)
        return Usage.of(sum(prompt), completion)


@dataclass(frozen=True, slots=True)
class _ChunkFactory:
    """Makes the chunks of one answer, with the fields that they have in common."""

    id: str
    created: int

    def with_delta(self, delta: Delta) -> CompletionChunk:
        return CompletionChunk(id=self.id, created=self.created, choices=[ChunkChoice(delta=delta)])

    def stop(self, extension: GlossatorExtension) -> CompletionChunk:
        last = ChunkChoice(delta=Delta(), finish_reason="stop")
        return CompletionChunk(id=self.id, created=self.created, choices=[last], glossator=extension)

    def with_usage(self, usage: Usage) -> CompletionChunk:
        return CompletionChunk(id=self.id, created=self.created, choices=[], usage=usage)


def _headers() -> dict[str, str]:
    """The trace id, in the header where clients of the OpenAI API look for it."""
    return {"X-Request-Id": trace_id()}
