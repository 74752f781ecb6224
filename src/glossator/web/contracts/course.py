"""The course contract: chat for a named user, optionally about a selected text, with friendly errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from typing import Annotated, Any, Literal, NamedTuple

from fastapi import FastAPI, Query, Response
from pydantic import BaseModel, Field, StringConstraints

from glossator.engine import Engine
from glossator.errors import SessionUnknown
from glossator.model import (
    Answer,
    Citation,
    Contract,
    Idempotency,
    KeptExchange,
    Question,
    Selection,
    Session,
)
from glossator.sessions.running import RunningTurn, TurnRequest
from glossator.web.auth.caller import AnyCaller, Asks, Caller, IdempotencyKey, SessionAccess
from glossator.web.auth.limits import rate_headers
from glossator.web.contract import (
    ContractApp,
    ContractSettings,
    HealthReply,
    Metadata,
    SessionId,
    Timestamp,
    UserId,
    application,
    error_responses,
    set_session_token,
    text_of,
)
from glossator.web.problem import STATUS, Problem, ProblemKind

# Request.

Limit = Annotated[int, Query(ge=1, le=100, description="How many of the latest messages to return.")]
SessionUser = Annotated[
    UserId | None,
    Query(description="The user whose session it is. Optional if `session_id` is a UUID of version 4."),
]


class ChatRequest(BaseModel):
    user_id: UserId
    message: Annotated[str, StringConstraints(min_length=1, max_length=2000)]
    session_id: SessionId | None = Field(default=None, description="A new session is opened when absent.")
    selected_text: Annotated[str, StringConstraints(max_length=5000)] | None = Field(
        default=None, description="Text that the user selected; used as evidence besides the book."
    )

    metadata: Metadata = Field(
        default={},
        description="Stored when the message opens a session, and returned in its history.",
    )

    def to_question(self) -> Question:
        text = self.selected_text
        return Question(self.message, selection=Selection(text) if text and text.strip() else None)


# Reply.

SELECTION_PAGE, SELECTION_SECTION = "selected_text", "User Selection"
"""Stand for page and section in a source that cites the selection."""


class Source(BaseModel):
    page: str = Field(
        description=f"Path of a file in the book: `*.md` or `*.mdx`; `{SELECTION_PAGE}` for the selection."
    )
    section: str
    url: str
    relevance_score: float = Field(ge=0, le=1)


class ChatReply(BaseModel):
    response: str
    sources: list[Source]
    session_id: str

    @classmethod
    def of(cls, answer: Answer, session_id: str) -> ChatReply:
        return cls(response=_text(answer), sources=_sources(answer), session_id=session_id)


class SourceMetadata(BaseModel):
    """Fields without a value are left out."""

    selected_text: str | None = None
    sources: list[str] | None = Field(default=None, description="Pages of the sources, the best first.")

    @classmethod
    def of(cls, exchange: KeptExchange, pages: Sequence[str] = ()) -> SourceMetadata | None:
        # Built from the present fields only, because unset fields are left out of the reply.
        values = dict[str, Any]()
        if exchange.selection:
            values["selected_text"] = exchange.selection.text
        if pages:
            values["sources"] = pages
        return cls(**values) if values else None


class Message(BaseModel):
    role: Literal["user", "assistant"]
    content: str
    timestamp: Timestamp
    metadata: SourceMetadata | None

    @classmethod
    def pair(cls, exchange: KeptExchange) -> Iterator[Message]:
        pages = [source.page for source in _sources(exchange.answer)]
        yield cls(
            role="user",
            content=exchange.question,
            timestamp=exchange.asked_at,
            metadata=SourceMetadata.of(exchange),
        )
        yield cls(
            role="assistant",
            content=_text(exchange.answer),
            timestamp=exchange.answered_at,
            metadata=SourceMetadata.of(exchange, pages),
        )


class HistoryReply(BaseModel):
    messages: list[Message]
    session_id: str
    metadata: Mapping[str, object] = Field(description="The metadata that the session was opened with.")

    @classmethod
    def of(cls, exchanges: Sequence[KeptExchange], limit: int, session: Session) -> HistoryReply:
        messages = [message for exchange in exchanges for message in Message.pair(exchange)]
        return cls(messages=messages[-limit:], session_id=session.id, metadata=session.metadata)


class _Location(NamedTuple):
    page: str
    section: str
    url: str


def _text(answer: Answer) -> str:
    """The text with marks that number the sources of the reply."""
    positions = {location: number for number, location in enumerate(_ranked(answer), 1)}
    return text_of(answer, {citation.n: positions[_location(citation)] for citation in answer.citations})


def _sources(answer: Answer) -> list[Source]:
    return [
        Source(page=location.page, section=location.section, url=location.url, relevance_score=score)
        for location, score in _ranked(answer).items()
    ]


def _ranked(answer: Answer) -> Mapping[_Location, float]:
    """The cited sections with the best score of each, the highest first; equal scores in citation order."""
    scores = dict[_Location, float]()
    for citation in answer.citations:
        location, score = _location(citation), min(max(citation.similarity, 0.0), 1.0)
        scores[location] = max(score, scores.get(location, 0.0))
    return dict(sorted(scores.items(), key=lambda item: -item[1]))


def _location(citation: Citation) -> _Location:
    if citation.is_selection:
        return _Location(SELECTION_PAGE, SELECTION_SECTION, "")
    return _Location(citation.page, citation.section or citation.page_title, citation.section_url)


# Error body. Nothing the caller sent is repeated in it.

STATUSES = STATUS | {ProblemKind.CONFLICT: 400}
"""This contract has no 422: an idempotency conflict is a 400 too."""

SENTENCES = {
    ProblemKind.INVALID: (
        "Something in your message could not be understood, so please check it and try again."
    ),
    ProblemKind.UNAUTHORIZED: "Please sign in with a valid key to use the course assistant.",
    ProblemKind.FORBIDDEN: "Sorry, this key is not allowed to do that.",
    ProblemKind.NOT_FOUND: "Sorry, that conversation or page could not be found.",
    ProblemKind.NOT_ALLOWED: "Sorry, that cannot be done here.",
    ProblemKind.CONFLICT: (
        "This idempotency key was already used for another message, so please choose a new one."
    ),
    ProblemKind.TOO_LARGE: "Your message is too large, so please send a shorter one.",
    ProblemKind.RATE_LIMITED: (
        "You are asking faster than I can follow, so please wait a moment and try again."
    ),
    ProblemKind.NO_BOOK: "The course is not ready yet, so please come back later.",
    ProblemKind.INDEX: "I cannot look into the course at the moment, so please try again shortly.",
    ProblemKind.EMBEDDER: "I cannot read your question at the moment, so please try again shortly.",
    ProblemKind.WRITER: "I cannot write an answer at the moment, so please try again shortly.",
    ProblemKind.RECORDS: "I cannot reach our conversation at the moment, so please try again shortly.",
    ProblemKind.BUSY: "I am still answering your last message, so please try again in a moment.",
    ProblemKind.OVERLOADED: "Many readers are asking right now, so please try again shortly.",
    ProblemKind.STOPPING: "The assistant is being restarted, so please try again shortly.",
    ProblemKind.TIMEOUT: "That took longer than it should, so please try again.",
    ProblemKind.INTERNAL: "Something went wrong on our side, so please try again later.",
}


class ErrorBody(BaseModel):
    error: str
    detail: str = Field(description="The sentence again, where clients of FastAPI look for it.")


def render(problem: Problem) -> Response:
    retry_after = problem.retry_after_seconds
    sentence = _sentence(problem)
    return Response(
        ErrorBody(error=sentence, detail=sentence).model_dump_json(),
        status_code=STATUSES[problem.kind],
        headers={} if retry_after is None else {"retry-after": str(retry_after)},
        media_type="application/json",
    )


def _sentence(problem: Problem) -> str:
    """For an invalid request, the sentence names the wrong fields."""
    names = dict.fromkeys(name for name, _ in problem.fields if name)
    if not names:
        return SENTENCES[problem.kind]
    return f"Something is missing or not right, so please check {' and '.join(names)} and try again."


# Routes.

_SUMMARY = "A course's assistant: answers from its pages, for readers who are named."
_ERRORS = error_responses(ErrorBody, (400, 401, 403, 404, 413, 429, 500, 503))


def course(engine: Engine, contract_settings: ContractSettings) -> ContractApp:
    app = application("Glossator: course", _SUMMARY, render)
    _chat(app, engine)
    _history(app, engine)

    @app.get("/health", responses=error_responses(ErrorBody, (500,)))
    async def health() -> HealthReply:
        return HealthReply.of(await engine.health.probe(), contract_settings.clock())

    asks = frozenset({"/chat"})
    return ContractApp(
        Contract.COURSE, "/contracts/course", app, render, rate_headers, contract_settings.body_bytes, asks
    )


def _chat(app: FastAPI, engine: Engine) -> None:
    @app.post("/chat", responses=_ERRORS)
    async def chat(
        request: ChatRequest, caller: Asks, idempotency: IdempotencyKey, response: Response
    ) -> ChatReply:
        running = await _ask(engine, request, caller, idempotency)
        answer = await running.answer()
        token = caller.token_for(running.session_id, running.session_created_at, user=request.user_id)
        set_session_token(response, token)
        return ChatReply.of(answer, running.session_id or "")


def _history(app: FastAPI, engine: Engine) -> None:
    @app.get("/history", responses=_ERRORS, response_model_exclude_unset=True)
    async def read_history(
        session_id: SessionId,
        caller: AnyCaller,
        response: Response,
        limit: Limit = 50,
        user_id: SessionUser = None,
    ) -> HistoryReply:
        """The latest messages of a session, oldest first."""
        session = await caller.find(engine, session_id, user=user_id)
        exchanges = await engine.exchanges.of_session(
            session_id, session.owner, ceil(limit / 2), created_at=session.created_at
        )
        set_session_token(response, caller.token_for(session_id, session.created_at, user=session.owner.user))
        return HistoryReply.of(exchanges, limit, session)

    @app.delete("/history", status_code=204, responses=_ERRORS)
    async def forget_history(session_id: SessionId, caller: AnyCaller, user_id: SessionUser = None) -> None:
        session = await caller.find(engine, session_id, user=user_id, to_change=True)
        await engine.sessions.delete(session_id, session.owner, created_at=session.created_at)


async def _ask(
    engine: Engine, request: ChatRequest, caller: Caller, idempotency: Idempotency | None
) -> RunningTurn:
    entry = caller.enter(request.session_id, user=request.user_id)
    if request.session_id is not None and entry.is_by_id:
        await _check_user(engine, request.session_id, entry)
    return await engine.ask(
        TurnRequest(
            question=request.to_question(),
            owner=entry.owner,
            contract=Contract.COURSE,
            session_id=request.session_id,
            opening=entry.opening,
            session_created_at=entry.session_created_at,
            idempotency=idempotency,
            metadata=request.metadata,
        )
    )


async def _check_user(engine: Engine, session_id: str, entry: SessionAccess) -> None:
    """The id alone gives access to a session, but a user who is named with it must be its own user."""
    try:
        session = await engine.sessions.find_by_id(session_id, entry.owner, Contract.COURSE)
    except SessionUnknown:
        return
    if session.owner != entry.owner:
        raise SessionUnknown
