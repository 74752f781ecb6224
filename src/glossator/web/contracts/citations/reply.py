"""What is answered."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from glossator.answer.cite import lines_of
from glossator.engine.health import Dependency, Probe
from glossator.model import Answer, Citation, KeptExchange, Selection, Span
from glossator.web.contracts.citations.request import Mode

LONGEST_CHUNK_TEXT = 500
NO_MODEL = "none"
"""Where nothing was written, as in small talk and most refusals."""

_SLOW_MS = 1000.0

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]
Line = Annotated[int, Field(ge=1)]
Milliseconds = Annotated[float, Field(ge=0)]


class SourceCitation(BaseModel):
    source_url: str
    page_title: str
    section_heading: str
    chunk_text: str = Field(
        max_length=LONGEST_CHUNK_TEXT, description="The cited words, as the page has them."
    )
    relevance_score: Share

    @classmethod
    def of(cls, citation: Citation) -> SourceCitation:
        return cls(
            source_url=citation.url,
            page_title=citation.page_title,
            section_heading=citation.section or "Introduction",
            chunk_text=citation.quote[:LONGEST_CHUNK_TEXT],
            relevance_score=citation.similarity,
        )


class SelectedTextCitation(SourceCitation):
    char_start: Count
    char_end: Count = Field(
        description="`selected_text[char_start:char_end]` are the cited words, all of them."
    )
    line_start: Line
    line_end: Line

    @classmethod
    def within(cls, selection: Selection, citation: Citation) -> SelectedTextCitation:
        lines = lines_of(selection.text, Span(citation.start, citation.end))
        return cls(
            source_url="selected_text",
            page_title="User Selection",
            section_heading="User Selection",
            chunk_text=citation.quote[:LONGEST_CHUNK_TEXT],
            relevance_score=citation.similarity,
            char_start=citation.start,
            char_end=citation.end,
            line_start=lines.start,
            line_end=lines.end,
        )


Sources = Sequence[SelectedTextCitation | SourceCitation]


class ResponseMetadata(BaseModel):
    query_time_ms: Milliseconds
    chunks_retrieved: Count
    model: str = Field(description=f"What wrote the answer; `{NO_MODEL}` where nothing was written.")

    @classmethod
    def of(cls, answer: Answer) -> ResponseMetadata:
        return cls(
            query_time_ms=answer.timings["total"],
            chunks_retrieved=chunks_of(answer),
            model=answer.model or NO_MODEL,
        )


class ChatReply(BaseModel):
    answer: str
    sources: Sources = Field(description="In the order of the marks: `[1]` is the first one.")
    mode: Mode
    metadata: ResponseMetadata

    @classmethod
    def of(cls, answer: Answer, mode: Mode, selection: Selection | None) -> ChatReply:
        return cls(
            answer=words_of(answer),
            sources=sources_of(answer, selection),
            mode=mode,
            metadata=ResponseMetadata.of(answer),
        )


class ChunkEvent(BaseModel):
    type: Literal["chunk"] = "chunk"
    content: str


class SourcesEvent(BaseModel):
    type: Literal["sources"] = "sources"
    sources: Sources


class DoneEvent(BaseModel):
    type: Literal["done"] = "done"
    metadata: ResponseMetadata


class Conversation(BaseModel):
    """One question and its answer."""

    id: str
    session_id: str
    query: str
    response: str
    sources: Sources
    mode: Mode
    selected_text: str | None
    chunks_retrieved: Count
    latency_ms: Milliseconds
    created_at: datetime

    @classmethod
    def of(cls, kept: KeptExchange) -> Conversation:
        selection = kept.selection
        return cls(
            id=kept.id,
            session_id=kept.session_id,
            query=kept.question,
            response=words_of(kept.answer),
            sources=sources_of(kept.answer, selection),
            mode=Mode.SELECTED_TEXT if selection else Mode.GENERAL,
            selected_text=selection.text if selection else None,
            chunks_retrieved=chunks_of(kept.answer),
            latency_ms=kept.latency_ms,
            created_at=kept.answered_at,
        )


class Message(BaseModel):
    role: Literal["user", "assistant"]
    content: str
    timestamp: datetime
    sources: Sources | None = Field(description="Of an answer; null where a reader speaks.")


class Messages(BaseModel):
    messages: Sequence[Message] = Field(description="The last ones, oldest first.")
    total: Count = Field(description="How many these are.")

    @classmethod
    def of(cls, kept: Sequence[KeptExchange]) -> Messages:
        messages = [message for one in kept for message in _messages(one)]
        return cls(messages=messages, total=len(messages))


class ServiceStatus(BaseModel):
    status: Literal["up", "down", "degraded"] = Field(description="`degraded`: it answers, but slowly.")
    latency_ms: Milliseconds | None
    message: str | None

    @classmethod
    def of(cls, probe: Probe) -> ServiceStatus:
        slowly = "degraded" if probe.latency_ms > _SLOW_MS else "up"
        return cls(
            status=slowly if probe.is_up else "down", latency_ms=probe.latency_ms, message=probe.message
        )


_NAMES = {
    Dependency.INDEX: "qdrant",
    Dependency.EMBEDDER: "embedder",
    Dependency.WRITER: "openai",
    Dependency.RECORDS: "postgresql",
}


class HealthReply(BaseModel):
    status: Literal["healthy", "degraded", "unhealthy"] = Field(
        description="`unhealthy`: no question about the book can be answered."
    )
    services: Mapping[str, ServiceStatus]
    timestamp: datetime

    @classmethod
    def of(
        cls, probes: Mapping[Dependency, Probe], at: datetime, needed: Collection[Dependency]
    ) -> HealthReply:
        """Unhealthy without any of what is needed."""
        services = {name: ServiceStatus.of(probes[one]) for one, name in _NAMES.items() if one in probes}
        is_answering = all(probe.is_up for one, probe in probes.items() if one in needed)
        is_well = all(service.status == "up" for service in services.values())
        status = "healthy" if is_well else "degraded" if is_answering else "unhealthy"
        return cls(status=status, services=services, timestamp=at)


def words_of(answer: Answer) -> str:
    """The contract has no other place for a disclaimer."""
    return f"{answer.text}\n\n{answer.disclaimer}" if answer.disclaimer else answer.text


def sources_of(answer: Answer, selection: Selection | None) -> Sources:
    if selection is None:
        return [SourceCitation.of(one) for one in answer.citations]
    return [SelectedTextCitation.within(selection, one) for one in answer.citations]


def chunks_of(answer: Answer) -> int:
    """Those that were found; the cited ones where nothing had to be searched for."""
    return answer.confidence.metrics.num_chunks if answer.confidence else len(answer.citations)


def _messages(kept: KeptExchange) -> Iterator[Message]:
    told = Conversation.of(kept)
    yield Message(role="user", content=told.query, timestamp=kept.asked_at, sources=None)
    yield Message(role="assistant", content=told.response, timestamp=kept.answered_at, sources=told.sources)
