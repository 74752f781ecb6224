"""Chat completions, as every client of the OpenAI API asks for them."""

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
    Answer,
    AnswerFinished,
    Citation,
    ClaimChecked,
    Confidence,
    Contract,
    Exchange,
    Idempotency,
    Outcome,
    Question,
)
from glossator.sessions.running import RunningTurn, TurnRequest
from glossator.text.markdown import escaped
from glossator.web.auth.caller import Asks, Caller, Known, Named
from glossator.web.auth.limits import RateLimitStatus
from glossator.web.contract import ContractApp, ContractSettings, application, failures
from glossator.web.problem import Problem, ProblemKind, problem_of
from glossator.web.sse import EventStream, frame
from glossator.web.trace import trace_id

# What a client of the OpenAI API sends; what is not named here is taken and ignored.

# The places that an answer cites, as a list below it: any chat client shows that.

_HEADING = "\n\n**Sources**\n\n"


def sources_of(answer: Answer) -> str:
    """Nothing where nothing is cited."""
    lines = [f"{one.n}. [{escaped(_title(one))}]({_address(one)})" for one in answer.citations]
    return _HEADING + "\n".join(lines) if lines else ""


def without_sources(text: str) -> str:
    """What was answered before comes back with its list, of which nobody spoke."""
    said, heading, below = text.rstrip().rpartition(_HEADING)
    is_ours = heading and all(map(_is_source, below.split("\n")))
    return said if is_ours else text


def _title(citation: Citation) -> str:
    names = dict.fromkeys((citation.chapter, citation.section or citation.page_title))
    return " › ".join(name for name in names if name) or citation.page


def _address(citation: Citation) -> str:
    """So that it ends where the link does."""
    return citation.url.replace("(", "%28").replace(")", "%29").replace(" ", "%20")


def _is_source(line: str) -> bool:
    return line[:1].isdigit() and "](" in line and line.endswith(")")


LONGEST_QUESTION = 2000
LONGEST_MESSAGE = 32_000
"""Characters; the longest answer of ours is shorter, and comes back with the next question."""
LONGEST_CONVERSATION = 100_000
"""Characters of all messages."""
MOST_MESSAGES = 10
"""Of the conversation so far."""

Flag = Annotated[bool, Field(strict=True)]
# Half a character is refused only where the length counts.
Text = Annotated[str, StringConstraints(min_length=0)]


class TextPart(BaseModel):
    type: Literal["text"]
    text: Text


def _content(value: object, check: ValidatorFunctionWrapHandler) -> object:
    """Wrong, it is said once, and not once for each form it could have had."""
    try:
        return check(value)
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


def _asking(messages: list[Message]) -> list[Message]:
    if sum(len(message.text) for message in messages) > LONGEST_CONVERSATION:
        message = "must have at most {longest} characters in all"
        raise PydanticCustomError("conversation_length", message, {"longest": LONGEST_CONVERSATION})
    place = _asked(messages)
    if place is None:
        raise PydanticCustomError("question", "must hold a message of the role user")
    if not 1 <= len(messages[place].text.strip()) <= LONGEST_QUESTION:
        message = "must end with a user's question of 1 to {longest} characters"
        raise PydanticCustomError("question", message, {"longest": LONGEST_QUESTION})
    return messages


class StreamOptions(BaseModel):
    include_usage: Flag | None = Field(default=None, description="A last chunk that counts the tokens.")


