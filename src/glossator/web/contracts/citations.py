"""Answers with their places, from the book or from a selection, as 006-rag-agent-api has them."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Collection, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from math import ceil
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
    AnswerFinished,
    Citation,
    ClaimChecked,
    Contract,
    Filters,
    Idempotency,
    KeptExchange,
    PageRecord,
    Question,
    Selection,
    Span,
)
from glossator.resilience.health import Dependency, Probe
from glossator.sessions.running import RunningTurn, TurnRequest
from glossator.web.auth.access import SESSION_HEADER
from glossator.web.auth.caller import Asks, Caller, Known, Named
from glossator.web.auth.limits import rate_headers
from glossator.web.contract import EVENT_STREAM, ContractApp, ContractSettings, application, failures
from glossator.web.problem import Problem, ProblemKind, problem_of
from glossator.web.sse import EventStream, frame

# What a program sends.

LONGEST_QUERY = 2000
LONGEST_SELECTION = 10_000
MOST_VALUES = 100

_UUID = r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"


def _uuid(text: str) -> str:
    """Written in either case, it is the same session."""
    if not re.fullmatch(_UUID, text):
        raise PydanticCustomError("uuid", "It must be a UUID, with its hyphens")
    return text.lower()


SessionId = Annotated[str, AfterValidator(_uuid), WithJsonSchema({"type": "string", "pattern": f"^{_UUID}$"})]
Value = Annotated[str, StringConstraints(min_length=1, max_length=2000)]
Values = Annotated[
    list[Value],
    Field(max_length=MOST_VALUES),
    BeforeValidator(
        lambda sent: [sent] if isinstance(sent, str) else sent, json_schema_input_type=Value | list[Value]
    ),
]
"""One or several: any of them will do."""


class Mode(StrEnum):
    GENERAL = "general"
    SELECTED_TEXT = "selected_text"


class ChatFilters(BaseModel):
    """What different fields name must all match."""

    model_config = ConfigDict(extra="forbid")

    source_url: Values = Field(
        default=[],
        description="Pages; with an anchor in each of them, sections. As a reply has it will do.",
    )
    page_title: Values = []
    section_heading: Values = []

    @model_validator(mode="before")
    @classmethod
    def _known(cls, sent: object) -> object:
        """Says which fields there are, and not which was sent."""
        names = set(cast("dict[str, object]", sent)) if isinstance(sent, dict) else set[str]()
        if not names <= set(cls.model_fields):
            known = ", ".join(cls.model_fields)
            raise PydanticCustomError("unknown_filter", "The filters are: {known}", {"known": known})
        return cast("object", sent)

    @property
    def names_pages(self) -> bool:
        return not all("#" in url for url in self._urls)

    def to_filters(self, pages: Sequence[PageRecord]) -> Filters:
        """The index knows a section by its address, and a page by its path."""
        urls = self._urls
        wanted = {_page(url) for url in urls} if self.names_pages else set[str]()
        paths = tuple(page.path for page in pages if _page(page.url) in wanted)
        return Filters(
            page=paths,
            # What is no page of the book is left as it is, and so nothing is found there.
            url=() if paths else urls,
            page_title=tuple(self.page_title),
            section=tuple(self.section_heading),
        )

    @property
    def _urls(self) -> tuple[str, ...]:
        return tuple(_without_words(url) for url in self.source_url)


class ChatRequest(BaseModel):
    query: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_QUERY, pattern=r"\S"),
        Field(description="The question; blanks around it do not count."),
    ]
    session_id: SessionId | None = Field(
        default=None, description="The caller's own UUID for a conversation; without one nothing is kept."
    )
    mode: Mode = Mode.GENERAL
    selected_text: Annotated[str, StringConstraints(max_length=LONGEST_SELECTION)] | None = Field(
        default=None,
        validate_default=True,
        description="In the mode `selected_text`, all that an answer may rest on; in `general` not used.",
    )
    top_k: Annotated[int, Field(strict=True, ge=1, le=20)] = 5
    score_threshold: Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)] | None = None
    filters: ChatFilters | None = Field(
        default=None, description="In the mode `selected_text` not used: there the book is not searched."
    )

    @field_validator("selected_text")
    @classmethod
    def _there(cls, text: str | None, info: ValidationInfo) -> str | None:
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


def _without_words(url: str) -> str:
    """Without the text fragment, which is for browsers and names no place of its own."""
    return url.partition(":~:")[0].removesuffix("#")


def _page(url: str) -> str:
    return url.partition("#")[0].rstrip("/")


# What is answered.

LONGEST_CHUNK_TEXT = 500
NO_MODEL = "none"
"""Where nothing was written, as in small talk and most refusals."""

_SLOW_MS = 1000.0

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]
Line = Annotated[int, Field(ge=1)]
Milliseconds = Annotated[float, Field(ge=0)]


class SourceCitation(BaseModel):
    source_url: str
    page_title: str
    section_heading: str
    chunk_text: str = Field(
        max_length=LONGEST_CHUNK_TEXT, description="The cited words, as the page has them."
    )
    relevance_score: Share

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
    char_end: Count = Field(
        description="`selected_text[char_start:char_end]` are the cited words, all of them."
    )
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
    model: str = Field(description=f"What wrote the answer; `{NO_MODEL}` where nothing was written.")

    @classmethod
    def of(cls, answer: Answer) -> ResponseMetadata:
        return cls(
            query_time_ms=answer.timings["total"],
            chunks_retrieved=chunks_of(answer),
            model=answer.model or NO_MODEL,
        )


class ChatReply(BaseModel):
    answer: str
    sources: Sources = Field(description="In the order of the marks: `[1]` is the first one.")
    mode: Mode
    metadata: ResponseMetadata

    @classmethod
    def of(cls, answer: Answer, mode: Mode, selection: Selection | None) -> ChatReply:
        return cls(
            answer=words_of(answer),
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
    def of(cls, kept: KeptExchange) -> Conversation:
        selection = kept.selection
        return cls(
            id=kept.id,
            session_id=kept.session_id,
            query=kept.question,
            response=words_of(kept.answer),
            sources=sources_of(kept.answer, selection),
            mode=Mode.SELECTED_TEXT if selection else Mode.GENERAL,
            selected_text=selection.text if selection else None,
            chunks_retrieved=chunks_of(kept.answer),
            latency_ms=kept.latency_ms,
            created_at=kept.answered_at,
        )


class Message(BaseModel):
    role: Literal["user", "assistant"]
    content: str
    timestamp: datetime
    sources: Sources | None = Field(description="Of an answer; null where a reader speaks.")


class Messages(BaseModel):
    messages: Sequence[Message] = Field(description="The last ones, oldest first.")
    total: Count = Field(description="How many these are.")

    @classmethod
    def of(cls, kept: Sequence[KeptExchange]) -> Messages:
        messages = [message for one in kept for message in _messages(one)]
        return cls(messages=messages, total=len(messages))


class ServiceStatus(BaseModel):
    status: Literal["up", "down", "degraded"] = Field(description="`degraded`: it answers, but slowly.")
    latency_ms: Milliseconds | None
    message: str | None

    @classmethod
    def of(cls, probe: Probe) -> ServiceStatus:
        slowly = "degraded" if probe.latency_ms > _SLOW_MS else "up"
        return cls(
            status=slowly if probe.is_up else "down", latency_ms=probe.latency_ms, message=probe.message
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
        """Unhealthy without any of what is needed."""
        services = {name: ServiceStatus.of(probes[one]) for one, name in _NAMES.items() if one in probes}
        is_answering = all(probe.is_up for one, probe in probes.items() if one in needed)
        is_well = all(service.status == "up" for service in services.values())
        status = "healthy" if is_well else "degraded" if is_answering else "unhealthy"
        return cls(status=status, services=services, timestamp=at)


def words_of(answer: Answer) -> str:
    """The contract has no other place for a disclaimer."""
    return f"{answer.text}\n\n{answer.disclaimer}" if answer.disclaimer else answer.text


def sources_of(answer: Answer, selection: Selection | None) -> Sources:
    if selection is None:
        return [SourceCitation.of(one) for one in answer.citations]
    return [SelectedTextCitation.within(selection, one) for one in answer.citations]


def chunks_of(answer: Answer) -> int:
    """Those that were found; the cited ones where nothing had to be searched for."""
    return answer.confidence.metrics.num_chunks if answer.confidence else len(answer.citations)


def _messages(kept: KeptExchange) -> Iterator[Message]:
    told = Conversation.of(kept)
    yield Message(role="user", content=told.query, timestamp=kept.asked_at, sources=None)
    yield Message(role="assistant", content=told.response, timestamp=kept.answered_at, sources=told.sources)


# What is said when there is no answer; nothing of what was sent is repeated.


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
"""What keeps the agent from taking a question, and has no code of its own, is the agent's."""


