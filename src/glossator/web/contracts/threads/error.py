"""What is said when there is no answer; nothing of what was sent is repeated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from enum import StrEnum
from math import ceil
from typing import Literal, Self

from fastapi import Response
from pydantic import BaseModel, Field

from glossator.web.problem import Kind, Problem


class Code(StrEnum):
    VALIDATION = "VALIDATION_ERROR"
    AUTHENTICATION = "AUTHENTICATION_ERROR"
    NOT_FOUND = "NOT_FOUND"
    TOO_LARGE = "PAYLOAD_TOO_LARGE"
    RATE_LIMIT = "RATE_LIMIT_EXCEEDED"
    UNAVAILABLE = "SERVICE_UNAVAILABLE"
    INTERNAL = "INTERNAL_SERVER_ERROR"


_AGAIN = "Send the same request again after the time that is named here."
_TELL = "Tell whoever runs this server, with the request_id."

SAID: Mapping[Kind, tuple[Code, str]] = {
    Kind.INVALID: (Code.VALIDATION, "Change what is named here and send the request again."),
    Kind.NOT_ALLOWED: (Code.VALIDATION, "Use one of the methods that /docs shows for this address."),
    Kind.CONFLICT: (Code.VALIDATION, "Send another request under an Idempotency-Key of its own."),
    Kind.UNAUTHORIZED: (Code.AUTHENTICATION, "Send a valid key as `Authorization: Bearer …`."),
    Kind.FORBIDDEN: (Code.AUTHENTICATION, "Use a key that may do this, from a page that may use it."),
    Kind.NOT_FOUND: (Code.NOT_FOUND, "Check the address and the id; a thread begins with its first message."),
    Kind.TOO_LARGE: (Code.TOO_LARGE, "Send at most 10 KB."),
    Kind.RATE_LIMITED: (Code.RATE_LIMIT, _AGAIN),
    Kind.NO_BOOK: (Code.UNAVAILABLE, f"{_TELL} There is no book to answer from."),
    Kind.INDEX: (Code.UNAVAILABLE, _AGAIN),
    Kind.EMBEDDER: (Code.UNAVAILABLE, _AGAIN),
    Kind.WRITER: (Code.UNAVAILABLE, _AGAIN),
    Kind.RECORDS: (Code.UNAVAILABLE, _AGAIN),
    Kind.BUSY: (Code.UNAVAILABLE, "Wait for the thread's last answer, then send the request again."),
    Kind.OVERLOADED: (Code.UNAVAILABLE, _AGAIN),
    Kind.STOPPING: (Code.UNAVAILABLE, _AGAIN),
    Kind.TIMEOUT: (Code.UNAVAILABLE, _AGAIN),
    Kind.INTERNAL: (Code.INTERNAL, _TELL),
}
"""The code of each kind, and what the caller can do."""

_LATER = 60.0
"""Seconds, where somebody has to mend something first."""


class Details(BaseModel):
    suggestion: str = Field(description="What the caller can do.")
    fields: Mapping[str, str] | None = Field(default=None, description="What is wrong, by the field's name.")
    retry_after_seconds: int | None = None


class ErrorBody(BaseModel):
    error: Code
    message: str
    details: Details
    timestamp: datetime
    request_id: str
    detail: str = Field(description="The message once more, where clients of FastAPI look for it.")

    @classmethod
    def of(cls, problem: Problem, at: datetime) -> Self:
        code, suggestion = SAID[problem.kind]
        details = Details(
            suggestion=suggestion,
            fields={name or "body": wrong for name, wrong in problem.fields} or None,
            retry_after_seconds=_seconds(problem, code),
        )
        return cls(
            error=code,
            message=problem.message,
            details=details,
            timestamp=at,
            request_id=problem.trace_id,
            detail=problem.message,
        )


class ErrorEvent(ErrorBody):
    type: Literal["error"] = "error"


def render(problem: Problem, clock: Callable[[], datetime]) -> Response:
    body = ErrorBody.of(problem, clock())
    seconds = body.details.retry_after_seconds
    return Response(
        body.model_dump_json(exclude_none=True),
        status_code=problem.status,
        headers=None if seconds is None else {"Retry-After": str(seconds)},
        media_type="application/json",
    )


def _seconds(problem: Problem, code: Code) -> int | None:
    if problem.retry_after is None and code is not Code.UNAVAILABLE:
        return None
    return max(1, ceil(_LATER if problem.retry_after is None else problem.retry_after))
