"""The citations contract: answers with sources, from the book or a selection, as in 006-rag-agent-api."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Collection, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal, cast

from fastapi import APIRouter, Query, Response
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from glossator.answer.cite import lines_of
from glossator.engine import Engine
from glossator.model import (
    Answer,
    Citation,
    Contract,
    Filters,
    Idempotency,
    KeptExchange,
    PageRecord,
    Question,
    Selection,
    Span,
    without_text_fragment,
)
from glossator.resilience.health import Dependency, Probe
from glossator.sessions.running import RunningTurn, TurnRequest
from glossator.web.auth.caller import AnyCaller, Asks, Caller, IdempotencyKey
from glossator.web.auth.limits import rate_headers
from glossator.web.contract import (
    EVENT_STREAM,
    ContractApp,
    ContractSettings,
    application,
    error_responses,
    set_session_token,
    text_pieces,
    text_with_disclaimer,
)
from glossator.web.problem import Problem, ProblemKind, problem_of
from glossator.web.sse import EventStream, frame

# Request.

LONGEST_QUERY = 2000
LONGEST_SELECTION = 10_000
MOST_VALUES = 100

_UUID = r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"


def _uuid(text: str) -> str:
    """Written in lower case, so that the same UUID in upper case is the same session."""
    if not re.fullmatch(_UUID, text):
        raise PydanticCustomError("uuid", "It must be a UUID, with its hyphens")
    return text.lower()


SessionId = Annotated[str, AfterValidator(_uuid), WithJsonSchema({"type": "string", "pattern": f"^{_UUID}$"})]
Value = Annotated[str, StringConstraints(min_length=1, max_length=2000)]
Values = Annotated[
    list[Value],
    Field(max_length=MOST_VALUES),
    BeforeValidator(
        lambda value: [value] if isinstance(value, str) else value, json_schema_input_type=Value | list[Value]
    ),
]
"""One or several; a passage must match any of them."""


class Mode(StrEnum):
    GENERAL = "general"
    SELECTED_TEXT = "selected_text"


class ChatFilters(BaseModel):
    """A passage must match every field that is set, each by any of its values."""

    model_config = ConfigDict(extra="forbid")

    source_url: Values = Field(
        default=[],
        description="Addresses of pages, or of sections if each has an anchor; as in the sources of a reply.",
    )
    page_title: Values = []
    section_heading: Values = []

    @model_validator(mode="before")
    @classmethod
    def _known(cls, value: object) -> object:
        """Names the known fields in the error, and not the unknown one that was sent."""
        names = set(cast("dict[str, object]", value)) if isinstance(value, dict) else set[str]()
        if not names <= set(cls.model_fields):
            known = ", ".join(cls.model_fields)
            raise PydanticCustomError("unknown_filter", "The filters are: {known}", {"known": known})
        return cast("object", value)

    @property
    def names_pages(self) -> bool:
        return not all("#" in url for url in self._urls)

    def to_filters(self, pages: Sequence[PageRecord]) -> Filters:
        """The index filters sections by address, but pages by path."""
        urls = self._urls
        page_urls = {_page_url(url) for url in urls} if self.names_pages else set[str]()
        paths = tuple(page.path for page in pages if _page_url(page.url) in page_urls)
        return Filters(
            page=paths,
            # Addresses of no page of the book remain, so that the search finds nothing.
            url=() if paths else urls,
            page_title=tuple(self.page_title),
            section=tuple(self.section_heading),
        )

    @property
    def _urls(self) -> tuple[str, ...]:
        return tuple(map(without_text_fragment, self.source_url))


class ChatRequest(BaseModel):
    query: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_QUERY, pattern=r"\S"),
        Field(description="The question. Blanks around it are removed."),
    ]
    session_id: SessionId | None = Field(
        default=None,
        description="A UUID that the caller chooses for a conversation. Without it nothing is stored.",
    )
    mode: Mode = Mode.GENERAL
    selected_text: Annotated[str, StringConstraints(max_length=LONGEST_SELECTION)] | None = Field(
        default=None,
        validate_default=True,
        description="The only evidence in the mode `selected_text`; not used in `general`.",
    )
    top_k: Annotated[int, Field(strict=True, ge=1, le=20)] = 5
    score_threshold: Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)] | None = None
    filters: ChatFilters | None = Field(
        default=None, description="Not used in the mode `selected_text`, which does not search the book."
    )

    @field_validator("selected_text")
    @classmethod
    def _required_by_mode(cls, text: str | None, info: ValidationInfo) -> str | None:
        if info.data.get("mode") is Mode.SELECTED_TEXT and not (text or "").strip():
            raise PydanticCustomError("selection_missing", "In the mode selected_text it must not be blank")
        return text

    @property
    def selection(self) -> Selection | None:
        if self.mode is Mode.GENERAL or self.selected_text is None:
            return None
        return Selection(self.selected_text, only=True)

    @property
    def needs_pages(self) -> bool:
        return self.mode is Mode.GENERAL and self.filters is not None and self.filters.names_pages

    def to_question(self, pages: Sequence[PageRecord]) -> Question:
        is_filtered = self.mode is Mode.GENERAL and self.filters is not None
        return Question(
            text=self.query,
            selection=self.selection,
            filters=self.filters.to_filters(pages) if self.filters and is_filtered else Filters(),
            top_k=self.top_k,
            threshold=self.score_threshold,
        )


def _page_url(url: str) -> str:
    return url.partition("#")[0].rstrip("/")


# Reply.

LONGEST_CHUNK_TEXT = 500
NO_MODEL = "none"
"""Replaces the model's name where none wrote, as in small talk and most refusals."""

