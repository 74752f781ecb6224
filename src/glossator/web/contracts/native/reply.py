"""Replies of the native contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from pydantic import BaseModel

from glossator.answer.book import Chapter, SearchOutcome
from glossator.model import (
    Answer,
    BookIndex,
    Chunk,
    Citation,
    Claim,
    Confidence,
    ErasedReader,
    Grounding,
    Hit,
    KeptExchange,
    Outcome,
    Scores,
    Session,
    SessionState,
    Suggestion,
    Verdict,
)


class SessionOut(BaseModel):
    id: str
    token: str | None = None


class AnswerOut(BaseModel):
    id: str
    outcome: Outcome
    text: str
    claims: Sequence[Claim]
    citations: Sequence[Citation]
    confidence: Confidence | None
    grounding: Grounding
    suggestions: Sequence[Suggestion]
    disclaimer: str | None
    writer: str | None
    model: str | None
    index: BookIndex | None
    timings: Mapping[str, float]

    @classmethod
    def of(cls, answer: Answer) -> AnswerOut:
        return cls.model_construct(**_answer(answer))


class AskReply(AnswerOut):
    session: SessionOut | None
    trace_id: str

    @classmethod
    def with_session(cls, answer: Answer, session: SessionOut | None, trace_id: str) -> AskReply:
        return cls.model_construct(**_answer(answer), session=session, trace_id=trace_id)


class StatusEvent(BaseModel):
    stage: str
    session: SessionOut | None


class HitOut(BaseModel):
    chunk_id: str
    page: str
    chapter: str
    section: str
    url: str
    similarity: float

    @classmethod
    def of(cls, hit: Hit) -> HitOut:
        return cls.model_construct(**_location(hit))


class FoundEvent(BaseModel):
    hits: Sequence[HitOut]


class ClaimEvent(BaseModel):
    text: str
    verdict: Verdict
    citations: Sequence[int]


class SearchHit(BaseModel):
    chunk_id: str
    text: str
    page: str
    chapter: str
    section: str
    url: str
    chunk_index: int
    content_hash: str
    token_count: int
    similarity: float
    scores: Scores
    start: int
    end: int

    @classmethod
    def of(cls, hit: Hit) -> SearchHit:
        chunk = hit.chunk
        return cls.model_construct(
            **_location(hit),
            text=chunk.text,
            chunk_index=chunk.index,
            content_hash=chunk.content_hash,
            token_count=chunk.token_count,
            scores=hit.scores,
            start=chunk.start,
            end=chunk.end,
        )


class SearchReply(BaseModel):
    query: str
    hits: Sequence[SearchHit]
    total_results: int
    average_score: float
    has_sufficient_context: bool
    confidence: Confidence
    retrieval_time_ms: float
    timestamp: datetime
    query_embedding: Sequence[float] | None = None

    @classmethod
    def of(cls, outcome: SearchOutcome, at: datetime) -> SearchReply:
        metrics = outcome.confidence.metrics
        vector = outcome.embedding
        return cls.model_construct(
            query=outcome.query,
            hits=[SearchHit.of(hit) for hit in outcome.hits],
            total_results=len(outcome.hits),
            average_score=metrics.average_similarity,
            has_sufficient_context=metrics.has_sufficient_context,
            confidence=outcome.confidence,
            retrieval_time_ms=round(outcome.milliseconds, 3),
            timestamp=at,
            query_embedding=None if vector is None else [float(value) for value in vector],
        )


class ChapterOut(BaseModel):
    id: str
    title: str
    sections: Sequence[str]
    url: str


class ChaptersReply(BaseModel):
    chapters: Sequence[ChapterOut]
    total_count: int

    @classmethod
    def of(cls, chapters: Sequence[Chapter]) -> ChaptersReply:
        return cls(
            chapters=[
                ChapterOut(id=chapter.id, title=chapter.title, sections=chapter.sections, url=chapter.url)
                for chapter in chapters
            ],
            total_count=len(chapters),
        )


class QuestionsReply(BaseModel):
    book: str
    """Its title."""
    questions: Sequence[str]


class SectionReply(BaseModel):
    chunk_id: str
    text: str
    page: str
    page_title: str
    chapter: str
    section: str
    url: str
    chunk_index: int
    content_hash: str
    token_count: int
    start: int
    end: int

    @classmethod
    def of(cls, chunk: Chunk) -> SectionReply:
        section = chunk.sections[0]
        return cls.model_construct(
            chunk_id=chunk.chunk_id,
            text=chunk.text,
            page=chunk.page,
            page_title=chunk.page_title,
            chapter=chunk.chapter,
            section=section.title,
            url=chunk.url_of(section),
            chunk_index=chunk.index,
            content_hash=chunk.content_hash,
            token_count=chunk.token_count,
            start=chunk.start,
            end=chunk.end,
        )


class ExchangeOut(BaseModel):
    id: str
    question: str
    selection: str | None
    asked_at: datetime
    answered_at: datetime
    answer: AnswerOut

    @classmethod
    def of(cls, exchange: KeptExchange) -> ExchangeOut:
        return cls.model_construct(
            id=exchange.id,
            question=exchange.question,
            selection=exchange.selection.text if exchange.selection else None,
            asked_at=exchange.asked_at,
            answered_at=exchange.answered_at,
            answer=AnswerOut.of(exchange.answer),
        )


class SessionReply(BaseModel):
    id: str
    token: str | None
    state: SessionState
    created_at: datetime
    updated_at: datetime
    archived_at: datetime | None
    user: str | None
    topic_summary: str | None
    metadata: Mapping[str, object]
    exchanges: Sequence[ExchangeOut]

    @classmethod
    def of(cls, session: Session, exchanges: Sequence[KeptExchange], token: str | None) -> SessionReply:
        return cls.model_construct(
            id=session.id,
            token=token,
            state=session.state,
            created_at=session.created_at,
            updated_at=session.updated_at,
            archived_at=session.archived_at,
            user=session.owner.user,
            topic_summary=session.topic_summary or None,
            metadata=session.metadata,
            exchanges=[ExchangeOut.of(exchange) for exchange in exchanges],
        )


class ErasedReply(BaseModel):
    user: str
    erased: ErasedReader
    at: datetime


def _answer(answer: Answer) -> dict[str, Any]:
    """Prepared for `model_construct`: our own values are valid, so pydantic need not validate them again."""
    return {field.name: getattr(answer, field.name) for field in fields(answer) if field.name != "trace"}


def _location(hit: Hit) -> dict[str, Any]:
    return {
        "chunk_id": hit.chunk.chunk_id,
        "page": hit.chunk.page,
        "chapter": hit.chunk.chapter,
        "section": hit.passage.section.title,
        "url": hit.passage.url,
        "similarity": hit.similarity,
    }
