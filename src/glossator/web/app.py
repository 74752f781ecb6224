"""The whole server: the contracts in their places, each behind its guard, and what machines ask for."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from glossator.engine import Engine
from glossator.errors import OriginRefused
from glossator.model import Contract
from glossator.web.contract import ContractApp, ContractSettings
from glossator.web.contracts.citations import citations
from glossator.web.contracts.course import course
from glossator.web.contracts.grounding import grounding
from glossator.web.contracts.native.request import render
from glossator.web.contracts.native.routes import native
from glossator.web.contracts.openai import openai
from glossator.web.contracts.pipeline import pipeline
from glossator.web.contracts.threads import threads
from glossator.web.dashboard import dashboard, enter
from glossator.web.mcp import mcp
from glossator.web.middleware.observe import note
from glossator.web.problem import problem_of
from glossator.web.widget import widget_routes

CONTRACTS: Sequence[Callable[[Engine, ContractSettings], ContractApp]] = (
    native,
    threads,
    citations,
    grounding,
    course,
    pipeline,
    openai,
)

Lifespan = Callable[[Starlette], AbstractAsyncContextManager[None]]
Guarding = Callable[[ContractApp], ASGIApp]


async def _any_host(scope: Scope) -> None: ...


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """What stands between the network and the contracts."""

    guarded: Guarding
    metrics: Callable[[], Response]
    root_contract: Contract | None = None
    root_prefix: str = ""
    """Where the root contract stands besides `/`, such as `/api`."""
    pages: ASGIApp | None = None
    """The book's own pages, where the server shows them too."""
    check_host: Callable[[Scope], Awaitable[None]] = _any_host
    """Raises where a server without keys is asked by a name that is not its machine's."""


def routes(engine: Engine, contract_settings: ContractSettings, config: ServerConfig) -> list[BaseRoute]:
    mounted = [contract(engine, contract_settings) for contract in CONTRACTS]
    at_root = [one for one in mounted if one.contract is config.root_contract]
    tools, for_author = mcp(engine, contract_settings), dashboard(engine, contract_settings)
    return [
        Route("/livez", _live),
        Route("/readyz", _Local(_ready(engine), config.check_host), methods=["GET"]),
        Route("/metrics", _Local(_metrics(config.metrics), config.check_host), methods=["GET"]),
        *widget_routes(),
        Route(tools.prefix, _Noted(config.guarded(tools), tools.contract)),
        Route(for_author.prefix, enter),
        _Below(for_author.prefix, app=_Noted(config.guarded(for_author), for_author.contract)),
        *(_Below(one.prefix, app=_Noted(config.guarded(one), one.contract)) for one in mounted),
        *(
            _Below(prefix, app=_Noted(config.guarded(one), one.contract))
            for one in at_root
            for prefix in dict.fromkeys((config.root_prefix, ""))
        ),
        *([Mount("/", app=_Local(config.pages, config.check_host))] if config.pages else []),
    ]


@dataclass(frozen=True, slots=True)
class _Local:
    """What has no guard of its own: a page of another name, bound to this machine, reads none of it."""

    app: ASGIApp
    check_host: Callable[[Scope], Awaitable[None]]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self.check_host(scope)
        except OriginRefused as error:
            await render(problem_of(error))(scope, receive, send)
            return
        await self.app(scope, receive, send)


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
    middleware = [Middleware(_RedirectsHere)]
    return Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers, middleware=middleware)


@dataclass(frozen=True, slots=True)
class _RedirectsHere:
    """The framework takes the name of this server from the request, where anybody may write another."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def say(message: Message) -> None:
            if message["type"] == "http.response.start" and 300 <= message["status"] < 400:
                headers = MutableHeaders(scope=message)
                if "location" in headers:
                    headers["location"] = _without_host(headers["location"])
            await send(message)

        await self.app(scope, receive, say)


def _without_host(location: str) -> str:
    """Two slashes at the beginning would name another server again."""
    parts = urlsplit(location)
    if not parts.scheme and not parts.netloc:
        return location
    return urlunsplit(("", "", f"/{parts.path.lstrip('/')}", parts.query, parts.fragment))


async def _live(request: Request) -> Response:
    """The process only."""
    return JSONResponse({"status": "alive"})


def _ready(engine: Engine) -> ASGIApp:
    async def ready(scope: Scope, receive: Receive, send: Send) -> None:
        probes = await engine.health.probe()
        told = {
            name: {"status": "up" if probe.is_up else "down", "latency_ms": probe.latency_ms}
            for name, probe in probes.items()
        }
        is_ready = await engine.health.is_ready()
        is_whole = all(probe.is_up for probe in probes.values())
        status = "ready" if is_whole else "degraded" if is_ready else "not_ready"
        code = 200 if is_ready else 503
        await JSONResponse({"status": status, "dependencies": told}, status_code=code)(scope, receive, send)

    return ready


def _metrics(render_metrics: Callable[[], Response]) -> ASGIApp:
    async def metrics(scope: Scope, receive: Receive, send: Send) -> None:
        await render_metrics()(scope, receive, send)

    return metrics
