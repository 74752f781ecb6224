"""Arguments, results and the error body of the MCP tools."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from fastapi import Response
from mcp_types import INTERNAL_ERROR, INVALID_REQUEST
from pydantic import BaseModel, Field, StringConstraints

from glossator.answer.book import Chapter, SearchOutcome
from glossator.answer.validate import LONGEST_QUESTION, MOST_HITS
from glossator.model import Answer, Chunk, Citation, Filters, Hit, Level, Outcome, Question, Suggestion
from glossator.web.problem import Problem, ProblemKind

# Request.

QueryText = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_QUESTION)
]
Name = Annotated[str, StringConstraints(min_length=1, max_length=1000)]


class SearchBook(BaseModel):
    query: QueryText = Field(description="What to look for, as a question or a few words.")
    top_k: Annotated[int, Field(strict=True, ge=1, le=MOST_HITS)] = Field(
        default=5, description="The largest number of sections to return."
    )
    chapter: Name | None = Field(
        default=None, description="Search only the chapter with this title, as list_chapters returns it."
    )

    def to_question(self) -> Question:
        filters = Filters(chapter=(self.chapter,)) if self.chapter else Filters()
        return Question(self.query, filters=filters, top_k=self.top_k)


class AskBook(BaseModel):
    question: QueryText = Field(description="A whole question that can be understood without context.")

    def to_question(self) -> Question:
        return Question(self.question)


class ReadSection(BaseModel):
    chunk_id: Name = Field(description="A chunk_id that search_book or ask_book returned.")


class ListChapters(BaseModel):
    """No arguments."""


# Reply: structured values for programs, and the same as text for a language model.


class ToolResult(BaseModel):
    @abstractmethod
    def to_text(self) -> str: ...


class ToolPlace(BaseModel):
    """A location in the book."""

    chunk_id: str = Field(description="The argument of read_section.")
    chapter: str
    section: str
    url: str

    def to_line(self) -> str:
        title = " › ".join(dict.fromkeys(name for name in (self.chapter, self.section) if name))
        return f"{title}\n   {self.url}\n   chunk_id: {self.chunk_id}"


class HitOut(ToolPlace):
    similarity: float = Field(description="0 to 1: how likely the section is relevant to the query.")
    text: str = Field(description="Markdown, as it stands on the page.")

    @classmethod
    def of(cls, hit: Hit) -> HitOut:
        return cls(
            chunk_id=hit.chunk.chunk_id,
            chapter=hit.chunk.chapter,
            section=hit.passage.section.title,
            url=hit.passage.url,
            similarity=hit.similarity,
            text=hit.chunk.text,
        )


class HitsOut(ToolResult):
    confidence: Level = Field(description="How well the hits could support an answer.")
    hits: Sequence[HitOut] = Field(description="The best hit first.")

    @classmethod
    def of(cls, outcome: SearchOutcome) -> HitsOut:
        return cls(confidence=outcome.confidence.level, hits=[HitOut.of(hit) for hit in outcome.hits])

    def to_text(self) -> str:
        if not self.hits:
            return "Nothing was found in the book."
        hits = [
            f"{n}. {hit.to_line()}\n   similarity: {hit.similarity}\n\n{hit.text}"
            for n, hit in enumerate(self.hits, 1)
        ]
        return "\n\n".join([f"Confidence: {self.confidence}", *hits])


class CitationOut(ToolPlace):
    n: int = Field(description="The number of its mark in the text.")
    quote: str = Field(description="The text of the book that supports the statement.")

    @classmethod
    def of(cls, citation: Citation) -> CitationOut:
        return cls(
            n=citation.n,
            chunk_id=citation.chunk_id,
            chapter=citation.chapter,
            section=citation.section or citation.page_title,
            url=citation.url,
            quote=citation.quote,
        )


class SuggestionOut(BaseModel):
    title: str
    url: str
    chunk_id: str

    @classmethod
    def of(cls, suggestion: Suggestion) -> SuggestionOut:
        return cls(title=suggestion.title, url=suggestion.url, chunk_id=suggestion.chunk_id)


class AnswerOut(ToolResult):
    outcome: Outcome
    text: str = Field(description="Markdown with `[1]` marks.")
    citations: Sequence[CitationOut]
    confidence: float | None = Field(
        default=None, description="0 to 1: how well the book supports the answer; null for small talk."
    )
    disclaimer: str | None = None
    suggestions: Sequence[SuggestionOut] = Field(description="Sections to look at if there is no answer.")

    @classmethod
    def of(cls, answer: Answer) -> AnswerOut:
        return cls(
            outcome=answer.outcome,
            text=answer.text,
            citations=[CitationOut.of(citation) for citation in answer.citations],
            confidence=answer.confidence.score if answer.confidence else None,
            disclaimer=answer.disclaimer,
            suggestions=[SuggestionOut.of(suggestion) for suggestion in answer.suggestions],
        )

    def to_text(self) -> str:
        sources = [f"[{citation.n}] {citation.to_line()}" for citation in self.citations]
        nearest = [
            f"- {suggestion.title}\n   {suggestion.url}\n   chunk_id: {suggestion.chunk_id}"
            for suggestion in self.suggestions
        ]
        parts = (
            self.text,
            self.disclaimer,
            "\n".join(["Sources:", *sources]) if sources else None,
            "\n".join(["Nearest sections, which may not answer it:", *nearest]) if nearest else None,
        )
        return "\n\n".join(part for part in parts if part)


class SectionOut(ToolPlace, ToolResult):
    page: str = Field(description="The source file.")
    page_title: str
    text: str = Field(description="Markdown, as it stands on the page.")

    @classmethod
    def of(cls, chunk: Chunk) -> SectionOut:
        section = chunk.sections[0]
        return cls(
            chunk_id=chunk.chunk_id,
            chapter=chunk.chapter,
            section=section.title,
            url=chunk.url_of(section),
            page=chunk.page,
            page_title=chunk.page_title,
            text=chunk.text,
        )

    def to_text(self) -> str:
        return f"{self.to_line()}\n\n{self.text}"


class ChapterOut(BaseModel):
    id: str
    title: str
    url: str
    sections: Sequence[str]

    @classmethod
    def of(cls, chapter: Chapter) -> ChapterOut:
        return cls(id=chapter.id, title=chapter.title, url=chapter.url, sections=chapter.sections)

    def to_text(self, n: int) -> str:
        return "\n".join(
            [f"{n}. {self.title}\n   {self.url}", *(f"   - {section}" for section in self.sections)]
        )


class ChaptersOut(ToolResult):
    chapters: Sequence[ChapterOut] = Field(description="In reading order.")

    @classmethod
    def of(cls, chapters: Sequence[Chapter]) -> ChaptersOut:
        return cls(chapters=[ChapterOut.of(chapter) for chapter in chapters])

    def to_text(self) -> str:
        return "\n".join(chapter.to_text(n) for n, chapter in enumerate(self.chapters, 1))


# Error body. Nothing the caller sent is repeated in it. For requests that reach no tool.

REFUSED = -32050
"""One of the codes that JSON-RPC leaves to servers, and that MCP does not use."""

CODES: Mapping[ProblemKind, int] = {
    **dict.fromkeys(ProblemKind, REFUSED),
    ProblemKind.INVALID: INVALID_REQUEST,
    ProblemKind.NOT_FOUND: INVALID_REQUEST,
    ProblemKind.NOT_ALLOWED: INVALID_REQUEST,
    ProblemKind.TOO_LARGE: INVALID_REQUEST,
    ProblemKind.INTERNAL: INTERNAL_ERROR,
}


class Details(BaseModel):
    code: ProblemKind
    retryable: bool
    retry_after: int | None
    trace_id: str


class ErrorOut(BaseModel):
    code: int
    message: str
    data: Details


class ErrorBody(BaseModel):
    jsonrpc: Literal["2.0"] = "2.0"
    id: None = None
    error: ErrorOut


def render(problem: Problem) -> Response:
    retry_after = problem.retry_after_seconds
    details = Details(
        code=problem.kind, retryable=problem.retryable, retry_after=retry_after, trace_id=problem.trace_id
    )
    error = ErrorOut(code=CODES[problem.kind], message=problem.message, data=details)
    return Response(
        ErrorBody(error=error).model_dump_json(),
        status_code=problem.status,
        headers=None if retry_after is None else {"Retry-After": str(retry_after)},
        media_type="application/json",
    )
