"""What the grounding contract answers with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field, PlainSerializer, model_validator

from glossator.engine.health import Dependency, Probe
from glossator.model import (
    Answer,
    Citation,
    Grounding,
    KeptExchange,
    ResponseState,
    Session,
    SessionState,
)
from glossator.web.contracts.grounding.request import ContextMode, FiltersSent, SessionRequest
from glossator.web.rendition import LONGEST_TEXT, is_of_selection, link_of, score_of, text_of

_USER_CONTEXT = "user_context"
_NAMES = {
    Dependency.INDEX: "qdrant",
    Dependency.WRITER: "openai",
    Dependency.RECORDS: "postgresql",
    Dependency.EMBEDDER: "embedder",
}


def _zulu(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


Moment = Annotated[datetime, PlainSerializer(_zulu, return_type=str)]


class Source(BaseModel):
    """A chunk of the book that the answer rests on, or the caller's own text."""

    content_id: str
    source_url: str
    chapter: str
    section: str | None

    @classmethod
    def of(cls, citation: Citation) -> Source:
        if is_of_selection(citation):
            return cls(content_id=_USER_CONTEXT, source_url="", chapter="", section=None)
        return cls(
            content_id=citation.chunk_id,
            source_url=link_of(citation),
            chapter=citation.chapter,
            section=citation.section or None,
        )


class GroundingValidation(BaseModel):
    is_fully_grounded: bool
    unsupported_claims: list[str]

    @model_validator(mode="after")
    def says_what_is_not_grounded(self) -> Self:
        if not self.is_fully_grounded and not self.unsupported_claims:
            raise ValueError("what is not fully grounded has unsupported claims")
        return self

    @classmethod
    def of(cls, grounding: Grounding) -> GroundingValidation:
        return cls(
            is_fully_grounded=grounding.is_fully_grounded,
            unsupported_claims=list(grounding.unsupported_claims),
        )


class ChatReply(BaseModel):
    response_text: str = Field(min_length=1, max_length=LONGEST_TEXT)
    sources: list[Source]
    confidence_score: float = Field(ge=0, le=1)
    grounding_validation: GroundingValidation
    conversation_id: str
    timestamp: Moment
    state: ResponseState = Field(description="`validated`, or `flagged` where a claim failed its check.")

    @classmethod
    def of(cls, answer: Answer, conversation_id: str, at: datetime) -> ChatReply:
        cited = _cited(answer)
        return cls(
            response_text=_text(answer),
            sources=[Source.of(citations[0]) for citations in cited.values()],
            confidence_score=score_of(answer),
            grounding_validation=GroundingValidation.of(answer.grounding),
            conversation_id=conversation_id,
            timestamp=at,
            state=ResponseState.VALIDATED if answer.grounding.is_fully_grounded else ResponseState.FLAGGED,
        )


class Message(BaseModel):
    role: Literal["user", "assistant"]
    content: str
    timestamp: Moment
    state: ResponseState | None = Field(description="Of an answer: `delivered`, or `flagged`.")

    @classmethod
    def both(cls, kept: KeptExchange) -> Iterator[Message]:
        yield cls(role="user", content=kept.question, timestamp=kept.asked_at, state=None)
        yield cls(
            role="assistant",
            content=_text(kept.answer),
            timestamp=kept.answered_at,
            state=kept.response_state,
        )


class SessionReply(BaseModel):
    session_id: str
    openai_thread_id: None = Field(default=None, description="The API it names is gone.")
    created_at: Moment
    last_interaction: Moment
    user_id: str | None
    context_mode: ContextMode
    active_filters: dict[str, list[str]] | None
    conversation_history: list[Message]
    state: SessionState

    @classmethod
    def of(cls, session: Session, kept: Sequence[KeptExchange]) -> SessionReply:
        opened = SessionRequest.of(session)
        return cls(
            session_id=session.id,
            created_at=session.created_at,
            last_interaction=session.updated_at,
            user_id=opened.user_id,
            context_mode=opened.context_mode or ContextMode(session.context_mode),
            active_filters=_active(opened.filters),
            conversation_history=[message for one in kept for message in Message.both(one)],
            state=session.state,
        )


class DependencyHealth(BaseModel):
    status: Literal["up", "down"]
    latency_ms: float


class HealthReply(BaseModel):
    status: Literal["healthy", "degraded"]
    dependencies: dict[str, DependencyHealth]
    timestamp: Moment

    @classmethod
    def of(cls, probes: Mapping[Dependency, Probe], at: datetime) -> HealthReply:
        return cls(
            status="healthy" if all(probe.is_up for probe in probes.values()) else "degraded",
            dependencies={
                _NAMES[name]: DependencyHealth(
                    status="up" if probe.is_up else "down", latency_ms=probe.latency_ms
                )
                for name, probe in probes.items()
            },
            timestamp=at,
        )


def _text(answer: Answer) -> str:
    """Its marks count the sources, of which there is one for each cited chunk."""
    cited = _cited(answer).values()
    return text_of(answer, {one.n: place for place, same in enumerate(cited, 1) for one in same})


def _cited(answer: Answer) -> Mapping[str, Sequence[Citation]]:
    """The citations by their chunk, in the order in which the text comes to them."""
    chunks = dict[str, list[Citation]]()
    for citation in answer.citations:
        chunks.setdefault(citation.chunk_id, []).append(citation)
    return chunks


def _active(filters: FiltersSent | None) -> dict[str, list[str]] | None:
    """Those that hold for every question of the session."""
    named = filters.to_filters().items() if filters else ()
    return {name: list(values) for name, values in named} or None
