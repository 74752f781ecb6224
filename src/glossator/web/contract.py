"""What every contract's application is made of, and how it says what it answers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, cast

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.telemetry import TelemetryConfig
from pydantic import AfterValidator, BaseModel
from pydantic_core import PydanticCustomError

from glossator.model import Answer, Citation, Claim, Contract, Outcome
from glossator.sessions.turns import now
from glossator.web.auth.limits import RateHeaders
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
class ContractSettings:
    """What the contracts are told of the server they run in."""

    heartbeat_seconds: float = 15.0
    body_bytes: int = 131_072
    clock: Callable[[], datetime] = now


@dataclass(frozen=True, slots=True)
class ContractApp:
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


# What a caller may say of a session when it is opened: kept, told back, and never logged.

LONGEST_METADATA = 4096
"""Characters, written as JSON."""


def _bounded(sent: dict[str, Any]) -> dict[str, Any]:
    if len(json.dumps(sent)) > LONGEST_METADATA:
        raise PydanticCustomError(
            "metadata", "must have at most {most} characters as JSON", {"most": LONGEST_METADATA}
        )
    return sent


Metadata = Annotated[dict[str, Any], AfterValidator(_bounded)]


# An answer for contracts that show a text, a number and a list of sources of their own.

LONGEST_TEXT = 10_000
_CUT = " …"
_MARK_ENDS = re.compile(r"\d+\]\s*")


def text_of(answer: Answer, places: Mapping[int, int]) -> str:
    """Each citation's mark is its place in that list, where it has one; the caution stands at the end."""
    told = "".join(_remarked(claim, places) for claim in answer.claims) if answer.claims else answer.text
    caution = f"\n\n{answer.disclaimer}" if answer.disclaimer else ""
    most = LONGEST_TEXT - len(caution)
    return (told if len(told) <= most else told[: most - len(_CUT)].rstrip() + _CUT) + caution


def score_of(answer: Answer) -> float:
    """What is read off the table of contents is certain; of a greeting there is nothing to be sure of."""
    if answer.confidence is not None:
        return min(max(answer.confidence.score, 0.0), 1.0)
    return 1.0 if answer.outcome is Outcome.ANSWERED else 0.0


def link_of(citation: Citation) -> str:
    """The page and its anchor, without the words that a browser is to look for."""
    return citation.url.split(":~:", 1)[0].removesuffix("#")


def is_of_selection(citation: Citation) -> bool:
    """Whether it stands in what the reader sent, which is no page of the book."""
    return not citation.page


def _remarked(claim: Claim, places: Mapping[int, int]) -> str:
    words = claim.text
    for _ in claim.citations:
        words, bracket, mark = words.rpartition("[")
        if not bracket or not _MARK_ENDS.fullmatch(mark):
            return claim.text
    if not claim.citations:
        return claim.text
    known = dict.fromkeys(places[n] for n in claim.citations if n in places)
    told = words.rstrip()
    return told + _marked(words[len(told) :], tuple(known))


def _marked(space: str, places: Sequence[int]) -> str:
    return space + "".join(f"[{place}]" for place in places) if places else ""