class CompletionRequest(BaseModel):
    model: Text = Field(description="Any; there is only one.")
    messages: Annotated[list[Message], Field(min_length=1), AfterValidator(_asking)] = Field(
        description=(
            "The last user message is the question, 1 to 2000 characters. The 10 messages of user and "
            "assistant before it are the conversation it may lean on. All others are ignored. Together they "
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
        place = _asked(self.messages) or 0
        said = [one for one in self.messages[:place] if one.role in ("user", "assistant")]
        history = _exchanges(said[-MOST_MESSAGES:])
        return Question(self.messages[place].text.strip(), history=history)


def _asked(messages: Sequence[Message]) -> int | None:
    places = [place for place, message in enumerate(messages) if message.role == "user"]
    return places[-1] if places else None


def _exchanges(messages: Iterable[Message]) -> tuple[Exchange, ...]:
    """Whole ones: a question that was never answered, and words before any question, are left out."""
    exchanges = list[Exchange]()
    for message in messages:
        if message.role == "user":
            exchanges.append(Exchange(message.text.strip(), ""))
        elif exchanges:
            last = exchanges[-1]
            answer = f"{last.answer}\n\n{without_sources(message.text)}".strip()
            exchanges[-1] = replace(last, answer=answer)
    return tuple(one for one in exchanges if one.question and one.answer)


# What is answered; `glossator` holds what the OpenAI API has no place for.

MODEL = "glossator"


class Usage(BaseModel):
    """In word pieces of the embedding model, which are not those of a language model."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int

    @classmethod
    def of(cls, asked: int, told: int) -> Usage:
        return cls(prompt_tokens=asked, completion_tokens=told, total_tokens=asked + told)


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
    content: str = Field(description="Markdown with `[1]` marks, and below it the sources they stand for.")
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
            id=name_of(answer.id),
            created=int(at.timestamp()),
            choices=[Choice(message=AssistantMessage(content=content_of(answer)))],
            usage=usage,
            glossator=GlossatorExtension.of(answer),
        )


def _is_missing(value: object) -> bool:
    return value is None


class Delta(BaseModel):
    role: Literal["assistant"] | None = Field(default=None, exclude_if=_is_missing)
    content: str | None = Field(default=None, exclude_if=_is_missing)


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
    usage: Usage | None = Field(default=None, description="Only there where the client wants it.")
    glossator: GlossatorExtension | None = Field(default=None, exclude_if=_is_missing)


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


def name_of(exchange_id: str) -> str:
    return f"chatcmpl-{exchange_id}"


def content_of(answer: Answer) -> str:
    caution = f"\n\n{answer.disclaimer}" if answer.disclaimer else ""
    return answer.text + caution + sources_of(answer)


# What is said when there is no answer, in the OpenAI API's own shape; what was sent is never repeated.


class Type(StrEnum):
    REQUEST = "invalid_request_error"
    RATE = "requests"
    SERVER = "server_error"


SAID: Mapping[ProblemKind, tuple[Type, str]] = {
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
    param: str | None = Field(description="The first field that is wrong.")
    code: str


class ErrorBody(BaseModel):
    error: ErrorOut

    @classmethod
    def of(cls, problem: Problem) -> ErrorBody:
        kind, code = SAID[problem.kind]
        param, wrong = next(iter(problem.fields), (None, None))
        message = f"The request is not valid. {param or 'body'}: {wrong}." if wrong else problem.message
        return cls(error=ErrorOut(message=message, type=kind, param=param or None, code=code))


def render(problem: Problem) -> Response:
    headers = {"X-Request-Id": problem.trace_id}
    if problem.retry_after is not None:
        headers["Retry-After"] = str(max(1, ceil(problem.retry_after)))
    return Response(
        ErrorBody.of(problem).model_dump_json(),
        status_code=problem.status,
        headers=headers,
        media_type="application/json",
    )


def rate_headers(standing: RateLimitStatus) -> Mapping[str, str]:
    """Under the names that the OpenAI API gives them, with a length of time."""
    return {
        "X-RateLimit-Limit-Requests": str(standing.limit),
        "X-RateLimit-Remaining-Requests": str(standing.remaining),
        "X-RateLimit-Reset-Requests": f"{ceil(standing.reset_after)}s",
    }


# The routes, and how a list of messages becomes a question to the engine.

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
        responses=_ANSWERED | failures(ErrorBody, (400, 401, 403, 404, 413, 422, 429, 500, 503)),
    )
    async def complete(sent: CompletionRequest, caller: Asks, named: Named) -> Response:
        """Answer from the book, and show where; nothing of it is kept."""
        call = _Call(engine, contract_settings, caller, sent)
        return await (call.streamed if sent.stream else call.whole)(named)

    @router.get("/models", responses=failures(ErrorBody, (400, 401, 403, 404, 413, 429, 500, 503)))
    async def models(caller: Known) -> ModelsReply:
        """The one there is."""
        return ModelsReply.of(since)

    return router


@dataclass(frozen=True, slots=True)
class _Call:
    engine: Engine
    contract_settings: ContractSettings
    caller: Caller
    sent: CompletionRequest

    async def whole(self, named: Idempotency | None) -> Response:
        running = await self._ask(named)
        answer = await running.answer()
        usage = await self._usage(answer)
        reply = Completion.of(answer, usage, running.answered_at or self.contract_settings.clock())
        return Response(reply.model_dump_json(), media_type="application/json", headers=_headers())

    async def streamed(self, named: Idempotency | None) -> Response:
        running = await self._ask(named)
        return EventStream(
            self._frames(running), self.contract_settings.heartbeat_seconds, headers=_headers()
        )

    async def _ask(self, named: Idempotency | None) -> RunningTurn:
        turn_request = TurnRequest(
            question=await self.engine.book.in_time(self.sent.to_question),
            owner=self.caller.owner(self.sent.user),
            contract=Contract.OPENAI,
            # Whoever asks sends the conversation along, every time.
            remember=False,
            idempotency=named,
        )
        return await self.engine.ask(turn_request)

    async def _frames(self, running: RunningTurn) -> AsyncGenerator[bytes]:
        left_out = None if self.sent.wants_usage else {"usage"}
        try:
            async with aclosing(self._chunks(running)) as chunks:
                async for chunk in chunks:
                    yield frame(chunk.model_dump_json(exclude=left_out).encode())
            yield _DONE
        except Exception as error:  # noqa: BLE001  every stream has an end that can be read
            yield frame(ErrorBody.of(problem_of(error)).model_dump_json().encode())

    async def _chunks(self, running: RunningTurn) -> AsyncGenerator[CompletionChunk]:
        """The contents, joined, are those of a whole reply."""
        line = _Line(name_of(running.id), int(self.contract_settings.clock().timestamp()))
        yield line.says(Delta(role="assistant", content=""))
        said = 0
        async with aclosing(running.events()) as events:
            async for heard in events:
                if isinstance(heard.event, ClaimChecked):
                    said += len(heard.event.claim.text)
                    yield line.says(Delta(content=heard.event.claim.text))
                elif isinstance(heard.event, AnswerFinished):
                    answer = heard.event.answer
                    # A refusal, small talk, a caution and the sources are no claims.
                    if rest := content_of(answer)[said:]:
                        yield line.says(Delta(content=rest))
                    yield line.stops(GlossatorExtension.of(answer))
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

    def says(self, delta: Delta) -> CompletionChunk:
        return CompletionChunk(id=self.id, created=self.created, choices=[ChunkChoice(delta=delta)])

    def stops(self, told: GlossatorExtension) -> CompletionChunk:
        last = ChunkChoice(delta=Delta(), finish_reason="stop")
        return CompletionChunk(id=self.id, created=self.created, choices=[last], glossator=told)

    def counts(self, usage: Usage) -> CompletionChunk:
        return CompletionChunk(id=self.id, created=self.created, choices=[], usage=usage)


def _headers() -> dict[str, str]:
    """Where the client looks for what a failure is found by in the log."""
    return {"X-Request-Id": trace_id()}
