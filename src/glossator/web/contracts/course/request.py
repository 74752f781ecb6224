"""What a caller of the course contract sends."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, Field, StringConstraints

from glossator.model import Question, Selection
from glossator.web.metadata import Metadata

SessionId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._:-]{1,128}$")]
# A database does not take every character, and nobody has control characters in a name.
_NAME = r"^[^\x00-\x1f\x7f-\x9f]*[^\x00-\x1f\x7f-\x9f\s][^\x00-\x1f\x7f-\x9f]*$"
UserId = Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=_NAME)]
Limit = Annotated[int, Query(ge=1, le=100, description="How many messages, the latest ones.")]
Of = Annotated[
    UserId | None,
    Query(description="Whose session it is; may be left out where `session_id` is a UUID of version 4."),
]


class ChatRequest(BaseModel):
    user_id: UserId
    message: Annotated[str, StringConstraints(min_length=1, max_length=2000)]
    session_id: SessionId | None = Field(default=None, description="Made when absent.")
    selected_text: Annotated[str, StringConstraints(max_length=5000)] | None = Field(
        default=None, description="The first evidence, next to what the book says."
    )

    metadata: Metadata = Field(
        default={},
        description="Of the session: kept with the message that opens it, told in its history.",
    )

    def to_question(self) -> Question:
        marked = self.selected_text
        return Question(self.message, selection=Selection(marked) if marked and marked.strip() else None)
