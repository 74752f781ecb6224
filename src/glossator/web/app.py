"""The whole server: the contracts in their places, each behind its guard, and what machines ask for."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from glossator.engine import Engine
from glossator.model import Contract
from glossator.web.contract import Mounted, Wire
from glossator.web.contracts.citations import citations
from glossator.web.contracts.course import course
from glossator.web.contracts.grounding import grounding
from glossator.web.contracts.native.error import render
from glossator.web.contracts.native.routes import native
from glossator.web.contracts.openai import openai
from glossator.web.contracts.pipeline import pipeline
from glossator.web.contracts.threads import threads
from glossator.web.desk import desk, enter
from glossator.web.mcp import mcp
from glossator.web.observe import note
from glossator.web.problem import problem_of
from glossator.web.widget import widget_routes

CONTRACTS: Sequence[Callable[[Engine, Wire], Mounted]] = (
    native,
    threads,
    citations,
    grounding,
    course,
    pipeline,
    openai,
)

Lifespan = Callable[[Starlette], AbstractAsyncContextManager[None]]
Guarding = Callable[[Mounted], ASGIApp]


@dataclass(frozen=True, slots=True)
class Front:
    """What stands between the network and the contracts."""

    guarded: Guarding
    metrics: Callable[[], Response]
    root_contract: Contract | None = None
    root_prefix: str = ""
    """Where the root contract stands besides `/`, such as `/api`."""
    pages: ASGIApp | None = None
    """The book's own pages, where the server shows them too."""


def routes(engine: Engine, wire: Wire, front: Front) -> list[BaseRoute]:
    mounted = [contract(engine, wire) for contract in CONTRACTS]
    at_root = [one for one in mounted if one.contract is front.root_contract]
    tools, for_author = mcp(engine, wire), desk(engine, wire)
    return [
        Route("/livez", _live),
        Route("/readyz", _ready(engine)),
        Route("/metrics", _metrics(front.metrics)),
        *widget_routes(),
        Route(tools.prefix, _Noted(front.guarded(tools), tools.contract)),
        Route(for_author.prefix, enter),
        _Below(for_author.prefix, app=_Noted(front.guarded(for_author), for_author.contract)),
        *(_Below(one.prefix, app=_Noted(front.guarded(one), one.contract)) for one in mounted),
        *(
            _Below(prefix, app=_Noted(front.guarded(one), one.contract))
            for one in at_root
            for prefix in dict.fromkeys((front.root_prefix, ""))
        ),
        *([Mount("/", app=front.pages)] if front.pages else []),
    ]


class _Below(Mount):
    """Every path below; the framework's own lets those with a line end pass, to fail in another's shape."""

    def __init__(self, path: str, app: ASGIApp) -> None:
        super().__init__(path, app=app)
        self.path_regex = re.compile(self.path_regex.pattern, re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Noted:
    """The log and the metrics tell the contracts apart, also for who is turned away."""

    app: ASGIApp
    contract: Contract

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        note(contract=self.contract)
        await self.app(scope, receive, send)


def server(routes: Sequence[BaseRoute], lifespan: Lifespan) -> Starlette:
    """What belongs to no contract fails in the native shape."""

    async def failed(request: Request, error: Exception) -> Response:
        return render(problem_of(error))

    handlers = dict.fromkeys((404, 405, 500), failed)
    return Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)


async def _live(request: Request) -> Response:
    """The process only."""
    return JSONResponse({"status": "alive"})


def _ready(engine: Engine) -> Callable[[Request], object]:
    async def ready(request: Request) -> Response:
        probes = await engine.health.probe()
        told = {
            name: {"status": "up" if probe.is_up else "down", "latency_ms": probe.latency_ms}
            for name, probe in probes.items()
        }
        is_ready = await engine.health.is_ready()
        is_whole = all(probe.is_up for probe in probes.values())
        status = "ready" if is_whole else "degraded" if is_ready else "not_ready"
        return JSONResponse({"status": status, "dependencies": told}, status_code=200 if is_ready else 503)

    return ready


def _metrics(render_metrics: Callable[[], Response]) -> Callable[[Request], object]:
    async def metrics(request: Request) -> Response:
        return render_metrics()

    return metrics
