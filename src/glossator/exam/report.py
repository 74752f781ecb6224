"""The report of an exam, and the goals that its metrics must reach."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from glossator.errors import SettingsError
from glossator.exam.measure import (
    SMALLER_IS_BETTER,
    Threshold,
    answerability_scores,
    measure,
    metric_names,
    refusal_curve,
    reliability,
    support_scores,
)
from glossator.exam.question import ExamKind, ExamReply, of_kind
from glossator.exam.twins import Change, CheckedTwin
from glossator.model import Manifest
from glossator.model.search import Bin


@dataclass(frozen=True, slots=True)
class KindSummary:
    kind: ExamKind
    asked: int
    answered: int
    right: int
    """Answered with the fact or from the right place; refused where the book has no answer."""


@dataclass(frozen=True, slots=True)
class TwinSummary:
    change: Change
    checked: int
    shown: int
    """Faithful sentences that the verifier accepts."""
    believed: int
    """False sentences that the verifier accepts."""


@dataclass(frozen=True, slots=True)
class StatedElsewhere:
    """Left-out questions that another section answers too: an answer is right if it cites that section."""

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
    stated_elsewhere: StatedElsewhere
    reliability: Sequence[Bin]
    refusal_curve: Sequence[Threshold]
    twin_changes: Sequence[TwinSummary]
    replies: Sequence[ExamReply]
    twins: Sequence[CheckedTwin]


def report_of(
    manifest: Manifest,
    sections: int,
    replies: Sequence[ExamReply],
    twins: Sequence[CheckedTwin],
    seconds: float,
) -> ExamReport:
    return ExamReport(
        book=manifest.book,
        generation=manifest.generation,
        model=manifest.embedder.name,
        pages=len(manifest.pages),
        chunks=manifest.chunks,
        sections=sections,
        seconds=round(seconds, 1),
        metrics=measure(replies, twins),
        kinds=[_summary(kind, counted) for kind in ExamKind if (counted := _counted(replies, kind))],
        stated_elsewhere=_stated_elsewhere([reply for reply in replies if reply.is_stated_elsewhere]),
        reliability=reliability(support_scores(replies)),
        refusal_curve=refusal_curve(answerability_scores(replies)),
        twin_changes=[
            _twin_summary(change, changed)
            for change in Change
            if (changed := [twin for twin in twins if twin.change is change])
        ],
        replies=replies,
        twins=twins,
    )


def _counted(replies: Sequence[ExamReply], kind: ExamKind) -> list[ExamReply]:
    return [reply for reply in of_kind(replies, kind) if not reply.is_stated_elsewhere]


def _summary(kind: ExamKind, replies: Sequence[ExamReply]) -> KindSummary:
    return KindSummary(
        kind=kind,
        asked=len(replies),
        answered=sum(reply.is_answered for reply in replies),
        right=sum(reply.is_right for reply in replies),
    )


def _twin_summary(change: Change, twins: Sequence[CheckedTwin]) -> TwinSummary:
    return TwinSummary(
        change=change,
        checked=len(twins),
        shown=sum(twin.is_shown for twin in twins),
        believed=sum(twin.is_believed for twin in twins),
    )


def _stated_elsewhere(replies: Sequence[ExamReply]) -> StatedElsewhere:
    answered = [reply for reply in replies if reply.is_answered]
    return StatedElsewhere(len(replies), len(answered), sum(reply.cites_page for reply in answered))


@dataclass(frozen=True, slots=True)
class MetricGoal:
    metric: str
    value: float

    @classmethod
    def of(cls, pair: str) -> MetricGoal:
        metric, equals, value = pair.partition("=")
        if metric not in metric_names():
            raise SettingsError(f"There is no metric {metric!r}; there are {', '.join(metric_names())}.")
        try:
            return cls(metric, float(value))
        except ValueError as error:
            problem = f"{value!r} is not a number" if equals else "it needs a value"
            raise SettingsError(f"--at-least {pair}: {problem}, as in {metric}=0.9.") from error


def missed_goals(goals: Sequence[MetricGoal], metrics: Mapping[str, float | None]) -> Iterator[str]:
    """One sentence for each goal that was not reached."""
    for goal in goals:
        value = metrics[goal.metric]
        if value is None:
            yield f"{goal.metric} was not measured: the book gave no question for it."
        elif goal.metric in SMALLER_IS_BETTER and value > goal.value:
            yield f"{goal.metric} is {value:g}, more than {goal.value:g}."
        elif goal.metric not in SMALLER_IS_BETTER and value < goal.value:
            yield f"{goal.metric} is {value:g}, less than {goal.value:g}."
