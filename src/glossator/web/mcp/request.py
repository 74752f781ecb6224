"""What the tools take."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from glossator.answer.validate import LONGEST_QUESTION, MOST_HITS
from glossator.model import Filters, Question

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_QUESTION)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=1000)]


class SearchBook(BaseModel):
    query: Words = Field(description="What to look for, as a question or in a few words.")
    top_k: Annotated[int, Field(strict=True, ge=1, le=MOST_HITS)] = Field(
        default=5, description="How many sections at most."
    )
    chapter: Name | None = Field(
        default=None, description="Only in the chapter of this title, as list_chapters has it."
    )

    def to_question(self) -> Question:
        filters = Filters(chapter=(self.chapter,)) if self.chapter else Filters()
        return Question(self.query, filters=filters, top_k=self.top_k)


class AskBook(BaseModel):
    question: Words = Field(description="A whole question that can be understood by itself.")

    def to_question(self) -> Question:
        return Question(self.question)


class ReadSection(BaseModel):
    chunk_id: Name = Field(description="As search_book and ask_book give it.")


class ListChapters(BaseModel):
    """Nothing."""
