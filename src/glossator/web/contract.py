"""What the contracts share: application, session metadata and token, timestamps, answers as text."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, cast

from fastapi import FastAPI, Response
from fastapi.openapi.utils import get_openapi
from fastapi.telemetry import TelemetryConfig
from pydantic import AfterValidator, BaseModel, PlainSerializer, StringConstraints
from pydantic_core import PydanticCustomError

from glossator.model import Answer, AnswerFinished, Claim, ClaimChecked, Contract, Outcome
from glossator.resilience.health import Dependency, Probe
from glossator.sessions.running import RunningTurn
from glossator.sessions.turns import now
from glossator.web.auth.access import SESSION_HEADER
from glossator.web.auth.limits import RateHeaders
from glossator.web.problem import Render, install_error_handlers

READABLE = r"^[^\x00-\x1f\x7f-\x9f]*$"
"""Text without control characters, some of which a database refuses."""
SessionId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._:-]{1,128}$")]
# Not blank either.
UserId = Annotated[
    str,
    StringConstraints(
        min_length=1,
        max_length=255,
        pattern=r"^[^\x00-\x1f\x7f-\x9f]*[^\x00-\x1f\x7f-\x9f\s][^\x00-\x1f\x7f-\x9f]*$",
    ),
]

EVENT_STREAM: dict[str, Any] = {
    "text/event-stream": {
        "itemSchema": {
            "type": "object",
            "required": ["data"],
            "properties": {"data": {"type": "string", "contentMediaType": "application/json"}},
        }
    }
}
"""OpenAPI `content` of a streamed reply, for contracts whose events have only `data`."""


@dataclass(frozen=True, slots=True)
class ContractSettings:
    """Server settings that the contracts need."""

    heartbeat_seconds: float = 15.0
    body_bytes: int = 131_072
    clock: Callable[[], datetime] = now


@dataclass(frozen=True, slots=True)
class ContractApp:
    """A contract's application, and what the guard in front of it needs to know."""

    contract: Contract
    prefix: str
    app: FastAPI
    render: Render
    rate_headers: RateHeaders
    body_bytes: int
    asks: frozenset[str] = frozenset()
    """Paths that take questions; the guard refuses them while the server is overloaded."""
    open_paths: frozenset[str] = frozenset({"/health", "/docs", "/openapi.json"})
    """Paths that need no key and do not count against a limit."""


_JSON = "application/json"

_SILENT: TelemetryConfig = {"tracing": False, "metrics": False, "logs": False}
"""FastAPI's own spans would carry the readers' questions; ours do not."""


def application(title: str, summary: str, render: Render, *, error_media_type: str = _JSON) -> FastAPI:
    """An application that answers every error with the contract's error body, and documents it so."""
    app = FastAPI(title=title, summary=summary, version="1", redoc_url=None, telemetry=_SILENT)
    install_error_handlers(app, render)
    app.openapi = lambda: _openapi(app, error_media_type)  # type: ignore[method-assign]
    return app


def error_responses(body: type[BaseModel], statuses: Iterable[int]) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a route that answers these statuses with this body."""
    return {status: {"model": body} for status in statuses}


def _openapi(app: FastAPI, error_media_type: str) -> dict[str, Any]:
    """Leaves out FastAPI's default 422, which a contract answers only if it declares it."""
    if app.openapi_schema is None:
        schema = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
        for operation in _operations(schema):
            if "HTTPValidationError" in str(operation["responses"].get("422", "")):
                del operation["responses"]["422"]
            _set_content_type(operation["responses"], error_media_type)
        for name in ("HTTPValidationError", "ValidationError"):
            schema.get("components", {}).get("schemas", {}).pop(name, None)
        app.openapi_schema = schema
    return app.openapi_schema


def _set_content_type(responses: dict[str, dict[str, Any]], error_media_type: str) -> None:
    """FastAPI documents every model as `application/json`."""
    for status, response in responses.items():
        if int(status) >= 400 and _JSON in response.get("content", {}):
            response["content"][error_media_type] = response["content"].pop(_JSON)


def _operations(schema: dict[str, Any]) -> Iterable[dict[str, Any]]:
    for path in cast("dict[str, dict[str, Any]]", schema["paths"]).values():
        yield from (operation for operation in path.values() if "responses" in operation)


# Metadata of a session: stored when it is opened, returned with it, never logged.

LONGEST_METADATA = 4096
"""Characters, written as JSON."""


