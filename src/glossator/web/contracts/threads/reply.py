"""What is answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from glossator.engine.health import Dependency, Probe
from glossator.model import Answer, Citation, KeptExchange, Level, Outcome, Session

LONGEST_CHUNK_TEXT = 500
LONGEST_SUMMARY = 200

Share = Annotated[float, Field(ge=0, le=1)]

_ANSWERED = (Outcome.ANSWERED, Outcome.ANSWERED_WITH_CAUTION)


class Source(BaseModel):
    chunk_text: str = Field(
        max_length=LONGEST_CHUNK_TEXT, description="The cited words, as the page has them."
    )
    similarity_score: Share
    chapter: str
    section: str
    url: str
    chunk_index: Annotated[int, Field(ge=0)]

    @classmethod
    def of(cls, citation: Citation) -> Source:
        return cls(
            chunk_text=citation.quote[:LONGEST_CHUNK_TEXT],
            similarity_score=citation.similarity,
            chapter=citation.chapter,
            section=citation.section,
            url=citation.url,
            chunk_index=int(citation.chunk_id.rpartition("#")[2]),
        )


class ChatReply(BaseModel):
    response: Annotated[str, Field(min_length=1)]
    confidence: Share
    sources: Sequence[Source] = Field(description="In the order of the marks: `[1]` is the first one.")
    session_id: str
    timestamp: datetime
    confidence_level: Level
    should_answer: bool

    @classmethod
    def of(cls, answer: Answer, session_id: str, at: datetime) -> ChatReply:
        score, level = judged(answer)
        return cls(
            response=words_of(answer),
            confidence=score,
            sources=[Source.of(one) for one in answer.citations] if answer.outcome in _ANSWERED else [],
            session_id=session_id,
            timestamp=at,
            confidence_level=level,
            should_answer=level is not Level.INSUFFICIENT,
        )


class TokenEvent(BaseModel):
    type: Literal["token"] = "token"
    content: str


class DoneEvent(BaseModel):
    type: Literal["done"] = "done"
    metadata: ChatReply


class UserMessage(BaseModel):
    role: Literal["user"] = "user"
    content: str
    timestamp: datetime


class AssistantMessage(BaseModel):
    role: Literal["assistant"] = "assistant"
    content: str
    timestamp: datetime
    confidence: Share


Message = Annotated[UserMessage | AssistantMessage, Field(discriminator="role")]


class Thread(BaseModel):
    thread_id: str
    messages: Sequence[Message] = Field(description="The last ones, oldest first.")
    created_at: datetime
    updated_at: datetime
    topic_summary: Annotated[str, Field(max_length=LONGEST_SUMMARY)] | None
    metadata: Mapping[str, object]

    @classmethod
    def of(cls, session: Session, kept: Sequence[KeptExchange]) -> Thread:
        return cls(
            thread_id=session.id,
            messages=[message for exchange in kept for message in _messages(exchange)],
            created_at=session.created_at,
            updated_at=session.updated_at,
            topic_summary=session.topic_summary[:LONGEST_SUMMARY] or None,
            metadata=session.metadata,
        )


class DependencyTold(BaseModel):
    status: Literal["up", "down"]
    latency_ms: Annotated[float, Field(ge=0)]

    @classmethod
    def of(cls, probe: Probe) -> DependencyTold:
        return cls(status="up" if probe.is_up else "down", latency_ms=probe.latency_ms)


class DependenciesTold(BaseModel):
    qdrant: DependencyTold = Field(description="The index, embedded or on a server.")
    openai: DependencyTold = Field(description="The writer in use.")
    postgresql: DependencyTold = Field(description="The database in use.")


class HealthReply(BaseModel):
    status: Literal["healthy", "degraded"]
    dependencies: DependenciesTold
    timestamp: datetime

    @classmethod
    def of(cls, probes: Mapping[Dependency, Probe], at: datetime) -> HealthReply:
        """Whatever is down degrades it, the embedder too, which has no name in this contract."""
        return cls(
            status="healthy" if all(probe.is_up for probe in probes.values()) else "degraded",
            dependencies=DependenciesTold(
                qdrant=DependencyTold.of(probes[Dependency.INDEX]),
                openai=DependencyTold.of(probes[Dependency.WRITER]),
                postgresql=DependencyTold.of(probes[Dependency.RECORDS]),
            ),
            timestamp=at,
        )


def words_of(answer: Answer) -> str:
    """The contract has no other place for a disclaimer."""
    return f"{answer.text}\n\n{answer.disclaimer}" if answer.disclaimer else answer.text


def judged(answer: Answer) -> tuple[float, Level]:
    """Only `insufficient` refuses, and whatever is no answer is insufficient, small talk too.

    What is told from the table of contents needs no judgement: it stands there.
    """
    confidence = answer.confidence
    if answer.outcome not in _ANSWERED:
        is_doubted = confidence is not None and not confidence.should_answer
        return (confidence.score if confidence and is_doubted else 0.0), Level.INSUFFICIENT
    if confidence is None:
        return 1.0, Level.HIGH
    return confidence.score, Level.LOW if confidence.level is Level.INSUFFICIENT else confidence.level


def _messages(kept: KeptExchange) -> Iterator[Message]:
    score, _ = judged(kept.answer)
    yield UserMessage(content=kept.question, timestamp=kept.asked_at)
    yield AssistantMessage(content=words_of(kept.answer), timestamp=kept.answered_at, confidence=score)
