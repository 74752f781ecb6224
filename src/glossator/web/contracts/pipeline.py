"""The pipeline contract: one question, one answer, nothing kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import aclosing
from datetime import UTC, datetime
from enum import StrEnum
from math import ceil
from time import perf_counter
from typing import Annotated, Literal, Self, cast
from urllib.parse import urlsplit

from fastapi import Depends, FastAPI, Header, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, StringConstraints, model_validator

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
from glossator.resilience.health import Dependency, Probe
from glossator.sessions.running import RunningTurn, TurnRequest
from glossator.web.auth.caller import Asks, Caller, Known, Named
from glossator.web.auth.limits import rate_headers
from glossator.web.contract import (
    ContractApp,
    ContractSettings,
    application,
    failures,
    link_of,
    score_of,
    text_of,
)
from glossator.web.middleware.observe import note
from glossator.web.problem import Problem, ProblemKind, problem_of

# What a caller of the pipeline contract sends.

LONGEST_QUESTION = 10_000


class QueryRequest(BaseModel):
    question: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_QUESTION)]
    session_id: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._:-]{1,128}$")] | None = Field(
        default=None, description="Stands in the log of this request, and nowhere else."
    )

    def to_question(self) -> Question:
        return Question(self.question)


# What the pipeline contract answers with.

# Nothing is kept here, so whether the database is there makes no difference.
_NAMES = {Dependency.INDEX: "qdrant", Dependency.WRITER: "openai", Dependency.EMBEDDER: "embedder"}


def _zulu(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


Moment = Annotated[datetime, PlainSerializer(_zulu, return_type=str)]


class QueryReply(BaseModel):
    answer: str
    sources: list[str] = Field(
        description="Where the cited sections stand, as their paths on the site: `chapter/section`."
    )
    source_urls: list[str] = Field(description="Their addresses, in the same order.")
    confidence: float = Field(ge=0, le=1)
    processing_time_ms: float = Field(gt=0)
    trace: list[AgentResponse] | None = Field(
        default=None, description="Only for an operator's key that sends `X-Glossator-Trace: 1`."
    )

    @classmethod
    def of(cls, answer: Answer, trace: Sequence[AgentResponse] | None) -> QueryReply:
        urls = list(dict.fromkeys(map(link_of, answer.citations)))
        places = {one.n: urls.index(link_of(one)) + 1 for one in answer.citations}
        reply = cls(
            answer=text_of(answer, places),
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
        told = [
            ChapterOut(id=one.id, title=one.title, sections=list(one.sections), url=one.url)
            for one in chapters
        ]
        return cls(chapters=told, total_count=len(told))


class DependencyHealth(BaseModel):
    status: Literal["up", "down"]
    latency_ms: float


class HealthReply(BaseModel):
    status: Literal["healthy", "degraded"]
    dependencies: dict[str, DependencyHealth]
    timestamp: Moment

    @classmethod
    def of(cls, probes: Mapping[Dependency, Probe], at: datetime) -> HealthReply:
        needed = {_NAMES[name]: probe for name, probe in probes.items() if name in _NAMES}
        return cls(
            status="healthy" if all(probe.is_up for probe in needed.values()) else "degraded",
            dependencies={
                name: DependencyHealth(status="up" if probe.is_up else "down", latency_ms=probe.latency_ms)
                for name, probe in needed.items()
            },
            timestamp=at,
        )


def path_of(url: str) -> str:
    """Below the site's root, with the section's anchor: whatever else is in the address, the site knows."""
    parts = urlsplit(url)
    return parts.path.strip("/") + (f"#{parts.fragment}" if parts.fragment else "")


# What each stage of the pipeline contract leaves in the trace of a request.
#
# A trace goes into the log, so it counts and never quotes: no word of question or answer stands in it.

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
    """Those that had a part in the answer, in the order in which they ended."""
    stages = [_of_steps(agent, answer.trace) for agent in dict.fromkeys(_AGENTS.values())]
    whole = {"outcome": str(answer.outcome), "citations": len(answer.citations)}
    return [
        *(stage for stage in stages if stage is not None),
        _succeeded(AgentName.CHAT, whole, answer.timings["total"] / 1000),
    ]


class PipelineProgress:
    """How far a question has come, so that the trace of one that fails tells who failed."""

    def __init__(self, *, is_shown: bool) -> None:
        self.is_shown = is_shown
        """Whether the caller asked for the trace, and may see it."""
        self._begun = self._entered = perf_counter()
        self._agent: AgentName | None = None
        self._passed = list[AgentResponse]()

    async def follow(self, running: RunningTurn) -> Answer:
        self._enter(AgentName.ROUTER)
        async with aclosing(running.events()) as events:
            async for heard in events:
                match heard.event:
                    case StageReached(stage) if stage in _ENTERED:
                        self._enter(_ENTERED[stage])
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
            *self._passed,
            *([_failed(agent, details, now - self._entered)] if agent else []),
            _succeeded(AgentName.RECOVERY, recovered, perf_counter() - now),
            _failed(AgentName.CHAT, details, perf_counter() - self._begun),
        ]

    def _enter(self, agent: AgentName) -> None:
        now = perf_counter()
        if self._agent is not None:
            self._passed.append(_succeeded(self._agent, {}, now - self._entered))
        self._agent, self._entered = agent, now


_AGENTS = {
    "validate": AgentName.ROUTER,
    "route": AgentName.ROUTER,
    "rewrite": AgentName.ROUTER,
    "outline": AgentName.RETRIEVAL,
    "retrieve": AgentName.RETRIEVAL,
    "write": AgentName.SYNTHESIS,
}

_ENTERED = {Stage.SEARCHING: AgentName.RETRIEVAL, Stage.WRITING: AgentName.SYNTHESIS}


def _count(values: object) -> int:
    return len(cast("Sized", values))


# Whatever else a step has to tell may be in the reader's words.
_FACTS: Mapping[str, Callable[[object], Fact]] = {
    "route": str,
    "hits": _count,
    "confidence": lambda score: round(cast("float", score), 4),
    "claims": lambda claims: cast("int", claims),
    "dropped": _count,
}


def _of_steps(agent: AgentName, trace: Sequence[Step]) -> AgentResponse | None:
    steps = [step for step in trace if _AGENTS.get(step.name) is agent]
    if not steps:
        return None
    return _succeeded(agent, _facts(steps), sum(step.seconds for step in steps))


def _facts(steps: Iterable[Step]) -> dict[str, Fact]:
    told: dict[str, Fact] = {"steps": [step.name for step in steps]}
    for step in steps:
        told |= {name: tell(step.facts[name]) for name, tell in _FACTS.items() if name in step.facts}
    return told


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
    """Never none at all, however coarse the clock is."""
    return max(round(seconds * 1000, 3), 0.001)


# ErrorRecoveryAgent: a fixed sentence for the caller, the original error for the log.

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
    detail: str = Field(description="The message once more, where clients of FastAPI look for it.")
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
    after = None if problem.retry_after is None else max(1, ceil(problem.retry_after))
    return Response(
        body.model_dump_json(exclude={"trace"} if trace is None else None),
        status_code=problem.status,
        headers={} if after is None else {"retry-after": str(after)},
        media_type="application/json",
    )


def recover(problem: Problem, error: Exception, at: datetime) -> ErrorContext:
    """What went wrong; the original error stands in the request's line of the log, and nowhere else."""
    context = ErrorContext(
        error_type=TYPES[problem.kind],
        original_error=" from ".join(_causes(error)),
        user_safe_message=MESSAGES[problem.kind],
        retry_able=problem.retryable,
        log_details={"request_id": problem.trace_id, "timestamp": _zulu(at)},
    )
    note(error_type=str(context.error_type), original_error=context.original_error)
    return context


