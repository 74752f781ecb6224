"""How the grounding contract says no; what was sent is never repeated."""

from __future__ import annotations

from math import ceil

from fastapi import Response
from pydantic import BaseModel, Field

from glossator.web.problem import Kind, Problem

CODES = {
    Kind.INVALID: "validation_error",
    Kind.UNAUTHORIZED: "unauthorized",
    Kind.FORBIDDEN: "forbidden",
    Kind.NOT_FOUND: "not_found",
    Kind.NOT_ALLOWED: "method_not_allowed",
    Kind.CONFLICT: "idempotency_mismatch",
    Kind.TOO_LARGE: "payload_too_large",
    Kind.RATE_LIMITED: "rate_limited",
    Kind.NO_BOOK: "no_book",
    Kind.INDEX: "retrieval_unavailable",
    Kind.EMBEDDER: "embedding_unavailable",
    Kind.WRITER: "agent_unavailable",
    Kind.RECORDS: "storage_unavailable",
    Kind.BUSY: "session_busy",
    Kind.OVERLOADED: "overloaded",
    Kind.STOPPING: "stopping",
    Kind.TIMEOUT: "timeout",
    Kind.INTERNAL: "internal_error",
}

# A dependency may say anything in its own words; a caller of this contract is told the fact.
_MESSAGES = {
    Kind.NOT_FOUND: "There is no such session or address.",
    Kind.NOT_ALLOWED: "That method does not exist here.",
    Kind.NO_BOOK: "There is no book to answer from yet.",
    Kind.INDEX: "The book cannot be searched at the moment.",
    Kind.EMBEDDER: "The question cannot be read at the moment.",
    Kind.WRITER: "The answer cannot be written at the moment.",
    Kind.RECORDS: "The conversation cannot be kept at the moment.",
    Kind.INTERNAL: "Something went wrong on our side.",
}


class FieldProblem(BaseModel):
    field: str
    message: str


class ErrorDetails(BaseModel):
    fields: list[FieldProblem]
    retryable: bool
    retry_after_seconds: int | None
    trace_id: str


class ErrorBody(BaseModel):
    error: str
    message: str
    details: ErrorDetails
    detail: str = Field(description="The message once more, where clients of FastAPI look for it.")


def render(problem: Problem) -> Response:
    after = None if problem.retry_after is None else max(1, ceil(problem.retry_after))
    details = ErrorDetails(
        fields=[FieldProblem(field=name, message=message) for name, message in problem.fields],
        retryable=problem.retryable,
        retry_after_seconds=after,
        trace_id=problem.trace_id,
    )
    message = _MESSAGES.get(problem.kind, problem.message)
    body = ErrorBody(error=CODES[problem.kind], message=message, details=details, detail=message)
    return Response(
        body.model_dump_json(),
        status_code=problem.status,
        headers={} if after is None else {"retry-after": str(after)},
        media_type="application/json",
    )
