"""What went wrong, in words that every contract can put into its own error body.

A contract names its codes by `ProblemKind` and gives `install` a function that makes the response; errors are
caught here, once. Nothing of what the caller sent is ever repeated to them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from http import HTTPStatus

import structlog
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from glossator import errors
from glossator.web.middleware.observe import note
from glossator.web.trace import trace_id


class ProblemKind(StrEnum):
    """The reasons a request fails that a caller may tell apart."""

    INVALID = "invalid"
    UNAUTHORIZED = "unauthorized"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    NOT_ALLOWED = "method_not_allowed"
    CONFLICT = "idempotency_mismatch"
    TOO_LARGE = "too_large"
    RATE_LIMITED = "rate_limited"
    NO_BOOK = "no_book"
    INDEX = "index_unavailable"
    EMBEDDER = "embedder_unavailable"
    WRITER = "writer_unavailable"
    RECORDS = "database_unavailable"
    BUSY = "session_busy"
    OVERLOADED = "overloaded"
    STOPPING = "stopping"
    TIMEOUT = "timeout"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True)
class Problem:
    kind: ProblemKind
    status: int
    message: str
    """Safe to show."""
    retryable: bool
    trace_id: str
    retry_after: float | None = None
    """Seconds."""
    fields: Sequence[tuple[str, str]] = ()
    """Which fields of the request are wrong, and how; never what stood in them."""


Render = Callable[[Problem], Response]


def install(app: FastAPI, render: Render) -> None:
    """Every failure of this application comes out in its contract's own shape."""

    async def ours(request: Request, error: Exception) -> Response:
        response = render(problem_of(error))
        if isinstance(error, HTTPException) and error.headers:
            # Such as which methods there are instead.
            response.headers.update(error.headers)
        return response

    for kind in (errors.GlossatorError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, ours)


def problem_of(error: Exception) -> Problem:
    match error:
        case RequestValidationError():
            return _invalid(_fields(error))
        case HTTPException():
            return _problem(
                _HTTP.get(error.status_code, ProblemKind.INVALID), HTTPStatus(error.status_code).phrase
            )
        case errors.GlossatorError():
            return _of_ours(error)
        case _:
            structlog.get_logger().error("unexpected", exc_info=error)
            return _problem(ProblemKind.INTERNAL, "Something went wrong on our side.")


_HTTP = {
    401: ProblemKind.UNAUTHORIZED,
    403: ProblemKind.FORBIDDEN,
    404: ProblemKind.NOT_FOUND,
    405: ProblemKind.NOT_ALLOWED,
    413: ProblemKind.TOO_LARGE,
    429: ProblemKind.RATE_LIMITED,
}

# From the particular to the general: the first that fits decides.
_OURS: Sequence[tuple[type[errors.GlossatorError], ProblemKind]] = (
    (errors.QuestionError, ProblemKind.INVALID),
    (errors.SessionUnknown, ProblemKind.NOT_FOUND),
    (errors.ExchangeUnknown, ProblemKind.NOT_FOUND),
    (errors.SectionUnknown, ProblemKind.NOT_FOUND),
    (errors.SessionBusy, ProblemKind.BUSY),
    (errors.TurnLost, ProblemKind.BUSY),
    (errors.IdempotencyMismatch, ProblemKind.CONFLICT),
    (errors.RecordsError, ProblemKind.RECORDS),
    (errors.OriginRefused, ProblemKind.FORBIDDEN),
    (errors.ScopeMissing, ProblemKind.FORBIDDEN),
    (errors.TokenInvalid, ProblemKind.NOT_FOUND),
    (errors.AccessError, ProblemKind.UNAUTHORIZED),
    (errors.TooManyRequests, ProblemKind.RATE_LIMITED),
    (errors.RequestTooLarge, ProblemKind.TOO_LARGE),
    (errors.RequestBroken, ProblemKind.INVALID),
    (errors.Overloaded, ProblemKind.OVERLOADED),
    (errors.Stopping, ProblemKind.STOPPING),
    (errors.AnswerTimeout, ProblemKind.TIMEOUT),
    (errors.NoBookYet, ProblemKind.NO_BOOK),
    (errors.IndexFault, ProblemKind.INDEX),
    (errors.SearchTimeout, ProblemKind.INDEX),
    (errors.EmbedderError, ProblemKind.EMBEDDER),
    (errors.WriterError, ProblemKind.WRITER),
)

STATUS = {
    ProblemKind.INVALID: 400,
    ProblemKind.UNAUTHORIZED: 401,
    ProblemKind.FORBIDDEN: 403,
    ProblemKind.NOT_FOUND: 404,
    ProblemKind.NOT_ALLOWED: 405,
    ProblemKind.CONFLICT: 422,
    ProblemKind.TOO_LARGE: 413,
    ProblemKind.RATE_LIMITED: 429,
    ProblemKind.NO_BOOK: 503,
    ProblemKind.INDEX: 503,
    ProblemKind.EMBEDDER: 503,
    ProblemKind.WRITER: 503,
    ProblemKind.RECORDS: 503,
    ProblemKind.BUSY: 503,
    ProblemKind.OVERLOADED: 503,
    ProblemKind.STOPPING: 503,
    ProblemKind.TIMEOUT: 503,
    ProblemKind.INTERNAL: 500,
}
"""What most contracts answer with; one that differs says so itself."""

_RETRY_AFTER = 5.0
"""Seconds, where a retryable failure does not know better."""


def _of_ours(error: errors.GlossatorError) -> Problem:
    kind = next((kind for ours, kind in _OURS if isinstance(error, ours)), ProblemKind.INTERNAL)
    if kind is ProblemKind.INTERNAL:
        structlog.get_logger().error("unexpected", exc_info=error)
        return _problem(kind, "Something went wrong on our side.")
    after = error.retry_after if error.retry_after is not None else _RETRY_AFTER
    note(error=type(error).__name__)
    return Problem(
        kind=kind,
        status=STATUS[kind],
        message=_sentence(type(error)) if kind in _FOREIGN else str(error),
        retryable=error.retryable,
        trace_id=trace_id(),
        retry_after=after if error.retryable else None,
    )


_FOREIGN = frozenset({ProblemKind.INDEX, ProblemKind.EMBEDDER, ProblemKind.WRITER, ProblemKind.RECORDS})
"""Where the message may repeat what a service said, which may repeat what a reader wrote."""


def _sentence(kind: type[errors.GlossatorError]) -> str:
    return (kind.__doc__ or "").strip()


def _invalid(fields: Sequence[tuple[str, str]]) -> Problem:
    named = ", ".join(name for name, _ in fields if name)
    message = f"The request is not valid: {named}." if named else "The request is not valid."
    return Problem(ProblemKind.INVALID, 400, message, retryable=False, trace_id=trace_id(), fields=fields)


def _fields(error: RequestValidationError) -> Sequence[tuple[str, str]]:
    """Where and what, without the input that pydantic would repeat."""
    return [_field(one["type"], one["loc"], str(one["msg"])) for one in error.errors()]


def _field(kind: str, place: Sequence[str | int], message: str) -> tuple[str, str]:
    # The first says in which part of the request it was sent.
    named = [str(part) for part in place[1:]]
    match kind:
        case "json_invalid":
            return "body", "is not valid JSON"
        case "extra_forbidden":
            # The last part is what the caller made up.
            return ".".join(named[:-1]), "has a name that is not known"
        case _:
            return ".".join(named), message


def _problem(kind: ProblemKind, message: str) -> Problem:
    return Problem(kind, STATUS[kind], message, retryable=False, trace_id=trace_id())
