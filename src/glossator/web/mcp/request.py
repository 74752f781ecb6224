"""What the tools take."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from math import ceil
from typing import Annotated, Literal

from fastapi import Response
from mcp_types import INTERNAL_ERROR, INVALID_REQUEST
from pydantic import BaseModel, Field, StringConstraints

from glossator.answer.book import Chapter, SearchOutcome
from glossator.answer.validate import LONGEST_QUESTION, MOST_HITS
from glossator.model import Answer, Chunk, Citation, Filters, Hit, Level, Outcome, Question, Suggestion
from glossator.web.problem import Problem, ProblemKind

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


# What the tools give: values for programs, and the same as a text for those who read.


class ToolResult(BaseModel):
    @abstractmethod
    def to_text(self) -> str: ...


class ToolPlace(BaseModel):
    """Where something stands in the book."""

    chunk_id: str = Field(description="What read_section takes.")
    chapter: str
    section: str
    url: str

    def to_line(self) -> str:
        title = " › ".join(dict.fromkeys(name for name in (self.chapter, self.section) if name))
        return f"{title}\n   {self.url}\n   chunk_id: {self.chunk_id}"


class HitOut(ToolPlace):
    similarity: float = Field(description="0 to 1: how likely it is to bear on the query.")
    text: str = Field(description="Markdown, as the page has it.")

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
    confidence: Level = Field(description="Whether an answer could rest on the hits.")
    hits: Sequence[HitOut] = Field(description="The best one first.")

    @classmethod
    def of(cls, searched: SearchOutcome) -> HitsOut:
        return cls(confidence=searched.confidence.level, hits=[HitOut.of(hit) for hit in searched.hits])

    def to_text(self) -> str:
        if not self.hits:
            return "Nothing was found in the book."
        told = [
            f"{n}. {hit.to_line()}\n   similarity: {hit.similarity}\n\n{hit.text}"
            for n, hit in enumerate(self.hits, 1)
        ]
        return "\n\n".join([f"Confidence: {self.confidence}", *told])


class CitationOut(ToolPlace):
    n: int = Field(description="The mark in the text.")
    quote: str = Field(description="The words of the book that carry what is said.")

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
        default=None, description="0 to 1: whether the book carries the answer; none for small talk."
    )
    disclaimer: str | None = None
    suggestions: Sequence[SuggestionOut] = Field(description="Sections to look at where nothing is answered.")

    @classmethod
    def of(cls, answer: Answer) -> AnswerOut:
        return cls(
            outcome=answer.outcome,
            text=answer.text,
            citations=[CitationOut.of(one) for one in answer.citations],
            confidence=answer.confidence.score if answer.confidence else None,
            disclaimer=answer.disclaimer,
            suggestions=[SuggestionOut.of(one) for one in answer.suggestions],
        )

    def to_text(self) -> str:
        sources = [f"[{one.n}] {one.to_line()}" for one in self.citations]
        nearest = [f"- {one.title}\n   {one.url}\n   chunk_id: {one.chunk_id}" for one in self.suggestions]
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
    text: str = Field(description="Markdown, as the page has it.")

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


class ChaptersOut(ToolResult):
    chapters: Sequence[ChapterOut] = Field(description="In reading order.")

    @classmethod
    def of(cls, chapters: Sequence[Chapter]) -> ChaptersOut:
        return cls(chapters=[ChapterOut.of(chapter) for chapter in chapters])

    def to_text(self) -> str:
        told = [
            "\n".join([f"{n}. {one.title}\n   {one.url}", *(f"   - {section}" for section in one.sections)])
            for n, one in enumerate(self.chapters, 1)
        ]
        return "\n".join(told)


# What is said to a request that reaches no tool, as an error of JSON-RPC.

REFUSED = -32050
"""Of those that JSON-RPC leaves to servers, one that the protocol does not use itself."""

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
    after = None if problem.retry_after is None else max(1, ceil(problem.retry_after))
    details = Details(
        code=problem.kind, retryable=problem.retryable, retry_after=after, trace_id=problem.trace_id
    )
    told = ErrorOut(code=CODES[problem.kind], message=problem.message, data=details)
    return Response(
        ErrorBody(error=told).model_dump_json(),
        status_code=problem.status,
        headers=None if after is None else {"Retry-After": str(after)},
        media_type="application/json",
    )