_SLOW_MS = 1000.0

Score = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]
Line = Annotated[int, Field(ge=1)]
Milliseconds = Annotated[float, Field(ge=0)]


class SourceCitation(BaseModel):
    source_url: str
    page_title: str
    section_heading: str
    chunk_text: str = Field(
        max_length=LONGEST_CHUNK_TEXT, description="The cited text, as it stands on the page."
    )
    relevance_score: Score

    @classmethod
    def of(cls, citation: Citation) -> SourceCitation:
        return cls(
            source_url=citation.url,
            page_title=citation.page_title,
            section_heading=citation.section or "Introduction",
            chunk_text=citation.quote[:LONGEST_CHUNK_TEXT],
            relevance_score=citation.similarity,
        )


class SelectedTextCitation(SourceCitation):
    char_start: Count
    char_end: Count = Field(description="`selected_text[char_start:char_end]` is the whole cited text.")
    line_start: Line
    line_end: Line

    @classmethod
    def within(cls, selection: Selection, citation: Citation) -> SelectedTextCitation:
        lines = lines_of(selection.text, Span(citation.start, citation.end))
        return cls(
            source_url="selected_text",
            page_title="User Selection",
            section_heading="User Selection",
            chunk_text=citation.quote[:LONGEST_CHUNK_TEXT],
            relevance_score=citation.similarity,
            char_start=citation.start,
            char_end=citation.end,
            line_start=lines.start,
            line_end=lines.end,
        )


Sources = Sequence[SelectedTextCitation | SourceCitation]


class ResponseMetadata(BaseModel):
    query_time_ms: Milliseconds
    chunks_retrieved: Count
    model: str = Field(description=f"The model that wrote the answer; `{NO_MODEL}` if none did.")

    @classmethod
    def of(cls, answer: Answer) -> ResponseMetadata:
        return cls(
            query_time_ms=answer.timings["total"],
            chunks_retrieved=chunk_count(answer),
            model=answer.model or NO_MODEL,
        )


class ChatReply(BaseModel):
    answer: str
    sources: Sources = Field(description="In the order of the marks: `[1]` is the first source.")
    mode: Mode
    metadata: ResponseMetadata

    @classmethod
    def of(cls, answer: Answer, mode: Mode, selection: Selection | None) -> ChatReply:
        return cls(
            answer=text_with_disclaimer(answer),
            sources=sources_of(answer, selection),
            mode=mode,
            metadata=ResponseMetadata.of(answer),
        )


class ChunkEvent(BaseModel):
    type: Literal["chunk"] = "chunk"
    content: str


class SourcesEvent(BaseModel):
    type: Literal["sources"] = "sources"
    sources: Sources


class DoneEvent(BaseModel):
    type: Literal["done"] = "done"
    metadata: ResponseMetadata


