"""What every contract's application is made of, and how it says what it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.telemetry import TelemetryConfig
from pydantic import BaseModel

from glossator.engine import now
from glossator.model import Contract
from glossator.web.limits import RateHeaders
from glossator.web.problem import Render, install

EVENT_STREAM: dict[str, Any] = {
    "text/event-stream": {
        "itemSchema": {
            "type": "object",
            "required": ["data"],
            "properties": {"data": {"type": "string", "contentMediaType": "application/json"}},
        }
    }
}
"""The `content` of a reply that streams, for contracts whose events have data only."""


@dataclass(frozen=True, slots=True)
class Wire:
    """What the contracts are told of the server they run in."""

    heartbeat_seconds: float = 15.0
    body_bytes: int = 131_072
    clock: Callable[[], datetime] = now


@dataclass(frozen=True, slots=True)
class Mounted:
    """A contract's application, and what the guard in front of it has to know."""

    contract: Contract
    prefix: str
    app: FastAPI
    render: Render
    rate_headers: RateHeaders
    body_bytes: int
    asks: frozenset[str] = frozenset()
    """Where questions come in: while there is no place for another, they are turned away at the door."""
    open_paths: frozenset[str] = frozenset({"/health", "/docs", "/openapi.json"})
    """Which anybody may see, without a key and uncounted."""


_JSON = "application/json"


_SILENT: TelemetryConfig = {"tracing": False, "metrics": False, "logs": False}
"""Its own spans would carry what readers ask; ours do not."""


def application(title: str, summary: str, render: Render, *, failure_type: str = _JSON) -> FastAPI:
    """An application in which every failure has the contract's own shape, and whose page says so."""
    app = FastAPI(title=title, summary=summary, version="1", redoc_url=None, telemetry=_SILENT)
    install(app, render)
    app.openapi = lambda: _described(app, failure_type)  # type: ignore[method-assign]
    return app


def failures(body: type[BaseModel], statuses: Iterable[int]) -> dict[int | str, dict[str, Any]]:
    """For the `responses` of a route."""
    return {status: {"model": body} for status in statuses}


def _described(app: FastAPI, failure_type: str) -> dict[str, Any]:
    """Without FastAPI's own 422, which no contract ever answers with unless it says so."""
    if app.openapi_schema is None:
        schema = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
        for operation in _operations(schema):
            if "HTTPValidationError" in str(operation["responses"].get("422", "")):
                del operation["responses"]["422"]
            _name_type(operation["responses"], failure_type)
        for name in ("HTTPValidationError", "ValidationError"):
            schema.get("components", {}).get("schemas", {}).pop(name, None)
        app.openapi_schema = schema
    return app.openapi_schema


def _name_type(responses: dict[str, dict[str, Any]], failure_type: str) -> None:
    """FastAPI gives a model no other content type than its own."""
    for status, response in responses.items():
        if int(status) >= 400 and _JSON in response.get("content", {}):
            response["content"][failure_type] = response["content"].pop(_JSON)


def _operations(schema: dict[str, Any]) -> Iterable[dict[str, Any]]:
    for path in cast("dict[str, dict[str, Any]]", schema["paths"]).values():
        yield from (operation for operation in path.values() if "responses" in operation)
