"""The server's routes: every contract behind its guard, the widget, the dashboard, health and metrics."""

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
from starlette.routing import BaseRoute, Mount, Route, Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from glossator.engine import Engine
from glossator.errors import OriginRefused
from glossator.extras import has_extra
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
from glossator.web.dashboard import dashboard, redirect_to_dashboard
from glossator.web.llms_txt import LLMS_TXT_PATHS, llms_txt_app
from glossator.web.middleware.observe import note
from glossator.web.problem import problem_of
from glossator.web.start_page import start_page
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
Guard = Callable[[ContractApp], ASGIApp]
"""Puts keys, limits and body size checks in front of a contract."""


async def _any_host(scope: Scope) -> None: ...


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """Settings of the server around the contracts."""

    guarded: Guard
    metrics: Callable[[], Response]
    root_contract: Contract | None = None
    root_prefix: str = ""
    """Where the root contract is served besides `/`, such as `/api`."""
    pages: ASGIApp | None = None
    """Serves the book's own pages, if the server shows them too."""
    is_public: bool = False
    """Whether everybody may read the book's text; pages that are served are read by everybody anyway."""
    check_host: Callable[[Scope], Awaitable[None]] = _any_host
    """Raises OriginRefused if the server runs without keys and the Host header is not a local name."""
    books: ASGIApp | None = None
    """Serves named books; the name is the path parameter `book`."""
    is_stopping: Callable[[], bool] = lambda: False


def routes(engine: Engine, contract_settings: ContractSettings, config: ServerConfig) -> list[BaseRoute]:
    contracts = [contract(engine, contract_settings) for contract in CONTRACTS]
    return [
        Route("/livez", _live),
        Route(
            "/readyz", _HostChecked(_ready(engine, config.is_stopping), config.check_host), methods=["GET"]
        ),
        Route("/metrics", _HostChecked(_metrics(config.metrics), config.check_host), methods=["GET"]),
        *widget_routes(),
        *([] if config.pages else [_start_route(contracts, config)]),
        *([_PrefixMount("/b/{book}", app=config.books)] if config.books else []),
        *_book_routes(engine, contracts, contract_settings, config),
        *([Mount("/", app=_HostChecked(config.pages, config.check_host))] if config.pages else []),
    ]


def book_app(engine: Engine, contract_settings: ContractSettings, config: ServerConfig) -> ASGIApp:
    """The application of one book, for a place below the root."""
    contracts = [contract(engine, contract_settings) for contract in CONTRACTS]
    return Router(_book_routes(engine, contracts, contract_settings, config))


def _book_routes(
    engine: Engine,
    contracts: Sequence[ContractApp],
    contract_settings: ContractSettings,
    config: ServerConfig,
) -> list[BaseRoute]:
    root_contracts = [contract for contract in contracts if contract.contract is config.root_contract]
    dashboard_app = dashboard(engine, contract_settings)

    def guarded(contract: ContractApp) -> ASGIApp:
        return _ContractNoted(config.guarded(contract), contract.contract)

    return [
        *_llms_txt_routes(engine, contract_settings, config),
        *(Route(app.prefix, guarded(app)) for app in _mcp(engine, contract_settings)),
        Route(dashboard_app.prefix, redirect_to_dashboard),
        _PrefixMount(dashboard_app.prefix, app=guarded(dashboard_app)),
        *(_PrefixMount(contract.prefix, app=guarded(contract)) for contract in contracts),
        *(
            _PrefixMount(prefix, app=guarded(contract))
            for contract in root_contracts
            for prefix in dict.fromkeys((config.root_prefix, ""))
        ),
    ]


def _llms_txt_routes(
    engine: Engine, contract_settings: ContractSettings, config: ServerConfig
) -> list[BaseRoute]:
    is_public = config.is_public or config.pages is not None
    contract = llms_txt_app(engine, contract_settings, is_public=is_public)
    app = _ContractNoted(config.guarded(contract), contract.contract)
    checked = _HostChecked(app, config.check_host) if is_public else app
    return [Route(path, checked, methods=["GET"]) for path in LLMS_TXT_PATHS]


