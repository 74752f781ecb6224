"""The pipeline contract: one question, one answer, nothing stored; operators may see a trace."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import aclosing
from datetime import datetime
from enum import StrEnum
from time import perf_counter
from typing import Annotated, Self, cast
from urllib.parse import urlsplit

from fastapi import Depends, FastAPI, Header, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from glossator.answer.book import Chapter
from glossator.engine import Engine
from glossator.errors import EmbedderError, GlossatorError, WriterError
from glossator.model import (
    Answer,
    AnswerFinished,
    Contract,
    Idempotency,
    KeyKind,
    Question,
    Scope,
    Stage,
    StageReached,
    Step,
)
from glossator.resilience.health import Dependency
from glossator.sessions.running import RunningTurn, TurnRequest
from glossator.web.auth.caller import AnyCaller, Asks, Caller, IdempotencyKey
from glossator.web.auth.limits import rate_headers
from glossator.web.contract import (
    ContractApp,
    ContractSettings,
    HealthReply,
    application,
    error_responses,
    score_of,
    text_of,
    utc_text,
)
from glossator.web.middleware.observe import note
from glossator.web.problem import Problem, ProblemKind, problem_of

# Request.

LONGEST_QUESTION = 10_000


class QueryRequest(BaseModel):
    question: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_QUESTION)]
    session_id: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._:-]{1,128}$")] | None = Field(
        default=None, description="Only written to the log of this request."
    )

    def to_question(self) -> Question:
        return Question(self.question)


# Reply.

# Without the database, because this contract stores nothing.


class QueryReply(BaseModel):
    answer: str
    sources: list[str] = Field(
        description="Paths of the cited sections on the site, such as `chapter/section`."
    )
    source_urls: list[str] = Field(description="Addresses of the cited sections, in the same order.")
    confidence: float = Field(ge=0, le=1)
    processing_time_ms: float = Field(gt=0)
    trace: list[AgentResponse] | None = Field(
        default=None,
        description="Only present for a key with the scope `operate` and `X-Glossator-Trace: 1`.",
    )

    @classmethod
    def of(cls, answer: Answer, trace: Sequence[AgentResponse] | None) -> QueryReply:
        urls = list(dict.fromkeys(citation.section_url for citation in answer.citations))
        positions = {citation.n: urls.index(citation.section_url) + 1 for citation in answer.citations}
        reply = cls(
            answer=text_of(answer, positions),
            sources=[path_of(url) for url in urls],
            source_urls=urls,
            confidence=score_of(answer),
            processing_time_ms=max(answer.timings["total"], 0.001),
        )
        return reply if trace is None else reply.model_copy(update={"trace": trace})


class ChapterOut(BaseModel):
    id: str
    title: str
    sections: list[str]
    url: str


class ChaptersReply(BaseModel):
    chapters: list[ChapterOut]
    total_count: int

    @classmethod
    def of(cls, chapters: Sequence[Chapter]) -> ChaptersReply:
        return cls(
            chapters=[
                ChapterOut(
                    id=chapter.id, title=chapter.title, sections=list(chapter.sections), url=chapter.url
                )
                for chapter in chapters
            ],
            total_count=len(chapters),
        )


def path_of(url: str) -> str:
    """The path from the site's root with the section's anchor, without host and query."""
    parts = urlsplit(url)
    return parts.path.strip("/") + (f"#{parts.fragment}" if parts.fragment else "")


# The trace is logged, so it holds counts and never text of the question or the answer.

Fact = str | int | float | list[str]


class AgentName(StrEnum):
    CHAT = "RAGChatAgent"
    ROUTER = "QueryRouterAgent"
    RETRIEVAL = "QdrantRetrievalAgent"
    SYNTHESIS = "AnswerSynthesisAgent"
    RECOVERY = "ErrorRecoveryAgent"


class ErrorType(StrEnum):
    NETWORK = "network"
    DATABASE = "database"
    LLM = "llm"
    VALIDATION = "validation"
    AGENT = "agent"
    UNKNOWN = "unknown"


class ErrorContext(BaseModel):
    model_config = ConfigDict(frozen=True)

    error_type: ErrorType
    original_error: str = Field(exclude=True, description="For the log only.")
    user_safe_message: str
    retry_able: bool
    log_details: dict[str, str]


class AgentResponse(BaseModel):
    model_config = ConfigDict(frozen=True)

    success: bool
    agent_name: AgentName
    result_data: dict[str, Fact] | None
    error_details: ErrorContext | None
    execution_time_ms: float = Field(gt=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def has_its_outcome(self) -> Self:
        if not self.success and self.error_details is None:
            raise ValueError("a failure has its error details")
        if self.success and self.result_data is None:
            raise ValueError("a success has its result data")
        return self


def agents_of(answer: Answer) -> list[AgentResponse]:
    """The agents that took part in the answer, in the order in which they finished."""
    stages = [_from_steps(agent, answer.trace) for agent in dict.fromkeys(_AGENTS.values())]
    result = {"outcome": str(answer.outcome), "citations": len(answer.citations)}
    return [
        *(stage for stage in stages if stage is not None),
        _succeeded(AgentName.CHAT, result, answer.timings["total"] / 1000),
    ]


class PipelineProgress:
    """Follows a question through its stages, so that the trace can name the agent that failed."""

    def __init__(self, *, is_shown: bool) -> None:
        self.is_shown = is_shown
        """Whether the caller requested the trace and may see it."""
        self._started_at = self._entered_at = perf_counter()
        self._agent: AgentName | None = None
        self._finished = list[AgentResponse]()

    async def follow(self, running: RunningTurn) -> Answer:
        self._enter(AgentName.ROUTER)
        async with aclosing(running.events()) as events:
            async for delivered in events:
                match delivered.event:
                    case StageReached(stage) if stage in _STAGE_AGENTS:
                        self._enter(_STAGE_AGENTS[stage])
                    case AnswerFinished(answer):
                        return answer
                    case _:
                        pass
        raise AssertionError("every turn ends with its answer or its failure")

    def failed(self, details: ErrorContext) -> list[AgentResponse]:
        now = perf_counter()
        agent = self._agent or (AgentName.ROUTER if details.error_type is ErrorType.VALIDATION else None)
        recovered = {"error_type": str(details.error_type)}
        return [
            *self._finished,
            *([_failed(agent, details, now - self._entered_at)] if agent else []),
            _succeeded(AgentName.RECOVERY, recovered, perf_counter() - now),
            _failed(AgentName.CHAT, details, perf_counter() - self._started_at),
        ]

    def _enter(self, agent: AgentName) -> None:
        now = perf_counter()
        if self._agent is not None:
            self._finished.append(_succeeded(self._agent, {}, now - self._entered_at))
        self._agent, self._entered_at = agent, now


_AGENTS = {
    "validate": AgentName.ROUTER,
    "route": AgentName.ROUTER,
    "rewrite": AgentName.ROUTER,
    "outline": AgentName.RETRIEVAL,
    "retrieve": AgentName.RETRIEVAL,
    "write": AgentName.SYNTHESIS,
}

_STAGE_AGENTS = {Stage.SEARCHING: AgentName.RETRIEVAL, Stage.WRITING: AgentName.SYNTHESIS}


def _count(values: object) -> int:
    return len(cast("Sized", values))


# Only these: other facts of a step may quote the reader.
_FACT_READERS: Mapping[str, Callable[[object], Fact]] = {
    "route": str,
    "hits": _count,
    "confidence": lambda score: round(cast("float", score), 4),
    "windows_read": lambda windows: cast("int", windows),
    "most_windows": lambda windows: cast("int", windows),
    "claims": lambda claims: cast("int", claims),
    "dropped": _count,
}


def _from_steps(agent: AgentName, trace: Sequence[Step]) -> AgentResponse | None:
    steps = [step for step in trace if _AGENTS.get(step.name) is agent]
    if not steps:
        return None
    return _succeeded(agent, _facts(steps), sum(step.seconds for step in steps))


def _facts(steps: Iterable[Step]) -> dict[str, Fact]:
    facts: dict[str, Fact] = {"steps": [step.name for step in steps]}
    for step in steps:
        facts |= {name: read(step.facts[name]) for name, read in _FACT_READERS.items() if name in step.facts}
    return facts


def _succeeded(agent: AgentName, data: Mapping[str, Fact], seconds: float) -> AgentResponse:
    return AgentResponse(
        success=True,
        agent_name=agent,
        result_data=dict(data),
        error_details=None,
        execution_time_ms=_milliseconds(seconds),
    )


def _failed(agent: AgentName, details: ErrorContext, seconds: float) -> AgentResponse:
    return AgentResponse(
        success=False,
        agent_name=agent,
        result_data=None,
        error_details=details,
        execution_time_ms=_milliseconds(seconds),
    )


def _milliseconds(seconds: float) -> float:
    """More than zero, as the contract requires, even with a coarse clock."""
    return max(round(seconds * 1000, 3), 0.001)


# Error body. Nothing the caller sent is repeated in it.

TYPES = {
    ProblemKind.INVALID: ErrorType.VALIDATION,
    ProblemKind.UNAUTHORIZED: ErrorType.VALIDATION,
    ProblemKind.FORBIDDEN: ErrorType.VALIDATION,
    ProblemKind.NOT_FOUND: ErrorType.VALIDATION,
    ProblemKind.NOT_ALLOWED: ErrorType.VALIDATION,
    ProblemKind.CONFLICT: ErrorType.VALIDATION,
    ProblemKind.TOO_LARGE: ErrorType.VALIDATION,
    ProblemKind.RATE_LIMITED: ErrorType.AGENT,
    ProblemKind.NO_BOOK: ErrorType.DATABASE,
    ProblemKind.INDEX: ErrorType.DATABASE,
    ProblemKind.EMBEDDER: ErrorType.NETWORK,
    ProblemKind.WRITER: ErrorType.LLM,
    ProblemKind.RECORDS: ErrorType.DATABASE,
    ProblemKind.BUSY: ErrorType.AGENT,
    ProblemKind.OVERLOADED: ErrorType.AGENT,
    ProblemKind.STOPPING: ErrorType.AGENT,
    ProblemKind.TIMEOUT: ErrorType.AGENT,
    ProblemKind.INTERNAL: ErrorType.UNKNOWN,
}

MESSAGES = {
    ProblemKind.INVALID: (
        "The request is not valid. Send JSON with a question of 1 to 10000 readable characters; "
        "a session_id has at most 128 letters, digits and the signs . _ : -"
    ),
    ProblemKind.UNAUTHORIZED: "A valid key is needed.",
    ProblemKind.FORBIDDEN: "This key may not do that.",
    ProblemKind.NOT_FOUND: "There is nothing at this address.",
    ProblemKind.NOT_ALLOWED: "That method does not exist here.",
    ProblemKind.CONFLICT: "This idempotency key was used for another request.",
    ProblemKind.TOO_LARGE: "The request is too large.",
    ProblemKind.RATE_LIMITED: "Too many requests. Please slow down.",
    ProblemKind.NO_BOOK: "There is no book to answer from yet.",
    ProblemKind.INDEX: "The book cannot be searched at the moment. Please try again later.",
    ProblemKind.EMBEDDER: "The question cannot be read at the moment. Please try again later.",
    ProblemKind.WRITER: "The answer cannot be written at the moment. Please try again later.",
    ProblemKind.RECORDS: "A database is not available at the moment. Please try again later.",
    ProblemKind.BUSY: "Another question is still being answered. Please try again shortly.",
    ProblemKind.OVERLOADED: "Too many questions are being asked. Please try again shortly.",
    ProblemKind.STOPPING: "The server is being stopped. Please try again shortly.",
    ProblemKind.TIMEOUT: "The answer was not finished in time. Please try again.",
    ProblemKind.INTERNAL: "Something went wrong on our side.",
}


class ErrorBody(BaseModel):
    error: ErrorType
    message: str
    retryable: bool
    request_id: str
    detail: str = Field(description="The message again, where clients of FastAPI look for it.")
    trace: list[AgentResponse] | None = None


def render(problem: Problem, trace: Sequence[AgentResponse] | None = None) -> Response:
    body = ErrorBody(
        error=TYPES[problem.kind],
        message=MESSAGES[problem.kind],
        retryable=problem.retryable,
        request_id=problem.trace_id,
        detail=MESSAGES[problem.kind],
        trace=None if trace is None else list(trace),
    )
    retry_after = problem.retry_after_seconds
    return Response(
        body.model_dump_json(exclude={"trace"} if trace is None else None),
        status_code=problem.status,
        headers={} if retry_after is None else {"retry-after": str(retry_after)},
        media_type="application/json",
    )


def recover(problem: Problem, error: Exception, at: datetime) -> ErrorContext:
    """The error for the trace; the original error is only written to the request's log line."""
    context = ErrorContext(
        error_type=TYPES[problem.kind],
        original_error=" from ".join(_causes(error)),
        user_safe_message=MESSAGES[problem.kind],
        retry_able=problem.retryable,
        log_details={"request_id": problem.trace_id, "timestamp": utc_text(at)},
    )
    note(error_type=str(context.error_type), original_error=context.original_error)
    return context


