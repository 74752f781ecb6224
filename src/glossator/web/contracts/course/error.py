"""How the course contract says no: one friendly sentence, in which nothing of what was sent is repeated."""

from __future__ import annotations

from math import ceil

from fastapi import Response
from pydantic import BaseModel, Field

from glossator.web.problem import STATUS, Kind, Problem

STATUSES = STATUS | {Kind.CONFLICT: 400}
"""The one wrong request that this contract knows is 400."""

SENTENCES = {
    Kind.INVALID: "Something in your message could not be understood, so please check it and try again.",
    Kind.UNAUTHORIZED: "Please sign in with a valid key to use the course assistant.",
    Kind.FORBIDDEN: "Sorry, this key is not allowed to do that.",
    Kind.NOT_FOUND: "Sorry, that conversation or page could not be found.",
    Kind.NOT_ALLOWED: "Sorry, that cannot be done here.",
    Kind.CONFLICT: "This idempotency key was already used for another message, so please choose a new one.",
    Kind.TOO_LARGE: "Your message is too large, so please send a shorter one.",
    Kind.RATE_LIMITED: "You are asking faster than I can follow, so please wait a moment and try again.",
    Kind.NO_BOOK: "The course is not ready yet, so please come back later.",
    Kind.INDEX: "I cannot look into the course at the moment, so please try again shortly.",
    Kind.EMBEDDER: "I cannot read your question at the moment, so please try again shortly.",
    Kind.WRITER: "I cannot write an answer at the moment, so please try again shortly.",
    Kind.RECORDS: "I cannot reach our conversation at the moment, so please try again shortly.",
    Kind.BUSY: "I am still answering your last message, so please try again in a moment.",
    Kind.OVERLOADED: "Many readers are asking right now, so please try again shortly.",
    Kind.STOPPING: "The assistant is being restarted, so please try again shortly.",
    Kind.TIMEOUT: "That took longer than it should, so please try again.",
    Kind.INTERNAL: "Something went wrong on our side, so please try again later.",
}


class ErrorBody(BaseModel):
    error: str
    detail: str = Field(description="The sentence once more, where clients of FastAPI look for it.")


def render(problem: Problem) -> Response:
    after = None if problem.retry_after is None else max(1, ceil(problem.retry_after))
    sentence = _sentence(problem)
    return Response(
        ErrorBody(error=sentence, detail=sentence).model_dump_json(),
        status_code=STATUSES[problem.kind],
        headers={} if after is None else {"retry-after": str(after)},
        media_type="application/json",
    )


def _sentence(problem: Problem) -> str:
    """A wrong request is told which of its fields to look at."""
    named = dict.fromkeys(name for name, _ in problem.fields if name)
    if not named:
        return SENTENCES[problem.kind]
    return f"Something is missing or not right, so please check {' and '.join(named)} and try again."