class Conversation(BaseModel):
    """One question and its answer."""

    id: str
    session_id: str
    query: str
    response: str
    sources: Sources
    mode: Mode
    selected_text: str | None
    chunks_retrieved: Count
    latency_ms: Milliseconds
    created_at: datetime

    @classmethod
    def of(cls, exchange: KeptExchange) -> Conversation:
        selection = exchange.selection
        return cls(
            id=exchange.id,
            session_id=exchange.session_id,
            query=exchange.question,
            response=text_with_disclaimer(exchange.answer),
            sources=sources_of(exchange.answer, selection),
            mode=Mode.SELECTED_TEXT if selection else Mode.GENERAL,
            selected_text=selection.text if selection else None,
            chunks_retrieved=chunk_count(exchange.answer),
            latency_ms=exchange.latency_ms,
            created_at=exchange.answered_at,
        )


class Message(BaseModel):
    role: Literal["user", "assistant"]
    content: str
    timestamp: datetime
    sources: Sources | None = Field(description="The sources of an answer; null in a message of the user.")


class Messages(BaseModel):
    messages: Sequence[Message] = Field(description="The latest messages, oldest first.")
    total: Count = Field(description="The number of messages in this reply.")

    @classmethod
    def of(cls, exchanges: Sequence[KeptExchange]) -> Messages:
        messages = [message for exchange in exchanges for message in _messages(exchange)]
        return cls(messages=messages, total=len(messages))


class ServiceStatus(BaseModel):
    status: Literal["up", "down", "degraded"] = Field(description="`degraded`: it answers, but slowly.")
    latency_ms: Milliseconds | None
    message: str | None

    @classmethod
    def of(cls, probe: Probe) -> ServiceStatus:
        up_status = "degraded" if probe.latency_ms > _SLOW_MS else "up"
        return cls(
            status=up_status if probe.is_up else "down", latency_ms=probe.latency_ms, message=probe.message
        )


_NAMES = {
    Dependency.INDEX: "qdrant",
    Dependency.EMBEDDER: "embedder",
    Dependency.WRITER: "openai",
    Dependency.RECORDS: "postgresql",
}


class HealthReply(BaseModel):
    status: Literal["healthy", "degraded", "unhealthy"] = Field(
        description="`unhealthy`: no question about the book can be answered."
    )
    services: Mapping[str, ServiceStatus]
    timestamp: datetime

    @classmethod
    def of(
        cls, probes: Mapping[Dependency, Probe], at: datetime, needed: Collection[Dependency]
    ) -> HealthReply:
        """Unhealthy if any of the needed dependencies is down."""
        services = {
            name: ServiceStatus.of(probes[dependency])
            for dependency, name in _NAMES.items()
            if dependency in probes
        }
        is_answering = all(probe.is_up for dependency, probe in probes.items() if dependency in needed)
        is_healthy = all(service.status == "up" for service in services.values())
        status = "healthy" if is_healthy else "degraded" if is_answering else "unhealthy"
        return cls(status=status, services=services, timestamp=at)


def sources_of(answer: Answer, selection: Selection | None) -> Sources:
    if selection is None:
        return [SourceCitation.of(citation) for citation in answer.citations]
    return [SelectedTextCitation.within(selection, citation) for citation in answer.citations]


def chunk_count(answer: Answer) -> int:
    """Counts the retrieved chunks, or the cited ones where no search was needed."""
    return answer.confidence.metrics.num_chunks if answer.confidence else len(answer.citations)


def _messages(exchange: KeptExchange) -> Iterator[Message]:
    conversation = Conversation.of(exchange)
    yield Message(role="user", content=conversation.query, timestamp=exchange.asked_at, sources=None)
    yield Message(
        role="assistant",
        content=conversation.response,
        timestamp=exchange.answered_at,
        sources=conversation.sources,
    )


# Error body. Nothing the caller sent is repeated in it.


class Code(StrEnum):
    VALIDATION = "validation_error"
    UNAUTHORIZED = "unauthorized"
    NOT_FOUND = "not_found"
    RATE_LIMITED = "rate_limited"
    RETRIEVAL = "retrieval_unavailable"
    EMBEDDING = "embedding_failed"
    AGENT = "agent_unavailable"
    INTERNAL = "internal_error"