def _bounded(metadata: dict[str, Any]) -> dict[str, Any]:
    if len(json.dumps(metadata)) > LONGEST_METADATA:
        raise PydanticCustomError(
            "metadata", "must have at most {most} characters as JSON", {"most": LONGEST_METADATA}
        )
    return metadata


Metadata = Annotated[dict[str, Any], AfterValidator(_bounded)]


def set_session_token(response: Response, token: str | None) -> None:
    """A publishable key is public, so its caller needs a token to prove whose session it is."""
    if token:
        response.headers[SESSION_HEADER] = token


def utc_text(moment: datetime) -> str:
    """ISO 8601 in UTC with milliseconds, such as `2026-01-31T12:00:00.000Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


Timestamp = Annotated[datetime, PlainSerializer(utc_text, return_type=str)]


# The health of three contracts

_DEPENDENCY_NAMES = {
    Dependency.INDEX: "qdrant",
    Dependency.WRITER: "openai",
    Dependency.RECORDS: "postgresql",
    Dependency.EMBEDDER: "embedder",
}


class DependencyHealth(BaseModel):
    status: Literal["up", "down"]
    latency_ms: float


class HealthReply(BaseModel):
    status: Literal["healthy", "degraded"]
    dependencies: dict[str, DependencyHealth]
    timestamp: Timestamp

    @classmethod
    def of(cls, probes: Mapping[Dependency, Probe], at: datetime) -> HealthReply:
        return cls(
            status="healthy" if all(probe.is_up for probe in probes.values()) else "degraded",
            dependencies={
                _DEPENDENCY_NAMES[name]: DependencyHealth(
                    status="up" if probe.is_up else "down", latency_ms=probe.latency_ms
                )
                for name, probe in probes.items()
            },
            timestamp=at,
        )


# Answers as plain text, for contracts without a field of their own for disclaimers or citation marks.


async def text_pieces(
    running: RunningTurn, whole_text: Callable[[Answer], str]
) -> AsyncGenerator[str | Answer]:
    """Pieces that, joined, are the whole text of the answer; then the answer itself."""
    sent_length = 0
    async with aclosing(running.events()) as events:
        async for delivered in events:
            if isinstance(delivered.event, ClaimChecked):
                sent_length += len(delivered.event.claim.text)
                yield delivered.event.claim.text
            elif isinstance(delivered.event, AnswerFinished):
                answer = delivered.event.answer
                # Refusals, small talk and what follows the claims were not sent yet.
                if rest := whole_text(answer)[sent_length:]:
                    yield rest
                yield answer


LONGEST_TEXT = 10_000
_ELLIPSIS = " …"
_MARK_END = re.compile(r"\d+\]\s*")


def text_with_disclaimer(answer: Answer) -> str:
    return answer.text + _disclaimer(answer)


def text_of(answer: Answer, positions: Mapping[int, int]) -> str:
    """The answer with its marks renumbered, its disclaimer at the end, cut to `LONGEST_TEXT` characters.

    `positions` maps a citation's number to its position in the contract's own list of sources; marks of
    citations that are not in it are left out.
    """
    text = "".join(_renumbered(claim, positions) for claim in answer.claims) if answer.claims else answer.text
    disclaimer = _disclaimer(answer)
    longest = LONGEST_TEXT - len(disclaimer)
    if len(text) > longest:
        text = text[: longest - len(_ELLIPSIS)].rstrip() + _ELLIPSIS
    return text + disclaimer


def score_of(answer: Answer) -> float:
    """Answers from the table of contents have no confidence and are certain; small talk scores 0."""
    if answer.confidence is not None:
        return min(max(answer.confidence.score, 0.0), 1.0)
    return 1.0 if answer.outcome is Outcome.ANSWERED else 0.0


def _disclaimer(answer: Answer) -> str:
    return f"\n\n{answer.disclaimer}" if answer.disclaimer else ""


def _renumbered(claim: Claim, positions: Mapping[int, int]) -> str:
    text = claim.text
    for _ in claim.citations:
        text, bracket, mark = text.rpartition("[")
        if not bracket or not _MARK_END.fullmatch(mark):
            return claim.text
    if not claim.citations:
        return claim.text
    numbers = dict.fromkeys(positions[n] for n in claim.citations if n in positions)
    unmarked = text.rstrip()
    return unmarked + _marks(text[len(unmarked) :], tuple(numbers))


def _marks(space: str, numbers: Sequence[int]) -> str:
    return space + "".join(f"[{number}]" for number in numbers) if numbers else ""
