"""Everything an exam found out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from glossator.exam.curves import Threshold, refusal_curve, reliability
from glossator.exam.measure import judged, measure, scored
from glossator.exam.question import Kind, Reply, of_kind
from glossator.model import Manifest
from glossator.model.fit import Bin


@dataclass(frozen=True, slots=True)
class KindSummary:
    kind: Kind
    asked: int
    answered: int
    right: int
    """Answered from the right page where there is an answer, refused where there is none."""


@dataclass(frozen=True, slots=True)
class ToldElsewhere:
    """Of the questions left out, those that another section tells too: an answer is right if it cites it."""

    asked: int
    answered: int
    cites_it: int


@dataclass(frozen=True, slots=True)
class ExamReport:
    book: str
    generation: int
    model: str
    pages: int
    chunks: int
    sections: int
    seconds: float
    metrics: Mapping[str, float | None]
    kinds: Sequence[KindSummary]
    told_elsewhere: ToldElsewhere
    reliability: Sequence[Bin]
    refusal_curve: Sequence[Threshold]
    replies: Sequence[Reply]


def report_of(manifest: Manifest, sections: int, replies: Sequence[Reply], seconds: float) -> ExamReport:
    return ExamReport(
        book=manifest.book,
        generation=manifest.generation,
        model=manifest.embedder.name,
        pages=len(manifest.pages),
        chunks=manifest.chunks,
        sections=sections,
        seconds=round(seconds, 1),
        metrics=measure(replies),
        kinds=[_summary(kind, some) for kind in Kind if (some := _counted(replies, kind))],
        told_elsewhere=_told_elsewhere([reply for reply in replies if reply.is_told_elsewhere]),
        reliability=reliability(scored(replies)),
        refusal_curve=refusal_curve(judged(replies)),
        replies=replies,
    )


def _counted(replies: Sequence[Reply], kind: Kind) -> list[Reply]:
    return [reply for reply in of_kind(replies, kind) if not reply.is_told_elsewhere]


def _summary(kind: Kind, replies: Sequence[Reply]) -> KindSummary:
    return KindSummary(
        kind=kind,
        asked=len(replies),
        answered=sum(reply.is_answered for reply in replies),
        right=sum(is_right(reply) for reply in replies),
    )


def is_right(reply: Reply) -> bool:
    if not reply.question.is_answerable:
        return not reply.is_answered
    if not reply.is_answered or reply.has_answer is False:
        return False
    return reply.cites_page or not reply.question.places


def _told_elsewhere(replies: Sequence[Reply]) -> ToldElsewhere:
    answered = [reply for reply in replies if reply.is_answered]
    return ToldElsewhere(len(replies), len(answered), sum(reply.cites_page for reply in answered))
