"""The desk as an application, mounted like a contract and behind the same guard."""

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
from glossator.web.dashboard.keeping import keeping
from glossator.web.dashboard.pages import PATHS, DashboardPages, shell
from glossator.web.dashboard.views import views
from glossator.web.problem import Problem, install

_PREFIX = "/desk"


def dashboard(engine: Engine, contract_settings: ContractSettings) -> ContractApp:
    app = FastAPI(openapi_url=None, telemetry={"tracing": False, "metrics": False, "logs": False})
    install(app, _render)
    app.add_middleware(SecurityHeaders)
    pages = DashboardPages()
    for router in (shell(pages), views(engine, contract_settings, pages), keeping(engine, contract_settings)):
        app.include_router(router)
    return ContractApp(
        Contract.NATIVE, _PREFIX, app, _render, rate_headers, contract_settings.body_bytes, open_paths=PATHS
    )


async def enter(request: Request) -> Response:
    """To the folder, beside whose address its files are found; relative, for a proxy may have a prefix."""
    response = RedirectResponse(f"{_PREFIX.removeprefix('/')}/")
    secure(response.headers)
    return response


def _render(problem: Problem) -> Response:
    """The guard refuses before the application, and both must say the same."""
    response = render(problem)
    secure(response.headers)
    return response


# What a browser is told with all of the desk: load nothing from elsewhere, keep nothing, frame nothing.

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


def secure(headers: MutableHeaders) -> None:
    headers.update(_HEADERS)
    # What readers asked is in no cache; a file of the desk itself says that it may be.
    headers.setdefault("Cache-Control", "no-store")


class SecurityHeaders:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                secure(MutableHeaders(scope=message))
            await send(message)

        await self._app(scope, receive, tell)
