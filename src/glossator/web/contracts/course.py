"""The course contract: a reader who is named, a page beside the chat, and friendly errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from math import ceil
from typing import Annotated, Any, Literal, NamedTuple

from fastapi import FastAPI, Query, Response
from pydantic import BaseModel, Field, PlainSerializer, StringConstraints

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
from glossator.resilience.health import Dependency, Probe
from glossator.sessions.running import RunningTurn, TurnRequest
from glossator.web.auth.access import SESSION_HEADER
from glossator.web.auth.caller import Asks, Caller, Known, Named, SessionAccess
from glossator.web.auth.limits import rate_headers
from glossator.web.contract import (
    ContractApp,
    ContractSettings,
    Metadata,
    application,
    failures,
    is_of_selection,
    link_of,
    text_of,
)
from glossator.web.problem import STATUS, Problem, ProblemKind

# What a caller of the course contract sends.

SessionId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._:-]{1,128}$")]
# A database does not take every character, and nobody has control characters in a name.
_NAME = r"^[^\x00-\x1f\x7f-\x9f]*[^\x00-\x1f\x7f-\x9f\s][^\x00-\x1f\x7f-\x9f]*$"
UserId = Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=_NAME)]
Limit = Annotated[int, Query(ge=1, le=100, description="How many messages, the latest ones.")]
Of = Annotated[
    UserId | None,
    Query(description="Whose session it is; may be left out where `session_id` is a UUID of version 4."),
]


class ChatRequest(BaseModel):
    user_id: UserId
    message: Annotated[str, StringConstraints(min_length=1, max_length=2000)]
    session_id: SessionId | None = Field(default=None, description="Made when absent.")
    selected_text: Annotated[str, StringConstraints(max_length=5000)] | None = Field(
        default=None, description="The first evidence, next to what the book says."
    )

    metadata: Metadata = Field(
        default={},
        description="Of the session: kept with the message that opens it, told in its history.",
    )

    def to_question(self) -> Question:
        marked = self.selected_text
        return Question(self.message, selection=Selection(marked) if marked and marked.strip() else None)


# What the course contract answers with.

_NAMES = {
    Dependency.INDEX: "qdrant",
    Dependency.WRITER: "openai",
    Dependency.RECORDS: "postgresql",
    Dependency.EMBEDDER: "embedder",
}


SELECTED, SELECTION = "selected_text", "User Selection"
"""The page and the section of what stands in the selection alone."""


def _zulu(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


Moment = Annotated[datetime, PlainSerializer(_zulu, return_type=str)]


class Source(BaseModel):
    page: str = Field(
        description=f"A file of the book, from its root: `*.md` or `*.mdx`; `{SELECTED}` for the selection."
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
    """What there is of it; the rest is left out."""

    selected_text: str | None = None
    sources: list[str] | None = Field(default=None, description="Their pages, the best one first.")

    @classmethod
    def of(cls, kept: KeptExchange, pages: Sequence[str] = ()) -> SourceMetadata | None:
        told = dict[str, Any]()
        if kept.selection:
            told["selected_text"] = kept.selection.text
        if pages:
            told["sources"] = pages
        return cls(**told) if told else None


class Message(BaseModel):
    role: Literal["user", "assistant"]
    content: str
    timestamp: Moment
    metadata: SourceMetadata | None

    @classmethod
    def both(cls, kept: KeptExchange) -> Iterator[Message]:
        pages = [source.page for source in _sources(kept.answer)]
        yield cls(
            role="user", content=kept.question, timestamp=kept.asked_at, metadata=SourceMetadata.of(kept)
        )
        yield cls(
            role="assistant",
            content=_text(kept.answer),
            timestamp=kept.answered_at,
            metadata=SourceMetadata.of(kept, pages),
        )


class HistoryReply(BaseModel):
    messages: list[Message]
    session_id: str
    metadata: Mapping[str, object] = Field(description="As the session was opened with it.")

    @classmethod
    def of(cls, kept: Sequence[KeptExchange], limit: int, session: Session) -> HistoryReply:
        messages = [message for one in kept for message in Message.both(one)]
        return cls(messages=messages[-limit:], session_id=session.id, metadata=session.metadata)


class DependencyHealth(BaseModel):
    status: Literal["up", "down"]
    latency_ms: float


class HealthReply(BaseModel):
    status: Literal["healthy", "degraded"]
    dependencies: dict[str, DependencyHealth]
    timestamp: Moment

    @classmethod
    def of(cls, probes: Mapping[Dependency, Probe], at: datetime) -> HealthReply:
        return cls(
            status="healthy" if all(probe.is_up for probe in probes.values()) else "degraded",
            dependencies={
                _NAMES[name]: DependencyHealth(
                    status="up" if probe.is_up else "down", latency_ms=probe.latency_ms
                )
                for name, probe in probes.items()
            },
            timestamp=at,
        )


class _Place(NamedTuple):
    page: str
    section: str
    url: str


def _text(answer: Answer) -> str:
    """Its marks count the sources."""
    order = {place: number for number, place in enumerate(_ranked(answer), 1)}
    return text_of(answer, {one.n: order[_place(one)] for one in answer.citations})


def _sources(answer: Answer) -> list[Source]:
    return [
        Source(page=place.page, section=place.section, url=place.url, relevance_score=score)
        for place, score in _ranked(answer).items()
    ]


def _ranked(answer: Answer) -> Mapping[_Place, float]:
    """The sections that are cited, by the best score of each; of equals, the one that is cited first."""
    scores = dict[_Place, float]()
    for one in answer.citations:
        score = min(max(one.similarity, 0.0), 1.0)
        scores[_place(one)] = max(score, scores.get(_place(one), 0.0))
    return dict(sorted(scores.items(), key=lambda item: -item[1]))


def _place(citation: Citation) -> _Place:
    if is_of_selection(citation):
        return _Place(SELECTED, SELECTION, "")
    return _Place(citation.page, citation.section or citation.page_title, link_of(citation))


# How the course contract says no: one friendly sentence, in which nothing of what was sent is repeated.

STATUSES = STATUS | {ProblemKind.CONFLICT: 400}
"""The one wrong request that this contract knows is 400."""

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
    detail: str = Field(description="The sentence once more, where clients of FastAPI look for it.")


def render(problem: Problem) -> Response:
    after = None if problem.retry_after is None else max(1, ceil(problem.retry_after))
    sentence = _sentence(problem)
    return Response(
        ErrorBody(error=sentence, detail=sentence).model_dump_json(),
        status_code=STATUSES[problem.kind],
        headers={} if after is None else {"retry-after": str(after)},
        media_type="application/json",
    )


def _sentence(problem: Problem) -> str:
    """A wrong request is told which of its fields to look at."""
    named = dict.fromkeys(name for name, _ in problem.fields if name)
    if not named:
        return SENTENCES[problem.kind]
    return f"Something is missing or not right, so please check {' and '.join(named)} and try again."


# The course contract as an application.

_SUMMARY = "A course's assistant: answers from its pages, for readers who are named."
_FAILED = failures(ErrorBody, (400, 401, 403, 404, 413, 429, 500, 503))


def course(engine: Engine, contract_settings: ContractSettings) -> ContractApp:
    app = application("Glossator: course", _SUMMARY, render)
    _chat(app, engine)
    _history(app, engine)

    @app.get("/health", responses=failures(ErrorBody, (500,)))
    async def health() -> HealthReply:
        return HealthReply.of(await engine.health.probe(), contract_settings.clock())

    asks = frozenset({"/chat"})
    return ContractApp(
        Contract.COURSE, "/contracts/course", app, render, rate_headers, contract_settings.body_bytes, asks
    )


def _chat(app: FastAPI, engine: Engine) -> None:
    @app.post("/chat", responses=_FAILED)
    async def chat(sent: ChatRequest, caller: Asks, named: Named, response: Response) -> ChatReply:
        running = await _asked(engine, sent, caller, named)
        answer = await running.answer()
        created_at = running.session_created_at
        _sign(response, caller.token_for(running.session_id, created_at, user=sent.user_id))
        return ChatReply.of(answer, running.session_id or "")


def _history(app: FastAPI, engine: Engine) -> None:
    @app.get("/history", responses=_FAILED, response_model_exclude_unset=True)
    async def read_history(
        session_id: SessionId, caller: Known, response: Response, limit: Limit = 50, user_id: Of = None
    ) -> HistoryReply:
        """Oldest first."""
        session = await caller.find(engine, session_id, user=user_id)
        kept = await engine.exchanges.of_session(
            session_id, session.owner, ceil(limit / 2), created_at=session.created_at
        )
        _sign(response, caller.token_for(session_id, session.created_at, user=session.owner.user))
        return HistoryReply.of(kept, limit, session)

    @app.delete("/history", status_code=204, responses=_FAILED)
    async def forget_history(session_id: SessionId, caller: Known, user_id: Of = None) -> None:
        session = await caller.find(engine, session_id, user=user_id, to_change=True)
        await engine.sessions.delete(session_id, session.owner, created_at=session.created_at)


async def _asked(engine: Engine, sent: ChatRequest, caller: Caller, named: Idempotency | None) -> RunningTurn:
    entry = caller.enter(sent.session_id, user=sent.user_id)
    if sent.session_id is not None and entry.is_by_id:
        await _check_user(engine, sent.session_id, entry)
    return await engine.ask(
        TurnRequest(
            question=sent.to_question(),
            owner=entry.owner,
            contract=Contract.COURSE,
            session_id=sent.session_id,
            opening=entry.opening,
            session_created_at=entry.session_created_at,
            idempotency=named,
            metadata=sent.metadata,
        )
    )


async def _check_user(engine: Engine, session_id: str, entry: SessionAccess) -> None:
    """Who has the id of a session has it all; a user that is named must be its own all the same."""
    try:
        session = await engine.sessions.find_by_id(session_id, entry.owner.key, Contract.COURSE)
    except SessionUnknown:
        return
    if session.owner != entry.owner:
        raise SessionUnknown


def _sign(response: Response, token: str | None) -> None:
    """With a key that everybody can read, a token shows whose the session is."""
    if token:
        response.headers[SESSION_HEADER] = token
