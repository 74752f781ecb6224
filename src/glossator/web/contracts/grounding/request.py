"""What a caller of the grounding contract sends."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, cast

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from glossator.model import Filters, Question, Selection, Session

_KNOWN = ("chapter", "section")

SessionId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._:-]{1,128}$")]
_READABLE = r"^[^\x00-\x1f\x7f-\x9f]*$"
"""A database does not take every character, and nobody has control characters in a name."""
_NAME = r"^[^\x00-\x1f\x7f-\x9f]*[^\x00-\x1f\x7f-\x9f\s][^\x00-\x1f\x7f-\x9f]*$"
"""The same, and not blank."""
Text = Annotated[str, StringConstraints(min_length=1, max_length=1000, pattern=_READABLE)]
UserId = Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=_NAME)]


def _listed(values: object) -> object:
    if not isinstance(values, str | list):
        raise PydanticCustomError("filter_values", "should be a string or a list of strings")
    return [values] if isinstance(values, str) else cast("object", values)


Values = Annotated[
    list[Text],
    Field(max_length=50),
    BeforeValidator(_listed, json_schema_input_type=Text | Annotated[list[Text], Field(max_length=50)]),
]


class ContextMode(StrEnum):
    RETRIEVAL_PIPELINE = "retrieval_pipeline"
    USER_PROVIDED = "user_provided"


class FiltersSent(BaseModel):
    """Only what matches every key named here, each by any of its values."""

    model_config = ConfigDict(extra="forbid")

    chapter: Values = []
    section: Values = []

    @model_validator(mode="before")
    @classmethod
    def has_known_keys(cls, sent: object) -> object:
        """Said here, because pydantic would repeat the key that it does not know."""
        if isinstance(sent, dict) and not cast("dict[object, object]", sent).keys() <= set(_KNOWN):
            raise PydanticCustomError("unknown_filter", "may only have the keys chapter and section")
        return cast("object", sent)

    def to_filters(self) -> Filters:
        return Filters(chapter=tuple(self.chapter), section=tuple(self.section))


class SessionRequest(BaseModel):
    """What a session is opened with; it holds for the questions there that leave it out."""

    user_id: UserId | None = None
    context_mode: ContextMode | None = None
    filters: FiltersSent | None = None

    @classmethod
    def of(cls, session: Session) -> SessionRequest:
        """Nothing where a question opened the session: what that one named is its own."""
        return cls.model_validate(session.metadata)

    @property
    def metadata(self) -> Mapping[str, object]:
        return self.model_dump(mode="json", exclude_none=True)


class ChatRequest(BaseModel):
    query_text: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=1000, pattern=r"\S"),
        Field(description="The question; blanks around it do not count."),
    ]
    context_mode: ContextMode | None = Field(
        default=None, description="`retrieval_pipeline`, unless the session was opened with the other one."
    )
    user_context: Annotated[str, StringConstraints(max_length=10_000)] | None = Field(
        default=None, description="What alone the answer may rest on; needed where it is `user_provided`."
    )
    filters: FiltersSent | None = None
    conversation_id: SessionId | None = Field(default=None, description="A session; made when absent.")
    thread_id: Annotated[str, StringConstraints(max_length=255)] | None = Field(
        default=None, description="Accepted, and not used."
    )

    def mode(self, opened: SessionRequest) -> ContextMode:
        return self.context_mode or opened.context_mode or ContextMode.RETRIEVAL_PIPELINE

    def to_question(self, opened: SessionRequest) -> Question:
        filters = opened.filters if self.filters is None else self.filters
        return Question(
            self.query_text,
            selection=self._selection(self.mode(opened)),
            filters=filters.to_filters() if filters else Filters(),
        )

    def _selection(self, mode: ContextMode) -> Selection | None:
        if mode is ContextMode.RETRIEVAL_PIPELINE:
            return None
        if not (self.user_context or "").strip():
            raise _wrong("user_context", "is needed where context_mode is user_provided")
        return Selection(self.user_context or "", only=True)


def _wrong(field: str, message: str) -> RequestValidationError:
    problem: dict[str, Any] = {"type": "missing", "loc": ("body", field), "msg": message}
    return RequestValidationError([problem])
