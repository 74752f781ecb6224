"""Requests and the error body of the native contract."""

from __future__ import annotations

from math import ceil
from typing import Annotated

from fastapi import Query, Response
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic_core import PydanticCustomError

from glossator.answer.validate import LONGEST_QUESTION, LONGEST_SELECTION, MOST_HITS
from glossator.model import Filters, Question, Selection
from glossator.web.contract import SessionId, UserId
from glossator.web.problem import Problem, ProblemKind

# Request.

Text = Annotated[str, StringConstraints(min_length=1, max_length=1000)]
Values = Text | Annotated[list[Text], Field(max_length=50)]
TopK = Annotated[int, Field(ge=1, le=MOST_HITS, strict=True)]
Number = Annotated[float, Field(allow_inf_nan=False, strict=True)]
Threshold = Annotated[Number, Field(ge=0, le=1)]


def _without_names(value: object, validate: ValidatorFunctionWrapHandler) -> object:
    """Reports one error without names: pydantic would repeat the caller's own keys."""
    try:
        return validate(value)
    except ValidationError as error:
        message = "must be at most 20 plain values of at most 500 characters, under names of at most 100"
        raise PydanticCustomError("metadata", message) from error


MetadataName = Annotated[str, StringConstraints(min_length=1, max_length=100)]
MetadataText = Annotated[str, StringConstraints(max_length=500)]
_EXACT = Field(ge=-(2**53) + 1, le=2**53 - 1)
"""Integers that every JSON parser reads exactly; 2**53 is also what 2**53 + 1 is rounded to."""
MetadataNumber = Annotated[int, _EXACT] | Annotated[Number, _EXACT]
Metadata = Annotated[
    dict[MetadataName, MetadataText | MetadataNumber | bool | None],
    Field(max_length=20),
    WrapValidator(_without_names),
]


class SessionProof(BaseModel):
    id: SessionId
    token: Annotated[str, StringConstraints(max_length=1000)] | None = Field(
        default=None, description="Required with a publishable key. Every reply brings a fresh one."
    )


class SelectionIn(BaseModel):
    text: Annotated[str, StringConstraints(max_length=LONGEST_SELECTION)]
    only: bool = Field(
        default=False, description="If true, answer from the selection only, not from the book."
    )
    page_url: Annotated[str, StringConstraints(max_length=2000)] | None = None


class FiltersIn(BaseModel):
    model_config = ConfigDict(extra="forbid")

    chapter: Values = []
    section: Values = []
    page: Values = []

    def filters(self) -> Filters:
        return Filters(
            chapter=_as_tuple(self.chapter), section=_as_tuple(self.section), page=_as_tuple(self.page)
        )


class AskRequest(BaseModel):
    question: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_QUESTION)
    ]
    session: SessionProof | None = Field(
        default=None, description="The session to continue. A new one is opened when absent."
    )
    selection: SelectionIn | None = None
    filters: FiltersIn = FiltersIn()
    through_chapter: Annotated[int, Field(ge=1, le=10_000, strict=True)] | None = None
    top_k: TopK = 5
    threshold: Threshold | None = None
    remember: bool = Field(default=True, description="If false, nothing about the question is stored.")
    user: UserId | None = None

    def to_question(self) -> Question:
        selection = self.selection
        return Question(
            text=self.question,
            selection=Selection(selection.text, selection.only, selection.page_url) if selection else None,
            filters=self.filters.filters(),
            through_chapter=self.through_chapter,
            top_k=self.top_k,
            threshold=self.threshold,
        )


class SearchRequest(BaseModel):
    """The query parameters of `GET /v1/search`."""

    q: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_QUESTION)]
    top_k: Annotated[int, Field(ge=1, le=MOST_HITS)] = 5
    threshold: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    chapter: Annotated[list[Text], Field(max_length=50)] = []
    section: Annotated[list[Text], Field(max_length=50)] = []
    page: Annotated[list[Text], Field(max_length=50)] = []
    include: Annotated[
        list[Annotated[str, StringConstraints(pattern="^embedding$")]], Field(max_length=1)
    ] = []

    def to_question(self) -> Question:
        filters = Filters(chapter=tuple(self.chapter), section=tuple(self.section), page=tuple(self.page))
        return Question(text=self.q, filters=filters, top_k=self.top_k, threshold=self.threshold)


SearchQuery = Annotated[SearchRequest, Query()]


class SessionRequest(BaseModel):
    user: UserId | None = None
    metadata: Metadata = {}


class FeedbackRequest(BaseModel):
    exchange_id: SessionId
    helpful: bool
    reason: Annotated[str, StringConstraints(max_length=1000)] = ""
    session: SessionProof | None = None
    user: UserId | None = None


def _as_tuple(values: str | list[str]) -> tuple[str, ...]:
    return (values,) if isinstance(values, str) else tuple(values)


# Error body. Nothing the caller sent is repeated in it. Its format is RFC 9457, problem details.

PROBLEM_JSON = "application/problem+json"

TITLES = {
    ProblemKind.INVALID: "The request is not valid",
    ProblemKind.UNAUTHORIZED: "A valid key is needed",
    ProblemKind.FORBIDDEN: "This key may not do that",
    ProblemKind.NOT_FOUND: "There is no such thing",
    ProblemKind.NOT_ALLOWED: "That method does not exist here",
    ProblemKind.CONFLICT: "This idempotency key was used for another request",
    ProblemKind.TOO_LARGE: "The request is too large",
    ProblemKind.RATE_LIMITED: "Too many requests",
    ProblemKind.NO_BOOK: "There is no book yet",
    ProblemKind.INDEX: "The book cannot be searched",
    ProblemKind.EMBEDDER: "The question cannot be read",
    ProblemKind.WRITER: "The answer cannot be written",
    ProblemKind.RECORDS: "The conversation cannot be kept",
    ProblemKind.BUSY: "The conversation is busy",
    ProblemKind.OVERLOADED: "Too many questions at once",
    ProblemKind.STOPPING: "The server is being stopped",
    ProblemKind.TIMEOUT: "The answer took too long",
    ProblemKind.INTERNAL: "Something went wrong on our side",
}


class FieldProblem(BaseModel):
    field: str
    message: str


class ProblemBody(BaseModel):
    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: ProblemKind
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
