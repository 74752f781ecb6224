"""What is said when there is no answer; nothing of what was sent is repeated."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from math import ceil
from typing import Literal

from fastapi import Response
from pydantic import BaseModel, Field

from glossator.web.problem import Kind, Problem


class Code(StrEnum):
    VALIDATION = "validation_error"
    UNAUTHORIZED = "unauthorized"
    NOT_FOUND = "not_found"
    RATE_LIMITED = "rate_limited"
    RETRIEVAL = "retrieval_unavailable"
    EMBEDDING = "embedding_failed"
    AGENT = "agent_unavailable"
    INTERNAL = "internal_error"


CODES: Mapping[Kind, Code] = {
    Kind.INVALID: Code.VALIDATION,
    Kind.NOT_ALLOWED: Code.VALIDATION,
    Kind.CONFLICT: Code.VALIDATION,
    Kind.TOO_LARGE: Code.VALIDATION,
    Kind.UNAUTHORIZED: Code.UNAUTHORIZED,
    Kind.FORBIDDEN: Code.UNAUTHORIZED,
    Kind.NOT_FOUND: Code.NOT_FOUND,
    Kind.RATE_LIMITED: Code.RATE_LIMITED,
    Kind.NO_BOOK: Code.RETRIEVAL,
    Kind.INDEX: Code.RETRIEVAL,
    Kind.EMBEDDER: Code.EMBEDDING,
    Kind.WRITER: Code.AGENT,
    Kind.RECORDS: Code.AGENT,
    Kind.BUSY: Code.AGENT,
    Kind.OVERLOADED: Code.AGENT,
    Kind.STOPPING: Code.AGENT,
    Kind.TIMEOUT: Code.AGENT,
    Kind.INTERNAL: Code.INTERNAL,
}
"""What keeps the agent from taking a question, and has no code of its own, is the agent's."""


class WrongFields(BaseModel):
    fields: Mapping[str, str] = Field(description="What is wrong, by the field's name.")


class ComeBack(BaseModel):
    retry_after_seconds: int


class ErrorBody(BaseModel):
    error_code: Code
    message: str
    details: WrongFields | ComeBack | None
    trace_id: str
    detail: str = Field(description="The message once more, where clients of FastAPI look for it.")

    @classmethod
    def of(cls, problem: Problem) -> ErrorBody:
        return cls(
            error_code=CODES[problem.kind],
            message=problem.message,
            details=_details(problem),
            trace_id=problem.trace_id,
            detail=problem.message,
        )


class ErrorEvent(BaseModel):
    type: Literal["error"] = "error"
    error_code: Code
    message: str

    @classmethod
    def of(cls, problem: Problem) -> ErrorEvent:
        return cls(error_code=CODES[problem.kind], message=problem.message)


def render(problem: Problem) -> Response:
    seconds = _seconds(problem)
    return Response(
        ErrorBody.of(problem).model_dump_json(),
        status_code=problem.status,
        headers=None if seconds is None else {"Retry-After": str(seconds)},
        media_type="application/json",
    )


def _details(problem: Problem) -> WrongFields | ComeBack | None:
    if problem.fields:
        return WrongFields(fields={name or "body": wrong for name, wrong in problem.fields})
    seconds = _seconds(problem)
    return None if seconds is None else ComeBack(retry_after_seconds=seconds)


def _seconds(problem: Problem) -> int | None:
    return None if problem.retry_after is None else max(1, ceil(problem.retry_after))
