"""What the pipeline contract answers with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, PlainSerializer

from glossator.engine import Chapter
from glossator.engine.health import Dependency, Probe
from glossator.model import Answer
from glossator.web.contracts.pipeline.agents import AgentResponse
from glossator.web.rendition import link_of, score_of, text_of

# Nothing is kept here, so whether the database is there makes no difference.
_NAMES = {Dependency.INDEX: "qdrant", Dependency.WRITER: "openai", Dependency.EMBEDDER: "embedder"}


def _zulu(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


Moment = Annotated[datetime, PlainSerializer(_zulu, return_type=str)]


class QueryReply(BaseModel):
    answer: str
    sources: list[str] = Field(
        description="Where the cited sections stand, as their paths on the site: `chapter/section`."
    )
    source_urls: list[str] = Field(description="Their addresses, in the same order.")
    confidence: float = Field(ge=0, le=1)
    processing_time_ms: float = Field(gt=0)
    trace: list[AgentResponse] | None = Field(
        default=None, description="Only for an operator's key that sends `X-Glossator-Trace: 1`."
    )

    @classmethod
    def of(cls, answer: Answer, trace: Sequence[AgentResponse] | None) -> QueryReply:
        urls = list(dict.fromkeys(map(link_of, answer.citations)))
        places = {one.n: urls.index(link_of(one)) + 1 for one in answer.citations}
        reply = cls(
            answer=text_of(answer, places),
            sources=[path_of(url) for url in urls],
            source_urls=urls,
            confidence=score_of(answer),
            processing_time_ms=max(answer.timings["total"], 0.001),
        )
        return reply if trace is None else reply.model_copy(update={"trace": trace})


class ChapterTold(BaseModel):
    id: str
    title: str
    sections: list[str]
    url: str


class ChaptersReply(BaseModel):
    chapters: list[ChapterTold]
    total_count: int

    @classmethod
    def of(cls, chapters: Sequence[Chapter]) -> ChaptersReply:
        told = [
            ChapterTold(id=one.id, title=one.title, sections=list(one.sections), url=one.url)
            for one in chapters
        ]
        return cls(chapters=told, total_count=len(told))


class DependencyHealth(BaseModel):
    status: Literal["up", "down"]
    latency_ms: float


class HealthReply(BaseModel):
    status: Literal["healthy", "degraded"]
    dependencies: dict[str, DependencyHealth]
    timestamp: Moment

    @classmethod
    def of(cls, probes: Mapping[Dependency, Probe], at: datetime) -> HealthReply:
        needed = {_NAMES[name]: probe for name, probe in probes.items() if name in _NAMES}
        return cls(
            status="healthy" if all(probe.is_up for probe in needed.values()) else "degraded",
            dependencies={
                name: DependencyHealth(status="up" if probe.is_up else "down", latency_ms=probe.latency_ms)
                for name, probe in needed.items()
            },
            timestamp=at,
        )


def path_of(url: str) -> str:
    """Below the site's root, with the section's anchor: whatever else is in the address, the site knows."""
    parts = urlsplit(url)
    return parts.path.strip("/") + (f"#{parts.fragment}" if parts.fragment else "")
