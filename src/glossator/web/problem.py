"""Errors as `Problem`s, which every contract renders into its own error body.

A contract maps each `ProblemKind` to its codes and gives `install_error_handlers` a function that makes the
response; errors are caught here, once. Nothing the caller sent is repeated in a problem.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from http import HTTPStatus
from math import ceil

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
    """Safe to show to the caller."""
    retryable: bool
    trace_id: str
    retry_after: float | None = None
    """Seconds."""
    fields: Sequence[tuple[str, str]] = ()
    """The names of the request's wrong fields with what is wrong; never their values."""

    @property
    def retry_after_seconds(self) -> int | None:
        """Whole seconds, at least one, for a `Retry-After` header."""
        return None if self.retry_after is None else max(1, ceil(self.retry_after))


Render = Callable[[Problem], Response]


def install_error_handlers(app: FastAPI, render: Render) -> None:
    """Makes the application answer every error with its contract's error body."""

    async def handle(request: Request, error: Exception) -> Response:
        response = render(problem_of(error))
        if isinstance(error, HTTPException) and error.headers:
            # Such as `Allow`, which names the methods of a route.
            response.headers.update(error.headers)
        return response

    for error_type in (errors.GlossatorError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(error_type, handle)


def problem_of(error: Exception) -> Problem:
    match error:
        case RequestValidationError():
            return _invalid(_fields(error))
        case HTTPException():
            return _problem(
                _HTTP_KINDS.get(error.status_code, ProblemKind.INVALID), HTTPStatus(error.status_code).phrase
            )
        case errors.GlossatorError():
            return _glossator_problem(error)
        case _:
            structlog.get_logger().error("unexpected", exc_info=error)
            return _problem(ProblemKind.INTERNAL, "Something went wrong on our side.")


_HTTP_KINDS = {
    401: ProblemKind.UNAUTHORIZED,
    403: ProblemKind.FORBIDDEN,
    404: ProblemKind.NOT_FOUND,
    405: ProblemKind.NOT_ALLOWED,
    413: ProblemKind.TOO_LARGE,
    429: ProblemKind.RATE_LIMITED,
}

# The first match decides, so subclasses stand before their base class.
_KINDS: Sequence[tuple[type[errors.GlossatorError], ProblemKind]] = (
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
    (errors.BookUnknown, ProblemKind.NOT_FOUND),
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
"""The HTTP status of each kind; a contract may override it."""

_RETRY_AFTER = 5.0
"""Seconds, for a retryable error without a time of its own."""


def _glossator_problem(error: errors.GlossatorError) -> Problem:
    kind = next((kind for error_type, kind in _KINDS if isinstance(error, error_type)), ProblemKind.INTERNAL)
    if kind is ProblemKind.INTERNAL:
        structlog.get_logger().error("unexpected", exc_info=error)
        return _problem(kind, "Something went wrong on our side.")
    retry_after = error.retry_after if error.retry_after is not None else _RETRY_AFTER
    note(error=type(error).__name__)
    return Problem(
        kind=kind,
        status=STATUS[kind],
        message=_default_message(type(error)) if kind in _DEPENDENCIES else str(error),
        retryable=error.retryable,
        trace_id=trace_id(),
        retry_after=retry_after if error.retryable else None,
    )


_DEPENDENCIES = frozenset({ProblemKind.INDEX, ProblemKind.EMBEDDER, ProblemKind.WRITER, ProblemKind.RECORDS})
"""Kinds whose message may quote a service, which in turn may quote the reader."""


def _default_message(error_type: type[errors.GlossatorError]) -> str:
    return (error_type.__doc__ or "").strip()


def _invalid(fields: Sequence[tuple[str, str]]) -> Problem:
    names = ", ".join(name for name, _ in fields if name)
    message = f"The request is not valid: {names}." if names else "The request is not valid."
    return Problem(ProblemKind.INVALID, 400, message, retryable=False, trace_id=trace_id(), fields=fields)


def _fields(error: RequestValidationError) -> Sequence[tuple[str, str]]:
    """Location and message of each error, without the input that pydantic adds."""
    return [_field(details["type"], details["loc"], str(details["msg"])) for details in error.errors()]


def _field(kind: str, location: Sequence[str | int], message: str) -> tuple[str, str]:
    # The first part is `body`, `query`, `path` or `header`.
    path = [str(part) for part in location[1:]]
    match kind:
        case "json_invalid":
            return "body", "is not valid JSON"
        case "extra_forbidden":
            # The last part is a name that the caller made up, so it is not repeated.
            return ".".join(path[:-1]), "has a name that is not known"
        case _:
            return ".".join(path), message


def _problem(kind: ProblemKind, message: str) -> Problem:
    return Problem(kind, STATUS[kind], message, retryable=False, trace_id=trace_id())
