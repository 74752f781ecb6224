"""The grounding contract: answers with their unsupported claims, and sessions that last a day."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal, Self, cast

from fastapi import FastAPI, Response
from fastapi.exceptions import RequestValidationError
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)
from pydantic_core import PydanticCustomError

from glossator.engine import Engine
from glossator.errors import SessionUnknown
from glossator.model import (
    Answer,
    Citation,
    Contract,
    Filters,
    Grounding,
    Idempotency,
    KeptExchange,
    Opening,
    Question,
    ResponseState,
    Selection,
    Session,
    SessionState,
)
from glossator.sessions.running import RunningTurn, TurnRequest
from glossator.web.auth.caller import AnyCaller, Asks, Caller, IdempotencyKey, SessionAccess
from glossator.web.auth.limits import rate_headers
from glossator.web.contract import (
    LONGEST_TEXT,
    READABLE,
    ContractApp,
    ContractSettings,
    HealthReply,
    SessionId,
    Timestamp,
    UserId,
    application,
    error_responses,
    score_of,
    set_session_token,
    text_of,
)
from glossator.web.problem import Problem, ProblemKind

# Request.

_FILTER_KEYS = ("chapter", "section")

Text = Annotated[str, StringConstraints(min_length=1, max_length=1000, pattern=READABLE)]


def _as_list(values: object) -> object:
    if not isinstance(values, str | list):
        raise PydanticCustomError("filter_values", "should be a string or a list of strings")
    return [values] if isinstance(values, str) else cast("object", values)


Values = Annotated[
    list[Text],
    Field(max_length=50),
    BeforeValidator(_as_list, json_schema_input_type=Text | Annotated[list[Text], Field(max_length=50)]),
]


class ContextMode(StrEnum):
    RETRIEVAL_PIPELINE = "retrieval_pipeline"
    USER_PROVIDED = "user_provided"


class FiltersIn(BaseModel):
    """A passage must match every key that is set, each by any of its values."""

    model_config = ConfigDict(extra="forbid")

    chapter: Values = []
    section: Values = []

    @model_validator(mode="before")
    @classmethod
    def has_known_keys(cls, value: object) -> object:
        """Checked here, because pydantic would repeat the unknown key."""
        if isinstance(value, dict) and not cast("dict[object, object]", value).keys() <= set(_FILTER_KEYS):
            raise PydanticCustomError("unknown_filter", "may only have the keys chapter and section")
        return cast("object", value)

    def to_filters(self) -> Filters:
        return Filters(chapter=tuple(self.chapter), section=tuple(self.section))


class SessionRequest(BaseModel):
    """Settings of a session; they apply to its questions that leave them out."""

    user_id: UserId | None = None
    context_mode: ContextMode | None = None
    filters: FiltersIn | None = None

    @classmethod
    def of(cls, session: Session) -> SessionRequest:
        """Empty if a question opened the session: its settings apply to that question only."""
        return cls.model_validate(session.metadata)

    @property
    def metadata(self) -> Mapping[str, object]:
        return self.model_dump(mode="json", exclude_none=True)


class ChatRequest(BaseModel):
    query_text: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=1000, pattern=r"\S"),
        Field(description="The question. Blanks around it are removed."),
    ]
    context_mode: ContextMode | None = Field(
        default=None,
        description="Default: the mode that the session was opened with, or `retrieval_pipeline`.",
    )
    user_context: Annotated[str, StringConstraints(max_length=10_000)] | None = Field(
        default=None, description="The only evidence in the mode `user_provided`, where it is required."
    )
    filters: FiltersIn | None = None
    conversation_id: SessionId | None = Field(
        default=None, description="The id of a session. A new one is opened when absent."
    )
    thread_id: Annotated[str, StringConstraints(max_length=255)] | None = Field(
        default=None, description="Accepted but not used."
    )

    def mode(self, settings: SessionRequest) -> ContextMode:
        return self.context_mode or settings.context_mode or ContextMode.RETRIEVAL_PIPELINE

    def to_question(self, settings: SessionRequest) -> Question:
        filters = settings.filters if self.filters is None else self.filters
        return Question(
            self.query_text,
            selection=self._selection(self.mode(settings)),
            filters=filters.to_filters() if filters else Filters(),
        )

    def _selection(self, mode: ContextMode) -> Selection | None:
        if mode is ContextMode.RETRIEVAL_PIPELINE:
            return None
        if not (self.user_context or "").strip():
            raise _invalid("user_context", "is needed where context_mode is user_provided")
        return Selection(self.user_context or "", only=True)


def _invalid(field: str, message: str) -> RequestValidationError:
    details: dict[str, Any] = {"type": "missing", "loc": ("body", field), "msg": message}
    return RequestValidationError([details])


# Reply.

_USER_CONTEXT = "user_context"


class Source(BaseModel):
    """A chunk of the book that the answer cites, or the caller's own text."""

    content_id: str
    source_url: str
    chapter: str
    section: str | None

    @classmethod
    def of(cls, citation: Citation) -> Source:
        if citation.is_selection:
            return cls(content_id=_USER_CONTEXT, source_url="", chapter="", section=None)
        return cls(
            content_id=citation.chunk_id,
            source_url=citation.section_url,
            chapter=citation.chapter,
            section=citation.section or None,
        )