class WrongFields(BaseModel):
    fields: Mapping[str, str] = Field(description="What is wrong, by the field's name.")


class ComeBack(BaseModel):
    retry_after_seconds: int


class ErrorBody(BaseModel):
    error_code: Code
    message: str
    details: WrongFields | ComeBack | None
    trace_id: str
    detail: str = Field(description="The message once more, where clients of FastAPI look for it.")

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
    seconds = _seconds(problem)
    return Response(
        ErrorBody.of(problem).model_dump_json(),
        status_code=problem.status,
        headers=None if seconds is None else {"Retry-After": str(seconds)},
        media_type="application/json",
    )


def _details(problem: Problem) -> WrongFields | ComeBack | None:
    if problem.fields:
        return WrongFields(fields={name or "body": wrong for name, wrong in problem.fields})
    seconds = _seconds(problem)
    return None if seconds is None else ComeBack(retry_after_seconds=seconds)


def _seconds(problem: Problem) -> int | None:
    return None if problem.retry_after is None else max(1, ceil(problem.retry_after))


# The routes, and how each becomes a question to the engine.

MOST_CONVERSATIONS = 20

_SUMMARY = "Questions about a book or a selection, answered with the places that say so."
_WHOLE: dict[int | str, dict[str, Any]] = {200: {"model": ChatReply}}
_STREAMED: dict[int | str, dict[str, Any]] = {
    200: {"content": EVENT_STREAM, "description": "`chunk` events, then `sources` and `done`, or `error`."}
}

