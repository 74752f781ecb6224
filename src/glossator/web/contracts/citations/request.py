"""What a program sends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from glossator.model import Filters, PageRecord, Question, Selection

LONGEST_QUERY = 2000
LONGEST_SELECTION = 10_000
MOST_VALUES = 100

_UUID = r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"


def _uuid(text: str) -> str:
    """Written in either case, it is the same session."""
    if not re.fullmatch(_UUID, text):
        raise PydanticCustomError("uuid", "It must be a UUID, with its hyphens")
    return text.lower()


SessionId = Annotated[str, AfterValidator(_uuid), WithJsonSchema({"type": "string", "pattern": f"^{_UUID}$"})]
Value = Annotated[str, StringConstraints(min_length=1, max_length=2000)]
Values = Annotated[
    list[Value],
    Field(max_length=MOST_VALUES),
    BeforeValidator(
        lambda sent: [sent] if isinstance(sent, str) else sent, json_schema_input_type=Value | list[Value]
    ),
]
"""One or several: any of them will do."""


class Mode(StrEnum):
    GENERAL = "general"
    SELECTED_TEXT = "selected_text"


class ChatFilters(BaseModel):
    """What different fields name must all match."""

    model_config = ConfigDict(extra="forbid")

    source_url: Values = Field(
        default=[],
        description="Pages; with an anchor in each of them, sections. As a reply has it will do.",
    )
    page_title: Values = []
    section_heading: Values = []

    @model_validator(mode="before")
    @classmethod
    def _known(cls, sent: object) -> object:
        """Says which fields there are, and not which was sent."""
        names = set(cast("dict[str, object]", sent)) if isinstance(sent, dict) else set[str]()
        if not names <= set(cls.model_fields):
            known = ", ".join(cls.model_fields)
            raise PydanticCustomError("unknown_filter", "The filters are: {known}", {"known": known})
        return cast("object", sent)

    @property
    def names_pages(self) -> bool:
        return not all("#" in url for url in self._urls)

    def to_filters(self, pages: Sequence[PageRecord]) -> Filters:
        """The index knows a section by its address, and a page by its path."""
        urls = self._urls
        wanted = {_page(url) for url in urls} if self.names_pages else set[str]()
        paths = tuple(page.path for page in pages if _page(page.url) in wanted)
        return Filters(
            page=paths,
            # What is no page of the book is left as it is, and so nothing is found there.
            url=() if paths else urls,
            page_title=tuple(self.page_title),
            section=tuple(self.section_heading),
        )

    @property
    def _urls(self) -> tuple[str, ...]:
        return tuple(_without_words(url) for url in self.source_url)


class ChatRequest(BaseModel):
    query: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_QUERY, pattern=r"\S"),
        Field(description="The question; blanks around it do not count."),
    ]
    session_id: SessionId | None = Field(
        default=None, description="The caller's own UUID for a conversation; without one nothing is kept."
    )
    mode: Mode = Mode.GENERAL
    selected_text: Annotated[str, StringConstraints(max_length=LONGEST_SELECTION)] | None = Field(
        default=None,
        validate_default=True,
        description="In the mode `selected_text`, all that an answer may rest on; in `general` not used.",
    )
    top_k: Annotated[int, Field(strict=True, ge=1, le=20)] = 5
    score_threshold: Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)] | None = None
    filters: ChatFilters | None = Field(
        default=None, description="In the mode `selected_text` not used: there the book is not searched."
    )

    @field_validator("selected_text")
    @classmethod
    def _there(cls, text: str | None, info: ValidationInfo) -> str | None:
        if info.data.get("mode") is Mode.SELECTED_TEXT and not (text or "").strip():
            raise PydanticCustomError("selection_missing", "In the mode selected_text it must not be blank")
        return text

    @property
    def selection(self) -> Selection | None:
        if self.mode is Mode.GENERAL or self.selected_text is None:
            return None
        return Selection(self.selected_text, only=True)

    @property
    def needs_pages(self) -> bool:
        return self.mode is Mode.GENERAL and self.filters is not None and self.filters.names_pages

    def to_question(self, pages: Sequence[PageRecord]) -> Question:
        is_filtered = self.mode is Mode.GENERAL and self.filters is not None
        return Question(
            text=self.query,
            selection=self.selection,
            filters=self.filters.to_filters(pages) if self.filters and is_filtered else Filters(),
            top_k=self.top_k,
            threshold=self.score_threshold,
        )


def _without_words(url: str) -> str:
    """Without the text fragment, which is for browsers and names no place of its own."""
    return url.partition(":~:")[0].removesuffix("#")


def _page(url: str) -> str:
    return url.partition("#")[0].rstrip("/")