CODES: Mapping[ProblemKind, Code] = {
    ProblemKind.INVALID: Code.VALIDATION,
    ProblemKind.NOT_ALLOWED: Code.VALIDATION,
    ProblemKind.CONFLICT: Code.VALIDATION,
    ProblemKind.TOO_LARGE: Code.VALIDATION,
    ProblemKind.UNAUTHORIZED: Code.UNAUTHORIZED,
    ProblemKind.FORBIDDEN: Code.UNAUTHORIZED,
    ProblemKind.NOT_FOUND: Code.NOT_FOUND,
    ProblemKind.RATE_LIMITED: Code.RATE_LIMITED,
    ProblemKind.NO_BOOK: Code.RETRIEVAL,
    ProblemKind.INDEX: Code.RETRIEVAL,
    ProblemKind.EMBEDDER: Code.EMBEDDING,
    ProblemKind.WRITER: Code.AGENT,
    ProblemKind.RECORDS: Code.AGENT,
    ProblemKind.BUSY: Code.AGENT,
    ProblemKind.OVERLOADED: Code.AGENT,
    ProblemKind.STOPPING: Code.AGENT,
    ProblemKind.TIMEOUT: Code.AGENT,
    ProblemKind.INTERNAL: Code.INTERNAL,
}
"""A problem without a code of its own that prevents an answer is `agent_unavailable`."""


class WrongFields(BaseModel):
    fields: Mapping[str, str] = Field(description="What is wrong with each field, by its name.")


class ComeBack(BaseModel):
    retry_after_seconds: int


class ErrorBody(BaseModel):
    error_code: Code
    message: str
    details: WrongFields | ComeBack | None
    trace_id: str
    detail: str = Field(description="The message again, where clients of FastAPI look for it.")

    @classmethod
    def of(cls, problem: Problem) -> ErrorBody:
        return cls(
            error_code=CODES[problem.kind],
            message=problem.message,
            details=_details(problem),
            trace_id=problem.trace_id,
            detail=problem.message,
        )


class ErrorEvent(BaseModel):
    type: Literal["error"] = "error"
    error_code: Code
    message: str

    @classmethod
    def of(cls, problem: Problem) -> ErrorEvent:
        return cls(error_code=CODES[problem.kind], message=problem.message)


def render(problem: Problem) -> Response:
    seconds = problem.retry_after_seconds
    return Response(
        ErrorBody.of(problem).model_dump_json(),
        status_code=problem.status,
        headers=None if seconds is None else {"Retry-After": str(seconds)},
        media_type="application/json",
    )


def _details(problem: Problem) -> WrongFields | ComeBack | None:
    if problem.fields:
        return WrongFields(fields={name or "body": message for name, message in problem.fields})
    seconds = problem.retry_after_seconds
    return None if seconds is None else ComeBack(retry_after_seconds=seconds)


# Routes.

MOST_CONVERSATIONS = 20

_SUMMARY = "Questions about a book or a selection, answered with the places that say so."
_CHAT_RESPONSES: dict[int | str, dict[str, Any]] = {200: {"model": ChatReply}}
_STREAM_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"content": EVENT_STREAM, "description": "`chunk` events, then `sources` and `done`; or `error`."}
}

Limit = Annotated[int, Query(ge=1, le=MOST_CONVERSATIONS)]
Format = Annotated[
    Literal["exchanges", "messages"], Query(description="Whether to return exchanges or single messages.")
]


def citations(engine: Engine, contract_settings: ContractSettings) -> ContractApp:
    app = application("Citations", _SUMMARY, render)
    app.include_router(_chat_routes(engine, contract_settings))
    app.include_router(_session_routes(engine, contract_settings))
    return ContractApp(
        contract=Contract.CITATIONS,
        prefix="/contracts/citations",
        app=app,
        render=render,
        rate_headers=rate_headers,
        body_bytes=contract_settings.body_bytes,
        asks=frozenset({"/chat", "/chat/stream"}),
    )


def _chat_routes(engine: Engine, contract_settings: ContractSettings) -> APIRouter:
    router = APIRouter(responses=error_responses(ErrorBody, (400, 401, 403, 404, 413, 422, 429, 500, 503)))

    @router.post("/chat", response_class=Response, responses=_CHAT_RESPONSES)
    async def chat(request: ChatRequest, caller: Asks, idempotency: IdempotencyKey) -> Response:
        """Answer from the book, or from the selected text alone."""
        return await _Call(engine, contract_settings, caller).answer(request, idempotency)

    @router.post("/chat/stream", response_class=Response, responses=_STREAM_RESPONSES)
    async def stream(request: ChatRequest, caller: Asks, idempotency: IdempotencyKey) -> Response:
        """Answer as `/chat` does, sentence by sentence."""
        return await _Call(engine, contract_settings, caller).stream(request, idempotency)

    return router