class GroundingValidation(BaseModel):
    is_fully_grounded: bool
    unsupported_claims: list[str]

    @model_validator(mode="after")
    def says_what_is_not_grounded(self) -> Self:
        if not self.is_fully_grounded and not self.unsupported_claims:
            raise ValueError("what is not fully grounded has unsupported claims")
        return self

    @classmethod
    def of(cls, grounding: Grounding) -> GroundingValidation:
        return cls(
            is_fully_grounded=grounding.is_fully_grounded,
            unsupported_claims=list(grounding.unsupported_claims),
        )


class ChatReply(BaseModel):
    response_text: str = Field(min_length=1, max_length=LONGEST_TEXT)
    sources: list[Source]
    confidence_score: float = Field(ge=0, le=1)
    grounding_validation: GroundingValidation
    conversation_id: str
    timestamp: Timestamp
    state: ResponseState = Field(description="`validated`, or `flagged` if a claim failed its check.")

    @classmethod
    def of(cls, answer: Answer, conversation_id: str, at: datetime) -> ChatReply:
        citations_by_chunk = _citations_by_chunk(answer)
        return cls(
            response_text=_text(answer),
            sources=[Source.of(citations[0]) for citations in citations_by_chunk.values()],
            confidence_score=score_of(answer),
            grounding_validation=GroundingValidation.of(answer.grounding),
            conversation_id=conversation_id,
            timestamp=at,
            state=ResponseState.VALIDATED if answer.grounding.is_fully_grounded else ResponseState.FLAGGED,
        )


class Message(BaseModel):
    role: Literal["user", "assistant"]
    content: str
    timestamp: Timestamp
    state: ResponseState | None = Field(
        description="`delivered` or `flagged` for an answer; null for a question."
    )

    @classmethod
    def pair(cls, exchange: KeptExchange) -> Iterator[Message]:
        yield cls(role="user", content=exchange.question, timestamp=exchange.asked_at, state=None)
        yield cls(
            role="assistant",
            content=_text(exchange.answer),
            timestamp=exchange.answered_at,
            state=exchange.response_state,
        )


class SessionReply(BaseModel):
    session_id: str
    openai_thread_id: None = Field(default=None, description="Always null: that API no longer exists.")
    created_at: Timestamp
    last_interaction: Timestamp
    user_id: str | None
    context_mode: ContextMode
    active_filters: dict[str, list[str]] | None
    conversation_history: list[Message]
    state: SessionState

    @classmethod
    def of(cls, session: Session, exchanges: Sequence[KeptExchange]) -> SessionReply:
        settings = SessionRequest.of(session)
        return cls(
            session_id=session.id,
            created_at=session.created_at,
            last_interaction=session.updated_at,
            user_id=settings.user_id,
            context_mode=settings.context_mode or ContextMode(session.context_mode),
            active_filters=_active_filters(settings.filters),
            conversation_history=[message for exchange in exchanges for message in Message.pair(exchange)],
            state=session.state,
        )


