"""What a program sends."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, StringConstraints, WithJsonSchema
from pydantic_core import PydanticCustomError

from glossator.model import Question
from glossator.web.metadata import Metadata

LONGEST_MESSAGE = 1000

_UUID4 = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}"


def _uuid4(text: str) -> str:
    """Written in either case, it is the same thread."""
    if not re.fullmatch(_UUID4, text):
        raise PydanticCustomError("uuid4", "It must be a UUID of version 4, with its hyphens")
    return text.lower()


ThreadId = Annotated[
    str, AfterValidator(_uuid4), WithJsonSchema({"type": "string", "pattern": f"^{_UUID4}$"})
]


class ChatRequest(BaseModel):
    message: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_MESSAGE, pattern=r"\S"),
        Field(description="The question; blanks around it do not count."),
    ]
    session_id: ThreadId | None = Field(default=None, description="UUID v4 of the thread; made when absent.")
    stream: Annotated[bool, Field(strict=True)] = Field(
        default=False, description="On `/chat/run`: answer as `/chat/stream` does."
    )
    top_k: Annotated[int, Field(strict=True, ge=1, le=10)] = 5
    similarity_threshold: Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)] = Field(
        default=0.7, description="The least similarity of what an answer may rest on."
    )

    metadata: Metadata = Field(
        default={}, description="Of the thread: kept with the message that opens it, and told in its history."
    )

    def to_question(self) -> Question:
        return Question(self.message, top_k=self.top_k, threshold=self.similarity_threshold)