Limit = Annotated[int, Query(ge=1, le=MOST_CONVERSATIONS)]
Format = Annotated[Literal["exchanges", "messages"], Query(description="How the exchanges are told.")]


def citations(engine: Engine, contract_settings: ContractSettings) -> ContractApp:
    app = application("Citations", _SUMMARY, render)
    app.include_router(_asking(engine, contract_settings))
    app.include_router(_keeping(engine, contract_settings))
    return ContractApp(
        contract=Contract.CITATIONS,
        prefix="/contracts/citations",
        app=app,
        render=render,
        rate_headers=rate_headers,
        body_bytes=contract_settings.body_bytes,
        asks=frozenset({"/chat", "/chat/stream"}),
    )


def _asking(engine: Engine, contract_settings: ContractSettings) -> APIRouter:
    router = APIRouter(responses=failures(ErrorBody, (400, 401, 403, 404, 413, 422, 429, 500, 503)))

    @router.post("/chat", response_class=Response, responses=_WHOLE)
    async def chat(asked: ChatRequest, caller: Asks, named: Named) -> Response:
        """Answer from the book, or from the selected text alone."""
        return await _Call(engine, contract_settings, caller).whole(asked, named)

    @router.post("/chat/stream", response_class=Response, responses=_STREAMED)
    async def stream(asked: ChatRequest, caller: Asks, named: Named) -> Response:
        """The same, sentence by sentence."""
        return await _Call(engine, contract_settings, caller).streamed(asked, named)

    return router


def _keeping(engine: Engine, contract_settings: ContractSettings) -> APIRouter:
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
        kept = await _Call(engine, contract_settings, caller).kept(session_id, limit, response)
        if format == "messages":
            return Messages.of(kept)
        return [Conversation.of(one) for one in reversed(kept)]

    @router.get("/health", responses=failures(ErrorBody, (500,)))
    async def health() -> HealthReply:
        """What an answer needs, and whether it is there."""
        return HealthReply.of(await engine.health.probe(), contract_settings.clock(), engine.health.needed)

    return router


@dataclass(frozen=True, slots=True)
class _Call:
    engine: Engine
    contract_settings: ContractSettings
    caller: Caller

    async def whole(self, asked: ChatRequest, named: Idempotency | None) -> Response:
        running = await self._ask(asked, named)
        reply = ChatReply.of(await running.answer(), asked.mode, asked.selection)
        response = Response(reply.model_dump_json(), media_type="application/json")
        return self._signed(response, running.session_id, running.session_created_at)

    async def streamed(self, asked: ChatRequest, named: Idempotency | None) -> Response:
        running = await self._ask(asked, named)
        stream = EventStream(
            _frames(asked, running), heartbeat_seconds=self.contract_settings.heartbeat_seconds
        )
        return self._signed(stream, running.session_id, running.session_created_at)

    async def kept(self, session_id: str, limit: int, response: Response) -> Sequence[KeptExchange]:
        session = await self.caller.find(self.engine, session_id)
        kept = await self.engine.exchanges.of_session(
            session_id, session.owner, limit, created_at=session.created_at
        )
        self._signed(response, session_id, session.created_at)
        return kept

    async def _ask(self, asked: ChatRequest, named: Idempotency | None) -> RunningTurn:
        pages = (await self.engine.book.manifest()).pages if asked.needs_pages else ()
        entry = self.caller.enter(asked.session_id)
        turn_request = TurnRequest(
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
        return await self.engine.ask(turn_request)

    def _signed(self, response: Response, session_id: str | None, created_at: datetime | None) -> Response:
        """With what a caller of a publishable key needs to go on in the session."""
        if token := self.caller.token_for(session_id, created_at):
            response.headers[SESSION_HEADER] = token
        return response


async def _frames(asked: ChatRequest, running: RunningTurn) -> AsyncGenerator[bytes]:
    try:
        async with aclosing(_events(asked, running)) as events:
            async for event in events:
                yield _frame(event)
    except Exception as error:  # noqa: BLE001  every stream has an end that can be read
        yield _frame(ErrorEvent.of(problem_of(error)))


async def _events(asked: ChatRequest, running: RunningTurn) -> AsyncGenerator[BaseModel]:
    """The contents of the chunks, joined, are the answer."""
    said = 0
    async with aclosing(running.events()) as events:
        async for heard in events:
            if isinstance(heard.event, ClaimChecked):
                said += len(heard.event.claim.text)
                yield ChunkEvent(content=heard.event.claim.text)
            elif isinstance(heard.event, AnswerFinished):
                answer = heard.event.answer
                # A refusal, small talk and a disclaimer are no claims.
                if rest := words_of(answer)[said:]:
                    yield ChunkEvent(content=rest)
                yield SourcesEvent(sources=sources_of(answer, asked.selection))
                yield DoneEvent(metadata=ResponseMetadata.of(answer))


def _frame(event: BaseModel) -> bytes:
    return frame(event.model_dump_json().encode())