def _text(answer: Answer) -> str:
    """The text with marks that number the sources of the reply, one for each cited chunk."""
    chunks = enumerate(_citations_by_chunk(answer).values(), 1)
    return text_of(answer, {citation.n: number for number, citations in chunks for citation in citations})


def _citations_by_chunk(answer: Answer) -> Mapping[str, Sequence[Citation]]:
    """The citations by chunk id, in the order in which the text cites them."""
    chunks = dict[str, list[Citation]]()
    for citation in answer.citations:
        chunks.setdefault(citation.chunk_id, []).append(citation)
    return chunks


def _active_filters(filters: FiltersIn | None) -> dict[str, list[str]] | None:
    """The filters that apply to every question of the session."""
    items = filters.to_filters().items() if filters else ()
    return {name: list(values) for name, values in items} or None


# Error body. Nothing the caller sent is repeated in it.

CODES = {
    ProblemKind.INVALID: "validation_error",
    ProblemKind.UNAUTHORIZED: "unauthorized",
    ProblemKind.FORBIDDEN: "forbidden",
    ProblemKind.NOT_FOUND: "not_found",
    ProblemKind.NOT_ALLOWED: "method_not_allowed",
    ProblemKind.CONFLICT: "idempotency_mismatch",
    ProblemKind.TOO_LARGE: "payload_too_large",
    ProblemKind.RATE_LIMITED: "rate_limited",
    ProblemKind.NO_BOOK: "no_book",
    ProblemKind.INDEX: "retrieval_unavailable",
    ProblemKind.EMBEDDER: "embedding_unavailable",
    ProblemKind.WRITER: "agent_unavailable",
    ProblemKind.RECORDS: "storage_unavailable",
    ProblemKind.BUSY: "session_busy",
    ProblemKind.OVERLOADED: "overloaded",
    ProblemKind.STOPPING: "stopping",
    ProblemKind.TIMEOUT: "timeout",
    ProblemKind.INTERNAL: "internal_error",
}

# Fixed messages, because that of a dependency may hold anything.
_MESSAGES = {
    ProblemKind.NOT_FOUND: "There is no such session or address.",
    ProblemKind.NOT_ALLOWED: "That method does not exist here.",
    ProblemKind.NO_BOOK: "There is no book to answer from yet.",
    ProblemKind.INDEX: "The book cannot be searched at the moment.",
    ProblemKind.EMBEDDER: "The question cannot be read at the moment.",
    ProblemKind.WRITER: "The answer cannot be written at the moment.",
    ProblemKind.RECORDS: "The conversation cannot be kept at the moment.",
    ProblemKind.INTERNAL: "Something went wrong on our side.",
}


class FieldProblem(BaseModel):
    field: str
    message: str


class ErrorDetails(BaseModel):
    fields: list[FieldProblem]
    retryable: bool
    retry_after_seconds: int | None
    trace_id: str


class ErrorBody(BaseModel):
    error: str
    message: str
    details: ErrorDetails
    detail: str = Field(description="The message again, where clients of FastAPI look for it.")


def render(problem: Problem) -> Response:
    retry_after = problem.retry_after_seconds
    details = ErrorDetails(
        fields=[FieldProblem(field=name, message=message) for name, message in problem.fields],
        retryable=problem.retryable,
        retry_after_seconds=retry_after,
        trace_id=problem.trace_id,
    )
    message = _MESSAGES.get(problem.kind, problem.message)
    body = ErrorBody(error=CODES[problem.kind], message=message, details=details, detail=message)
    return Response(
        body.model_dump_json(),
        status_code=problem.status,
        headers={} if retry_after is None else {"retry-after": str(retry_after)},
        media_type="application/json",
    )


# Routes.

_SUMMARY = "Answers about a book, with the claims that failed their check, and sessions of a day."
_CHAT_ERRORS = error_responses(ErrorBody, (400, 401, 403, 404, 413, 422, 429, 500, 503))
_SESSION_ERRORS = error_responses(ErrorBody, (400, 401, 403, 404, 413, 429, 500, 503))


