"""The pipeline contract as an application."""

# pyright: reportUnusedFunction=false
# The framework calls the routes.

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import Depends, FastAPI, Header, Request, Response
from fastapi.exceptions import RequestValidationError

from glossator.engine import Asking, Engine
from glossator.errors import GlossatorError
from glossator.model import Contract, Idempotency, KeyKind, Scope
from glossator.web.caller import Asks, Caller, Known
from glossator.web.contract import Mounted, Wire, application, failures
from glossator.web.contracts.pipeline.agents import AgentResponse, Watch, agents_of
from glossator.web.contracts.pipeline.error import ErrorBody, recover, render
from glossator.web.contracts.pipeline.reply import ChaptersReply, HealthReply, QueryReply
from glossator.web.contracts.pipeline.request import QueryRequest
from glossator.web.idempotency import Named
from glossator.web.limits import rate_headers
from glossator.web.observe import note
from glossator.web.problem import problem_of

_SUMMARY = "One question, one answer from the book; nothing of either is kept."
_ASKED = failures(ErrorBody, (400, 401, 403, 413, 422, 429, 500, 503))
_READ = failures(ErrorBody, (400, 401, 403, 429, 500, 503))


def pipeline(engine: Engine, wire: Wire) -> Mounted:
    app = application("Glossator: pipeline", _SUMMARY, render)
    _recovering(app, wire)
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
        return HealthReply.of(await engine.health.probe(), wire.clock())

    asks = frozenset({"/query"})
    return Mounted(Contract.PIPELINE, "/contracts/pipeline", app, render, rate_headers, wire.body_bytes, asks)


def _query(app: FastAPI, engine: Engine) -> None:
    @app.post("/query", responses=_ASKED, response_model_exclude_unset=True)
    async def query(sent: QueryRequest, caller: Asks, named: Named, watch: Watched) -> QueryReply:
        note(session_id=sent.session_id)
        running = await engine.ask(_asking(sent, caller, named))
        answer = await watch.follow(running)
        trace = agents_of(answer)
        _log(trace)
        return QueryReply.of(answer, trace if watch.is_shown else None)


def _asking(sent: QueryRequest, caller: Caller, named: Idempotency | None) -> Asking:
    return Asking(
        question=sent.to_question(),
        owner=caller.owner(),
        contract=Contract.PIPELINE,
        remember=False,
        idempotency=named,
    )


def _recovering(app: FastAPI, wire: Wire) -> None:
    async def failed(request: Request, error: Exception) -> Response:
        problem = problem_of(error)
        context = recover(problem, error, wire.clock())
        watch: Watch | None = getattr(request.state, "watch", None)
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
) -> Watch:
    caller: Caller = request.state.caller
    is_shown = x_glossator_trace == "1" and Scope.OPERATE in caller.scopes
    request.state.watch = Watch(is_shown=is_shown)
    return request.state.watch


Watched = Annotated[Watch, Depends(_watch)]