def _start_route(contracts: Sequence[ContractApp], config: ServerConfig) -> Route:
    return Route("/", _HostChecked(start_page(contracts), config.check_host), methods=["GET"])


def _mcp(engine: Engine, contract_settings: ContractSettings) -> list[ContractApp]:
    """Empty without the extra `mcp`."""
    if not has_extra("mcp"):
        return []
    from glossator.web.mcp import mcp

    return [mcp(engine, contract_settings)]


@dataclass(frozen=True, slots=True)
class _HostChecked:
    """Checks the Host header of routes without a guard, against pages that use DNS rebinding."""

    app: ASGIApp
    check_host: Callable[[Scope], Awaitable[None]]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self.check_host(scope)
        except OriginRefused as error:
            await render(problem_of(error))(scope, receive, send)
            return
        await self.app(scope, receive, send)


class _PrefixMount(Mount):
    """A mount that also matches paths with a line end.

    Starlette's own does not, so such a path would fail with the error body of another contract.
    """

    def __init__(self, path: str, app: ASGIApp) -> None:
        super().__init__(path, app=app)
        self.path_regex = re.compile(self.path_regex.pattern, re.DOTALL)


@dataclass(frozen=True, slots=True)
class _ContractNoted:
    """Names the contract in the log and the metrics, also for requests that the guard refuses."""

    app: ASGIApp
    contract: Contract

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        note(contract=self.contract)
        await self.app(scope, receive, send)


def server(routes: Sequence[BaseRoute], lifespan: Lifespan) -> Starlette:
    """Errors outside every contract have the native contract's error body."""

    async def failed(request: Request, error: Exception) -> Response:
        return render(problem_of(error))

    handlers = dict.fromkeys((404, 405, 500), failed)
    middleware = [Middleware(_RelativeRedirects)]
    return Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers, middleware=middleware)


@dataclass(frozen=True, slots=True)
class _RelativeRedirects:
    """Makes redirects relative: Starlette builds them from the Host header, which the client can forge."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_relative(message: Message) -> None:
            if message["type"] == "http.response.start" and 300 <= message["status"] < 400:
                headers = MutableHeaders(scope=message)
                if "location" in headers:
                    headers["location"] = _without_host(headers["location"])
            await send(message)

        await self.app(scope, receive, send_relative)


def _without_host(location: str) -> str:
    """Keeps a single leading slash: two of them would name another host again."""
    parts = urlsplit(location)
    if not parts.scheme and not parts.netloc:
        return location
    return urlunsplit(("", "", f"/{parts.path.lstrip('/')}", parts.query, parts.fragment))


async def _live(request: Request) -> Response:
    """Says that the process runs; dependencies are not checked."""
    return JSONResponse({"status": "alive"})


def _ready(engine: Engine, is_stopping: Callable[[], bool]) -> ASGIApp:
    async def ready(scope: Scope, receive: Receive, send: Send) -> None:
        probes = await engine.health.probe()
        dependencies = {
            name: {"status": "up" if probe.is_up else "down", "latency_ms": probe.latency_ms}
            for name, probe in probes.items()
        }
        is_ready = await engine.health.is_ready() and not is_stopping()
        is_healthy = is_ready and all(probe.is_up for probe in probes.values())
        status = "ready" if is_healthy else "degraded" if is_ready else "not_ready"
        body = {"status": status, "dependencies": dependencies}
        await JSONResponse(body, status_code=200 if is_ready else 503)(scope, receive, send)

    return ready


def _metrics(render_metrics: Callable[[], Response]) -> ASGIApp:
    async def metrics(scope: Scope, receive: Receive, send: Send) -> None:
        await render_metrics()(scope, receive, send)

    return metrics
