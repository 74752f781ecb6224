"""What is said when there is no answer, in the OpenAI API's own shape; what was sent is never repeated."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from math import ceil

from fastapi import Response
from pydantic import BaseModel, Field

from glossator.web.limits import Standing
from glossator.web.problem import Kind, Problem


class Type(StrEnum):
    REQUEST = "invalid_request_error"
    RATE = "requests"
    SERVER = "server_error"


SAID: Mapping[Kind, tuple[Type, str]] = {
    Kind.INVALID: (Type.REQUEST, "invalid_request"),
    Kind.UNAUTHORIZED: (Type.REQUEST, "invalid_api_key"),
    Kind.FORBIDDEN: (Type.REQUEST, "insufficient_permissions"),
    Kind.NOT_FOUND: (Type.REQUEST, "unknown_url"),
    Kind.NOT_ALLOWED: (Type.REQUEST, "method_not_supported"),
    Kind.CONFLICT: (Type.REQUEST, "idempotency_mismatch"),
    Kind.TOO_LARGE: (Type.REQUEST, "request_too_large"),
    Kind.RATE_LIMITED: (Type.RATE, "rate_limit_exceeded"),
    Kind.NO_BOOK: (Type.SERVER, "no_book"),
    Kind.INDEX: (Type.SERVER, "index_unavailable"),
    Kind.EMBEDDER: (Type.SERVER, "embedder_unavailable"),
    Kind.WRITER: (Type.SERVER, "writer_unavailable"),
    Kind.RECORDS: (Type.SERVER, "database_unavailable"),
    Kind.BUSY: (Type.SERVER, "session_busy"),
    Kind.OVERLOADED: (Type.SERVER, "overloaded"),
    Kind.STOPPING: (Type.SERVER, "stopping"),
    Kind.TIMEOUT: (Type.SERVER, "timeout"),
    Kind.INTERNAL: (Type.SERVER, "internal_error"),
}


class ErrorTold(BaseModel):
    message: str
    type: Type
    param: str | None = Field(description="The first field that is wrong.")
    code: str


class ErrorBody(BaseModel):
    error: ErrorTold

    @classmethod
    def of(cls, problem: Problem) -> ErrorBody:
        kind, code = SAID[problem.kind]
        param, wrong = next(iter(problem.fields), (None, None))
        message = f"The request is not valid. {param or 'body'}: {wrong}." if wrong else problem.message
        return cls(error=ErrorTold(message=message, type=kind, param=param or None, code=code))


def render(problem: Problem) -> Response:
    headers = {"X-Request-Id": problem.trace_id}
    if problem.retry_after is not None:
        headers["Retry-After"] = str(max(1, ceil(problem.retry_after)))
    return Response(
        ErrorBody.of(problem).model_dump_json(),
        status_code=problem.status,
        headers=headers,
        media_type="application/json",
    )


def rate_headers(standing: Standing) -> Mapping[str, str]:
    """Under the names that the OpenAI API gives them, with a length of time."""
    return {
        "X-RateLimit-Limit-Requests": str(standing.limit),
        "X-RateLimit-Remaining-Requests": str(standing.remaining),
        "X-RateLimit-Reset-Requests": f"{ceil(standing.reset_after)}s",
    }
