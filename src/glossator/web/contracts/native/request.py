"""What a program or the widget sends."""

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
from glossator.web.problem import Problem, ProblemKind

SessionId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._:-]{1,128}$")]
# A database does not take every character, and nobody has control characters in a name.
User = Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=r"^[^\x00-\x1f\x7f-\x9f]*$")]
Text = Annotated[str, StringConstraints(min_length=1, max_length=1000)]
Values = Text | Annotated[list[Text], Field(max_length=50)]
TopK = Annotated[int, Field(ge=1, le=MOST_HITS, strict=True)]
Number = Annotated[float, Field(allow_inf_nan=False, strict=True)]
Threshold = Annotated[Number, Field(ge=0, le=1)]


def _without_names(value: object, check: ValidatorFunctionWrapHandler) -> object:
    """Where one of them is wrong, pydantic would say which, in the caller's own words."""
    try:
        return check(value)
    except ValidationError as error:
        message = "must be at most 20 plain values of at most 500 characters, under names of at most 100"
        raise PydanticCustomError("metadata", message) from error


MetadataName = Annotated[str, StringConstraints(min_length=1, max_length=100)]
MetadataText = Annotated[str, StringConstraints(max_length=500)]
_EXACT = Field(ge=-(2**53), le=2**53)
"""Numbers that every reader of JSON reads alike."""
MetadataNumber = Annotated[int, _EXACT] | Annotated[Number, _EXACT]
Metadata = Annotated[
    dict[MetadataName, MetadataText | MetadataNumber | bool | None],
    Field(max_length=20),
    WrapValidator(_without_names),
]


class SessionProof(BaseModel):
    id: SessionId
    token: Annotated[str, StringConstraints(max_length=1000)] | None = Field(
        default=None, description="Needed with a publishable key; every reply brings a fresh one."
    )


class SelectionIn(BaseModel):
    text: Annotated[str, StringConstraints(max_length=LONGEST_SELECTION)]
    only: bool = Field(default=False, description="Answer from the selection alone.")
    page_url: Annotated[str, StringConstraints(max_length=2000)] | None = None


class FiltersIn(BaseModel):
    model_config = ConfigDict(extra="forbid")

    chapter: Values = []
    section: Values = []
    page: Values = []

    def filters(self) -> Filters:
        return Filters(chapter=_many(self.chapter), section=_many(self.section), page=_many(self.page))


class AskRequest(BaseModel):
    question: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_QUESTION)
    ]
    session: SessionProof | None = Field(default=None, description="One is opened when there is none.")
    selection: SelectionIn | None = None
    filters: FiltersIn = FiltersIn()
    through_chapter: Annotated[int, Field(ge=1, le=10_000, strict=True)] | None = None
    top_k: TopK = 5
    threshold: Threshold | None = None
    remember: bool = Field(default=True, description="If false, nothing about the question is written.")
    user: User | None = None

    def to_question(self) -> Question:
        sent = self.selection
        return Question(
            text=self.question,
            selection=Selection(sent.text, sent.only, sent.page_url) if sent else None,
            filters=self.filters.filters(),
            through_chapter=self.through_chapter,
            top_k=self.top_k,
            threshold=self.threshold,
        )


class SearchRequest(BaseModel):
    """The query of `GET /v1/search`."""

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
    user: User | None = None
    metadata: Metadata = {}


class FeedbackRequest(BaseModel):
    exchange_id: SessionId
    helpful: bool
    reason: Annotated[str, StringConstraints(max_length=1000)] = ""
    session: SessionProof | None = None
    user: User | None = None


def _many(values: str | list[str]) -> tuple[str, ...]:
    return (values,) if isinstance(values, str) else tuple(values)


# RFC 9457 problem details; what was sent is never repeated.

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
