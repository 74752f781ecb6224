"""The desk as an application, mounted like a contract and behind the same guard."""

from __future__ import annotations

from fastapi import FastAPI, Request, Response
from starlette.responses import RedirectResponse

from glossator.engine import Engine
from glossator.model import Contract
from glossator.web.contract import Mounted, Wire
from glossator.web.contracts.native.error import render
from glossator.web.desk.headers import Secured, secure
from glossator.web.desk.keeping import keeping
from glossator.web.desk.pages import Pages
from glossator.web.desk.shell import PATHS, shell
from glossator.web.desk.views import views
from glossator.web.limits import rate_headers
from glossator.web.problem import Problem, install

_PREFIX = "/desk"


def desk(engine: Engine, wire: Wire) -> Mounted:
    app = FastAPI(openapi_url=None, telemetry={"tracing": False, "metrics": False, "logs": False})
    install(app, _render)
    app.add_middleware(Secured)
    pages = Pages()
    for router in (shell(pages), views(engine, wire, pages), keeping(engine, wire)):
        app.include_router(router)
    return Mounted(Contract.NATIVE, _PREFIX, app, _render, rate_headers, wire.body_bytes, open_paths=PATHS)


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
