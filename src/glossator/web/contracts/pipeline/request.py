"""What a caller of the pipeline contract sends."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from glossator.model import Question

LONGEST_QUESTION = 10_000


class QueryRequest(BaseModel):
    question: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_QUESTION)]
    session_id: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._:-]{1,128}$")] | None = Field(
        default=None, description="Stands in the log of this request, and nowhere else."
    )

    def to_question(self) -> Question:
        return Question(self.question)
