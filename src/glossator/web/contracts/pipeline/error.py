"""ErrorRecoveryAgent: a fixed sentence for the caller, the original error for the log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from math import ceil

from fastapi import Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field

from glossator.errors import EmbedderError, GlossatorError, WriterError
from glossator.web.contracts.pipeline.agents import AgentResponse, ErrorContext, ErrorType
from glossator.web.observe import note
from glossator.web.problem import Kind, Problem

TYPES = {
    Kind.INVALID: ErrorType.VALIDATION,
    Kind.UNAUTHORIZED: ErrorType.VALIDATION,
    Kind.FORBIDDEN: ErrorType.VALIDATION,
    Kind.NOT_FOUND: ErrorType.VALIDATION,
    Kind.NOT_ALLOWED: ErrorType.VALIDATION,
    Kind.CONFLICT: ErrorType.VALIDATION,
    Kind.TOO_LARGE: ErrorType.VALIDATION,
    Kind.RATE_LIMITED: ErrorType.AGENT,
    Kind.NO_BOOK: ErrorType.DATABASE,
    Kind.INDEX: ErrorType.DATABASE,
    Kind.EMBEDDER: ErrorType.NETWORK,
    Kind.WRITER: ErrorType.LLM,
    Kind.RECORDS: ErrorType.DATABASE,
    Kind.BUSY: ErrorType.AGENT,
    Kind.OVERLOADED: ErrorType.AGENT,
    Kind.STOPPING: ErrorType.AGENT,
    Kind.TIMEOUT: ErrorType.AGENT,
    Kind.INTERNAL: ErrorType.UNKNOWN,
}

MESSAGES = {
    Kind.INVALID: (
        "The request is not valid. Send JSON with a question of 1 to 10000 readable characters; "
        "a session_id has at most 128 letters, digits and the signs . _ : -"
    ),
    Kind.UNAUTHORIZED: "A valid key is needed.",
    Kind.FORBIDDEN: "This key may not do that.",
    Kind.NOT_FOUND: "There is nothing at this address.",
    Kind.NOT_ALLOWED: "That method does not exist here.",
    Kind.CONFLICT: "This idempotency key was used for another request.",
    Kind.TOO_LARGE: "The request is too large.",
    Kind.RATE_LIMITED: "Too many requests. Please slow down.",
    Kind.NO_BOOK: "There is no book to answer from yet.",
    Kind.INDEX: "The book cannot be searched at the moment. Please try again later.",
    Kind.EMBEDDER: "The question cannot be read at the moment. Please try again later.",
    Kind.WRITER: "The answer cannot be written at the moment. Please try again later.",
    Kind.RECORDS: "A database is not available at the moment. Please try again later.",
    Kind.BUSY: "Another question is still being answered. Please try again shortly.",
    Kind.OVERLOADED: "Too many questions are being asked. Please try again shortly.",
    Kind.STOPPING: "The server is being stopped. Please try again shortly.",
    Kind.TIMEOUT: "The answer was not finished in time. Please try again.",
    Kind.INTERNAL: "Something went wrong on our side.",
}


class ErrorBody(BaseModel):
    error: ErrorType
    message: str
    retryable: bool
    request_id: str
    detail: str = Field(description="The message once more, where clients of FastAPI look for it.")
    trace: list[AgentResponse] | None = None


def render(problem: Problem, trace: Sequence[AgentResponse] | None = None) -> Response:
    body = ErrorBody(
        error=TYPES[problem.kind],
        message=MESSAGES[problem.kind],
        retryable=problem.retryable,
        request_id=problem.trace_id,
        detail=MESSAGES[problem.kind],
        trace=None if trace is None else list(trace),
    )
    after = None if problem.retry_after is None else max(1, ceil(problem.retry_after))
    return Response(
        body.model_dump_json(exclude={"trace"} if trace is None else None),
        status_code=problem.status,
        headers={} if after is None else {"retry-after": str(after)},
        media_type="application/json",
    )


def recover(problem: Problem, error: Exception, at: datetime) -> ErrorContext:
    """What went wrong; the original error stands in the request's line of the log, and nowhere else."""
    context = ErrorContext(
        error_type=TYPES[problem.kind],
        original_error=" from ".join(_causes(error)),
        user_safe_message=MESSAGES[problem.kind],
        retry_able=problem.retryable,
        log_details={"request_id": problem.trace_id, "timestamp": _zulu(at)},
    )
    note(error_type=str(context.error_type), original_error=context.original_error)
    return context


def _zulu(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _causes(error: BaseException | None) -> Iterator[str]:
    while error is not None:
        yield _described(error)
        error = error.__cause__


def _described(error: BaseException) -> str:
    """Foreign words may quote the question, and so may those of a service that has read it."""
    is_ours = isinstance(error, GlossatorError) and not isinstance(error, WriterError | EmbedderError)
    if isinstance(error, RequestValidationError) or not is_ours:
        return type(error).__name__
    return f"{type(error).__name__}: {error}"
