"""The dashboard as an application, mounted like a contract and behind the same guard."""

from __future__ import annotations

from fastapi import FastAPI, Request, Response
from starlette.datastructures import MutableHeaders
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from glossator.engine import Engine
from glossator.model import Contract
from glossator.web.auth.limits import rate_headers
from glossator.web.contract import ContractApp, ContractSettings
from glossator.web.contracts.native.request import render
from glossator.web.dashboard.exports import export_routes
from glossator.web.dashboard.pages import SHELL_PATHS, DashboardPages, shell_routes
from glossator.web.dashboard.views import reader_routes, view_routes
from glossator.web.problem import Problem, install_error_handlers

_PREFIX = "/desk"


def dashboard(engine: Engine, contract_settings: ContractSettings) -> ContractApp:
    app = FastAPI(openapi_url=None, telemetry={"tracing": False, "metrics": False, "logs": False})
    install_error_handlers(app, _render)
    app.add_middleware(SecurityHeaders)
    pages = DashboardPages()
    app.include_router(shell_routes(pages))
    app.include_router(view_routes(engine, contract_settings, pages))
    app.include_router(reader_routes(engine, pages))
    app.include_router(export_routes(engine, contract_settings))
    return ContractApp(
        Contract.NATIVE,
        _PREFIX,
        app,
        _render,
        rate_headers,
        contract_settings.body_bytes,
        open_paths=SHELL_PATHS,
    )


async def redirect_to_dashboard(request: Request) -> Response:
    """Adds the slash that relative paths to its files need; relative, because a proxy may add a prefix."""
    response = RedirectResponse(f"{_PREFIX.removeprefix('/')}/")
    add_security_headers(response.headers)
    return response


def _render(problem: Problem) -> Response:
    """Used by the guard too, whose replies do not pass SecurityHeaders."""
    response = render(problem)
    add_security_headers(response.headers)
    return response


_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def add_security_headers(headers: MutableHeaders) -> None:
    headers.update(_HEADERS)
    # Readers' questions must not be cached; the shell's own files set their own Cache-Control.
    headers.setdefault("Cache-Control", "no-store")


class SecurityHeaders:
    """Forbids browsers to load anything from elsewhere, to frame the pages and to cache them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                add_security_headers(MutableHeaders(scope=message))
            await send(message)

        await self._app(scope, receive, send_with_headers)
