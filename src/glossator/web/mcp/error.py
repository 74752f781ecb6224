"""What is said to a request that reaches no tool, as an error of JSON-RPC."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Literal

from fastapi import Response
from mcp_types import INTERNAL_ERROR, INVALID_REQUEST
from pydantic import BaseModel

from glossator.web.problem import Kind, Problem

REFUSED = -32050
"""Of those that JSON-RPC leaves to servers, one that the protocol does not use itself."""

CODES: Mapping[Kind, int] = {
    **dict.fromkeys(Kind, REFUSED),
    Kind.INVALID: INVALID_REQUEST,
    Kind.NOT_FOUND: INVALID_REQUEST,
    Kind.NOT_ALLOWED: INVALID_REQUEST,
    Kind.TOO_LARGE: INVALID_REQUEST,
    Kind.INTERNAL: INTERNAL_ERROR,
}


class Details(BaseModel):
    code: Kind
    retryable: bool
    retry_after: int | None
    trace_id: str


class ErrorTold(BaseModel):
    code: int
    message: str
    data: Details


class ErrorBody(BaseModel):
    jsonrpc: Literal["2.0"] = "2.0"
    id: None = None
    error: ErrorTold


def render(problem: Problem) -> Response:
    after = None if problem.retry_after is None else max(1, ceil(problem.retry_after))
    details = Details(
        code=problem.kind, retryable=problem.retryable, retry_after=after, trace_id=problem.trace_id
    )
    told = ErrorTold(code=CODES[problem.kind], message=problem.message, data=details)
    return Response(
        ErrorBody(error=told).model_dump_json(),
        status_code=problem.status,
        headers=None if after is None else {"Retry-After": str(after)},
        media_type="application/json",
    )