def _causes(error: BaseException | None) -> Iterator[str]:
    while error is not None:
        yield _description(error)
        error = error.__cause__


def _description(error: BaseException) -> str:
    """Gives only the type of foreign errors and those of writer and embedder: they may quote the question."""
    is_ours = isinstance(error, GlossatorError) and not isinstance(error, WriterError | EmbedderError)
    if isinstance(error, RequestValidationError) or not is_ours:
        return type(error).__name__
    return f"{type(error).__name__}: {error}"


# Routes.

_SUMMARY = "One question, one answer from the book; nothing of either is kept."
_QUERY_ERRORS = error_responses(ErrorBody, (400, 401, 403, 413, 422, 429, 500, 503))
_CHAPTERS_ERRORS = error_responses(ErrorBody, (400, 401, 403, 429, 500, 503))


def pipeline(engine: Engine, contract_settings: ContractSettings) -> ContractApp:
    app = application("Glossator: pipeline", _SUMMARY, render)
    _recover_errors(app, contract_settings)
    _query(app, engine)

    @app.get("/chapters", responses=_CHAPTERS_ERRORS)
    async def chapters(caller: AnyCaller) -> ChaptersReply:
        """The chapters in reading order. Publishable keys may read them too."""
        if caller.kind is KeyKind.SECRET:
            caller.need(Scope.READ)
        return ChaptersReply.of(await engine.book.chapters())

    @app.get("/health", responses=error_responses(ErrorBody, (500,)) | error_responses(HealthReply, (503,)))
    async def health(response: Response) -> HealthReply:
        """Whether the dependencies are up. The status is 503 when no question can be answered."""
        if not await engine.health.is_ready():
            response.status_code = 503
        probes = await engine.health.probe()
        # Nothing here is kept.
        probes = {name: probe for name, probe in probes.items() if name is not Dependency.RECORDS}
        return HealthReply.of(probes, contract_settings.clock())

    asks = frozenset({"/query"})
    return ContractApp(
        Contract.PIPELINE,
        "/contracts/pipeline",
        app,
        render,
        rate_headers,
        contract_settings.body_bytes,
        asks,
    )


