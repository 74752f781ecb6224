"""RFC 9457 problem details; what was sent is never repeated."""

from __future__ import annotations

from math import ceil

from fastapi import Response
from pydantic import BaseModel

from glossator.web.problem import Kind, Problem

PROBLEM_JSON = "application/problem+json"

TITLES = {
    Kind.INVALID: "The request is not valid",
    Kind.UNAUTHORIZED: "A valid key is needed",
    Kind.FORBIDDEN: "This key may not do that",
    Kind.NOT_FOUND: "There is no such thing",
    Kind.NOT_ALLOWED: "That method does not exist here",
    Kind.CONFLICT: "This idempotency key was used for another request",
    Kind.TOO_LARGE: "The request is too large",
    Kind.RATE_LIMITED: "Too many requests",
    Kind.NO_BOOK: "There is no book yet",
    Kind.INDEX: "The book cannot be searched",
    Kind.EMBEDDER: "The question cannot be read",
    Kind.WRITER: "The answer cannot be written",
    Kind.RECORDS: "The conversation cannot be kept",
    Kind.BUSY: "The conversation is busy",
    Kind.OVERLOADED: "Too many questions at once",
    Kind.STOPPING: "The server is being stopped",
    Kind.TIMEOUT: "The answer took too long",
    Kind.INTERNAL: "Something went wrong on our side",
}


class FieldProblem(BaseModel):
    field: str
    message: str


class ProblemBody(BaseModel):
    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: Kind
    retryable: bool
    trace_id: str
    retry_after: int | None = None
    errors: list[FieldProblem] = []

    @classmethod
    def of(cls, problem: Problem) -> ProblemBody:
        return cls(
            title=TITLES[problem.kind],
            status=problem.status,
            detail=problem.message,
            code=problem.kind,
            retryable=problem.retryable,
            trace_id=problem.trace_id,
            retry_after=None if problem.retry_after is None else ceil(problem.retry_after),
            errors=[FieldProblem(field=name, message=message) for name, message in problem.fields],
        )


def render(problem: Problem) -> Response:
    body = ProblemBody.of(problem)
    headers = {} if body.retry_after is None else {"retry-after": str(body.retry_after)}
    return Response(
        body.model_dump_json(exclude_none=True),
        status_code=problem.status,
        headers=headers,
        media_type=PROBLEM_JSON,
    )