def _causes(error: BaseException | None) -> Iterator[str]:
    while error is not None:
        yield _described(error)
        error = error.__cause__


def _described(error: BaseException) -> str:
    """Foreign words may quote the question, and so may those of a service that has read it."""
    is_ours = isinstance(error, GlossatorError) and not isinstance(error, WriterError | EmbedderError)
    if isinstance(error, RequestValidationError) or not is_ours:
        return type(error).__name__
    return f"{type(error).__name__}: {error}"


# The pipeline contract as an application.

_SUMMARY = "One question, one answer from the book; nothing of either is kept."
_ASKED = failures(ErrorBody, (400, 401, 403, 413, 422, 429, 500, 503))
_READ = failures(ErrorBody, (400, 401, 403, 429, 500, 503))


def pipeline(engine: Engine, contract_settings: ContractSettings) -> ContractApp:
    app = application("Glossator: pipeline", _SUMMARY, render)
    _recovering(app, contract_settings)
    _query(app, engine)

    @app.get("/chapters", responses=_READ)
    async def chapters(caller: Known) -> ChaptersReply:
        """In reading order; a page of the book may show them."""
        if caller.kind is KeyKind.SECRET:
            caller.need(Scope.READ)
        return ChaptersReply.of(await engine.book.chapters())

    @app.get("/health", responses=failures(ErrorBody, (500,)) | failures(HealthReply, (503,)))
    async def health(response: Response) -> HealthReply:
        """503 when no question can be answered."""
        if not await engine.health.is_ready():
            response.status_code = 503
        return HealthReply.of(await engine.health.probe(), contract_settings.clock())

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
    @app.post("/query", responses=_ASKED, response_model_exclude_unset=True)
    async def query(sent: QueryRequest, caller: Asks, named: Named, watch: Watched) -> QueryReply:
        note(session_id=sent.session_id)
        running = await engine.ask(_asking(sent, caller, named))
        answer = await watch.follow(running)
        trace = agents_of(answer)
        _log(trace)
        return QueryReply.of(answer, trace if watch.is_shown else None)


def _asking(sent: QueryRequest, caller: Caller, named: Idempotency | None) -> TurnRequest:
    return TurnRequest(
        question=sent.to_question(),
        owner=caller.owner(),
        contract=Contract.PIPELINE,
        remember=False,
        idempotency=named,
    )


def _recovering(app: FastAPI, contract_settings: ContractSettings) -> None:
    async def failed(request: Request, error: Exception) -> Response:
        problem = problem_of(error)
        context = recover(problem, error, contract_settings.clock())
        watch: PipelineProgress | None = getattr(request.state, "watch", None)
        if watch is None:
            return render(problem)
        trace = watch.failed(context)
        _log(trace)
        return render(problem, trace if watch.is_shown else None)

    for kind in (GlossatorError, RequestValidationError, Exception):
        app.add_exception_handler(kind, failed)


def _log(trace: Sequence[AgentResponse]) -> None:
    note(agents=[agent.model_dump(mode="json") for agent in trace])


def _watch(
    request: Request,
    x_glossator_trace: Annotated[str | None, Header(description="`1` shows an operator the trace.")] = None,
) -> PipelineProgress:
    caller: Caller = request.state.caller
    is_shown = x_glossator_trace == "1" and Scope.OPERATE in caller.scopes
    request.state.watch = PipelineProgress(is_shown=is_shown)
    return request.state.watch


Watched = Annotated[PipelineProgress, Depends(_watch)]
