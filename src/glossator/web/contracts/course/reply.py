"""What the course contract answers with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, Field, PlainSerializer

from glossator.engine.health import Dependency, Probe
from glossator.model import Answer, Citation, KeptExchange, Session
from glossator.web.rendition import is_of_selection, link_of, text_of

_NAMES = {
    Dependency.INDEX: "qdrant",
    Dependency.WRITER: "openai",
    Dependency.RECORDS: "postgresql",
    Dependency.EMBEDDER: "embedder",
}


SELECTED, SELECTION = "selected_text", "User Selection"
"""The page and the section of what stands in the selection alone."""


def _zulu(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


Moment = Annotated[datetime, PlainSerializer(_zulu, return_type=str)]


class Source(BaseModel):
    page: str = Field(
        description=f"A file of the book, from its root: `*.md` or `*.mdx`; `{SELECTED}` for the selection."
    )
    section: str
    url: str
    relevance_score: float = Field(ge=0, le=1)


class ChatReply(BaseModel):
    response: str
    sources: list[Source]
    session_id: str

    @classmethod
    def of(cls, answer: Answer, session_id: str) -> ChatReply:
        return cls(response=_text(answer), sources=_sources(answer), session_id=session_id)


class Metadata(BaseModel):
    """What there is of it; the rest is left out."""

    selected_text: str | None = None
    sources: list[str] | None = Field(default=None, description="Their pages, the best one first.")

    @classmethod
    def of(cls, kept: KeptExchange, pages: Sequence[str] = ()) -> Metadata | None:
        told = dict[str, Any]()
        if kept.selection:
            told["selected_text"] = kept.selection.text
        if pages:
            told["sources"] = pages
        return cls(**told) if told else None


class Message(BaseModel):
    role: Literal["user", "assistant"]
    content: str
    timestamp: Moment
    metadata: Metadata | None

    @classmethod
    def both(cls, kept: KeptExchange) -> Iterator[Message]:
        pages = [source.page for source in _sources(kept.answer)]
        yield cls(role="user", content=kept.question, timestamp=kept.asked_at, metadata=Metadata.of(kept))
        yield cls(
            role="assistant",
            content=_text(kept.answer),
            timestamp=kept.answered_at,
            metadata=Metadata.of(kept, pages),
        )


class HistoryReply(BaseModel):
    messages: list[Message]
    session_id: str
    metadata: Mapping[str, object] = Field(description="As the session was opened with it.")

    @classmethod
    def of(cls, kept: Sequence[KeptExchange], limit: int, session: Session) -> HistoryReply:
        messages = [message for one in kept for message in Message.both(one)]
        return cls(messages=messages[-limit:], session_id=session.id, metadata=session.metadata)


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


class _Place(NamedTuple):
    page: str
    section: str
    url: str


def _text(answer: Answer) -> str:
    """Its marks count the sources."""
    order = {place: number for number, place in enumerate(_ranked(answer), 1)}
    return text_of(answer, {one.n: order[_place(one)] for one in answer.citations})


def _sources(answer: Answer) -> list[Source]:
    return [
        Source(page=place.page, section=place.section, url=place.url, relevance_score=score)
        for place, score in _ranked(answer).items()
    ]


def _ranked(answer: Answer) -> Mapping[_Place, float]:
    """The sections that are cited, by the best score of each; of equals, the one that is cited first."""
    scores = dict[_Place, float]()
    for one in answer.citations:
        score = min(max(one.similarity, 0.0), 1.0)
        scores[_place(one)] = max(score, scores.get(_place(one), 0.0))
    return dict(sorted(scores.items(), key=lambda item: -item[1]))


def _place(citation: Citation) -> _Place:
    if is_of_selection(citation):
        return _Place(SELECTED, SELECTION, "")
    return _Place(citation.page, citation.section or citation.page_title, link_of(citation))