def _session_routes(engine: Engine, contract_settings: ContractSettings) -> APIRouter:
    router = APIRouter()
    errors = error_responses(ErrorBody, (400, 401, 403, 404, 413, 429, 500, 503))

    @router.get("/conversations/{session_id}", responses=errors)
    async def conversations(
        session_id: SessionId,
        caller: AnyCaller,
        response: Response,
        limit: Limit = MOST_CONVERSATIONS,
        format: Format = "exchanges",
    ) -> Sequence[Conversation] | Messages:
        """The latest exchanges, newest first; or their messages, oldest first, for `format=messages`."""
        exchanges = await _Call(engine, contract_settings, caller).exchanges(session_id, limit, response)
        if format == "messages":
            return Messages.of(exchanges)
        return [Conversation.of(exchange) for exchange in reversed(exchanges)]

    @router.get("/health", responses=error_responses(ErrorBody, (500,)))
    async def health() -> HealthReply:
        """Whether the dependencies are up."""
        return HealthReply.of(await engine.health.probe(), contract_settings.clock(), engine.health.needed)

    return router


@dataclass(frozen=True, slots=True)
class _Call:
    engine: Engine
    contract_settings: ContractSettings
    caller: Caller

    async def answer(self, request: ChatRequest, idempotency: Idempotency | None) -> Response:
        running = await self._ask(request, idempotency)
        reply = ChatReply.of(await running.answer(), request.mode, request.selection)
        response = Response(reply.model_dump_json(), media_type="application/json")
        return self._with_token(response, running.session_id, running.session_created_at)

    async def stream(self, request: ChatRequest, idempotency: Idempotency | None) -> Response:
        running = await self._ask(request, idempotency)
        stream = EventStream(
            _frames(request, running), heartbeat_seconds=self.contract_settings.heartbeat_seconds
        )
        return self._with_token(stream, running.session_id, running.session_created_at)

    async def exchanges(self, session_id: str, limit: int, response: Response) -> Sequence[KeptExchange]:
        session = await self.caller.find(self.engine, session_id)
        exchanges = await self.engine.exchanges.of_session(
            session_id, session.owner, limit, created_at=session.created_at
        )
        self._with_token(response, session_id, session.created_at)
        return exchanges

    async def _ask(self, request: ChatRequest, idempotency: Idempotency | None) -> RunningTurn:
        pages = (await self.engine.book.manifest()).pages if request.needs_pages else ()
        entry = self.caller.enter(request.session_id)
        turn_request = TurnRequest(
            question=request.to_question(pages),
            owner=entry.owner,
            contract=Contract.CITATIONS,
            session_id=request.session_id,
            opening=entry.opening,
            session_created_at=entry.session_created_at,
            # The reply names no session, so without an id of the caller's the exchange could never be read.
            remember=request.session_id is not None,
            idempotency=idempotency,
            mode=request.mode,
        )
        return await self.engine.ask(turn_request)

    def _with_token(
        self, response: Response, session_id: str | None, created_at: datetime | None
    ) -> Response:
        set_session_token(response, self.caller.token_for(session_id, created_at))
        return response


async def _frames(request: ChatRequest, running: RunningTurn) -> AsyncGenerator[bytes]:
    try:
        async with aclosing(_events(request, running)) as events:
            async for event in events:
                yield _frame(event)
    except Exception as error:  # noqa: BLE001  a stream always ends with an event
        yield _frame(ErrorEvent.of(problem_of(error)))


async def _events(request: ChatRequest, running: RunningTurn) -> AsyncGenerator[BaseModel]:
    """The contents of the chunk events, joined, are the `answer` of a whole reply."""
    async with aclosing(text_pieces(running, text_with_disclaimer)) as pieces:
        async for piece in pieces:
            if isinstance(piece, str):
                yield ChunkEvent(content=piece)
            else:
                yield SourcesEvent(sources=sources_of(piece, request.selection))
                yield DoneEvent(metadata=ResponseMetadata.of(piece))


def _frame(event: BaseModel) -> bytes:
    return frame(event.model_dump_json().encode())