def grounding(engine: Engine, contract_settings: ContractSettings) -> ContractApp:
    app = application("Glossator: grounding", _SUMMARY, render)
    _chat(app, engine, contract_settings)
    _sessions(app, engine, contract_settings)

    @app.get("/health", responses=error_responses(ErrorBody, (500,)))
    async def health() -> HealthReply:
        return HealthReply.of(await engine.health.probe(), contract_settings.clock())

    asks = frozenset({"/chat"})
    return ContractApp(
        Contract.GROUNDING,
        "/contracts/grounding",
        app,
        render,
        rate_headers,
        contract_settings.body_bytes,
        asks,
    )


def _chat(app: FastAPI, engine: Engine, contract_settings: ContractSettings) -> None:
    @app.post("/chat", responses=_CHAT_ERRORS)
    async def chat(
        request: ChatRequest, caller: Asks, idempotency: IdempotencyKey, response: Response
    ) -> ChatReply:
        running = await _ask(engine, request, caller, idempotency)
        answer = await running.answer()
        set_session_token(response, caller.token_for(running.session_id, running.session_created_at))
        return ChatReply.of(
            answer, running.session_id or "", running.answered_at or contract_settings.clock()
        )


def _sessions(app: FastAPI, engine: Engine, contract_settings: ContractSettings) -> None:
    @app.post("/chat/session", responses=_SESSION_ERRORS)
    # The OpenAPI document names the optional body after its parameter, `sent`.
    async def open_session(
        caller: Asks, response: Response, sent: SessionRequest | None = None
    ) -> SessionReply:
        session = await engine.sessions.open(
            _new_session(sent or SessionRequest(), caller, contract_settings)
        )
        set_session_token(response, caller.token_for(session.id, session.created_at))
        return SessionReply.of(session, ())

    @app.get("/chat/session/{session_id}", responses=_SESSION_ERRORS)
    async def read_session(session_id: SessionId, caller: AnyCaller, response: Response) -> SessionReply:
        session = await caller.find(engine, session_id)
        in_view = engine.lifecycles[Contract.GROUNDING].in_view // 2
        exchanges = await engine.exchanges.of_session(
            session_id, session.owner, in_view, created_at=session.created_at
        )
        set_session_token(response, caller.token_for(session_id, session.created_at))
        return SessionReply.of(session, exchanges)

    @app.post("/chat/session/{session_id}/reset", responses=_SESSION_ERRORS)
    async def reset_session(session_id: SessionId, caller: AnyCaller, response: Response) -> SessionReply:
        """Delete the messages of a session and keep its id."""
        session = await caller.find(engine, session_id, to_change=True)
        emptied = await engine.sessions.reset(session_id, session.owner, created_at=session.created_at)
        set_session_token(response, caller.token_for(session_id, session.created_at))
        return SessionReply.of(emptied, ())


async def _ask(
    engine: Engine, request: ChatRequest, caller: Caller, idempotency: Idempotency | None
) -> RunningTurn:
    entry = caller.enter(request.conversation_id)
    settings = await _session_settings(engine, request.conversation_id, entry)
    return await engine.ask(
        TurnRequest(
            question=request.to_question(settings),
            owner=entry.owner,
            contract=Contract.GROUNDING,
            session_id=request.conversation_id,
            opening=entry.opening,
            session_created_at=entry.session_created_at,
            idempotency=idempotency,
            mode=request.mode(settings),
        )
    )


async def _session_settings(engine: Engine, session_id: str | None, entry: SessionAccess) -> SessionRequest:
    """What the caller's session was opened with; empty for a new session."""
    if session_id is not None and entry.opening is Opening.IF_UNKNOWN:
        with suppress(SessionUnknown):
            created_at = entry.session_created_at
            session = await engine.sessions.find(session_id, entry.owner, created_at=created_at)
            if session.contract is Contract.GROUNDING:
                return SessionRequest.of(session)
    return SessionRequest()


def _new_session(request: SessionRequest, caller: Caller, contract_settings: ContractSettings) -> Session:
    now = contract_settings.clock()
    return Session(
        id=str(uuid.uuid4()),
        owner=caller.owner(),
        contract=Contract.GROUNDING,
        created_at=now,
        updated_at=now,
        metadata=request.metadata,
        context_mode=request.context_mode or ContextMode.RETRIEVAL_PIPELINE,
        filters=request.filters.to_filters() if request.filters else Filters(),
    )