def _query(app: FastAPI, engine: Engine) -> None:
    @app.post("/query", responses=_QUERY_ERRORS, response_model_exclude_unset=True)
    async def query(
        request: QueryRequest, caller: Asks, idempotency: IdempotencyKey, progress: Progress
    ) -> QueryReply:
        note(session_id=request.session_id)
        running = await engine.ask(_turn_request(request, caller, idempotency))
        answer = await progress.follow(running)
        trace = agents_of(answer)
        _log(trace)
        return QueryReply.of(answer, trace if progress.is_shown else None)


def _turn_request(request: QueryRequest, caller: Caller, idempotency: Idempotency | None) -> TurnRequest:
    return TurnRequest(
        question=request.to_question(),
        owner=caller.owner(),
        contract=Contract.PIPELINE,
        remember=False,
        idempotency=idempotency,
    )


def _recover_errors(app: FastAPI, contract_settings: ContractSettings) -> None:
    async def handle(request: Request, error: Exception) -> Response:
        problem = problem_of(error)
        context = recover(problem, error, contract_settings.clock())
        progress: PipelineProgress | None = getattr(request.state, "progress", None)
        if progress is None:
            return render(problem)
        trace = progress.failed(context)
        _log(trace)
        return render(problem, trace if progress.is_shown else None)

    for error_type in (GlossatorError, RequestValidationError, Exception):
        app.add_exception_handler(error_type, handle)


def _log(trace: Sequence[AgentResponse]) -> None:
    note(agents=[agent.model_dump(mode="json") for agent in trace])


async def _progress(
    request: Request,
    x_glossator_trace: Annotated[
        str | None, Header(description="`1` adds the trace to the reply, for a key with the scope `operate`.")
    ] = None,
) -> PipelineProgress:
    caller: Caller = request.state.caller
    is_shown = x_glossator_trace == "1" and Scope.OPERATE in caller.scopes
    request.state.progress = PipelineProgress(is_shown=is_shown)
    return request.state.progress


Progress = Annotated[PipelineProgress, Depends(_progress)]
