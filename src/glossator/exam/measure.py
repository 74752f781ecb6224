"""The metrics of an exam, and the calibration of a score."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from glossator.exam.question import ExamKind, ExamReply, of_kind
from glossator.exam.twins import CheckedTwin
from glossator.model.search import Bin

DEPTHS = (1, 3, 5)
SMALLER_IS_BETTER = frozenset({"calibration_error", "latency_ms"})

Figure = Callable[[Sequence[ExamReply]], float | None]


def measure(replies: Sequence[ExamReply], twins: Sequence[CheckedTwin]) -> dict[str, float | None]:
    """Metrics by name; None where the book has no question to measure it on."""
    figures = {name: figure(replies) for name, figure in _figures().items()}
    figures["faithful_shown"] = _mean(twin.is_shown for twin in twins)
    figures["lies_caught"] = _mean(not twin.is_believed for twin in twins)
    return {name: None if value is None else round(value, 4) for name, value in figures.items()}


def metric_names() -> list[str]:
    return list(measure((), ()))


def support_scores(replies: Sequence[ExamReply]) -> Scored:
    """Confidence, and whether the evidence supported the answer."""
    return [
        (reply.confidence, reply.carried)
        for reply in replies
        if reply.confidence is not None and reply.carried is not None
    ]


def answerability_scores(replies: Sequence[ExamReply], *kinds: ExamKind) -> Scored:
    """Confidence, and whether the book has an answer; unanswerable questions only of `kinds`, if given."""
    return [
        (reply.confidence, reply.question.is_answerable)
        for reply in replies
        if reply.confidence is not None
        and not reply.is_stated_elsewhere
        and (reply.question.is_answerable or not kinds or reply.question.kind in kinds)
    ]


def _figures() -> Mapping[str, Figure]:
    return {**_retrieval(), **_citation(), **_right(), **_confidence()}


def _retrieval() -> dict[str, Figure]:
    figures = dict[str, Figure]()
    for depth in DEPTHS:
        figures[f"page_recall@{depth}"] = lambda replies, depth=depth: _recall(_page_ranks(replies), depth)
    for depth in DEPTHS:
        figures[f"section_recall@{depth}"] = lambda replies, depth=depth: _recall(
            _section_ranks(replies), depth
        )
    figures["page_mrr"] = lambda replies: _mean(1 / rank if rank else 0.0 for rank in _page_ranks(replies))
    figures["section_mrr"] = lambda replies: _mean(
        1 / rank if rank else 0.0 for rank in _section_ranks(replies)
    )
    return figures


def _citation() -> dict[str, Figure]:
    return {
        "citation_precision": lambda replies: _mean(
            cited.on_page for reply in _answered_with_place(replies) for cited in reply.citations
        ),
        "cites_page": lambda replies: _mean(reply.cites_page for reply in _answered_with_place(replies)),
        "cites_section": lambda replies: _mean(
            reply.cites_section for reply in _answered_with_place(replies) if reply.question.knows_section
        ),
        "has_fact": lambda replies: _mean(reply.has_fact for reply in replies if reply.is_answered),
    }


def _right() -> dict[str, Figure]:
    figures: dict[str, Figure] = {
        "answered": _answered_share,
        "refused": _refused_share,
        "right": _right_share,
    }
    for kind in ExamKind:
        figures[f"right_{kind}"] = lambda replies, kind=kind: _right_share(of_kind(replies, kind))
    return figures


def _confidence() -> dict[str, Figure]:
    return {
        "auroc": lambda replies: auroc(answerability_scores(replies)),
        "auroc_near": lambda replies: auroc(answerability_scores(replies, ExamKind.NEAR)),
        "auroc_foreign": lambda replies: auroc(answerability_scores(replies, ExamKind.FOREIGN)),
        "auroc_left_out": lambda replies: auroc(answerability_scores(replies, ExamKind.LEFT_OUT)),
        "calibration_error": lambda replies: calibration_error(reliability(support_scores(replies))),
        "latency_ms": lambda replies: median(reply.milliseconds for reply in replies) if replies else None,
    }


def _with_place(replies: Sequence[ExamReply]) -> list[ExamReply]:
    return [reply for reply in replies if reply.question.is_answerable and reply.question.places]


def _answered_with_place(replies: Sequence[ExamReply]) -> list[ExamReply]:
    return [reply for reply in _with_place(replies) if reply.is_answered]


def _page_ranks(replies: Sequence[ExamReply]) -> list[int | None]:
    return [reply.page_rank for reply in _with_place(replies)]


def _section_ranks(replies: Sequence[ExamReply]) -> list[int | None]:
    return [reply.section_rank for reply in _with_place(replies) if reply.question.knows_section]


def _recall(ranks: Sequence[int | None], depth: int) -> float | None:
    return _mean(rank is not None and rank <= depth for rank in ranks)


def _answered_share(replies: Sequence[ExamReply]) -> float | None:
    return _mean(reply.is_answered for reply in replies if reply.question.is_answerable)


def _refused_share(replies: Sequence[ExamReply]) -> float | None:
    """Of the questions that must be refused, without those that another section answers."""
    refusable = (
        reply for reply in replies if not reply.question.is_answerable and not reply.is_stated_elsewhere
    )
    return _mean(not reply.is_answered for reply in refusable)


def _right_share(replies: Sequence[ExamReply]) -> float | None:
    return _mean(reply.is_right for reply in replies if not reply.is_stated_elsewhere)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [float(value) for value in values if value is not None]
    return sum(known) / len(known) if known else None


BINS = 10


@dataclass(frozen=True, slots=True)
class Threshold:
    """The effect of answering only from this score on."""

    at: float
    answered: float
    """Share of the answerable questions."""
    refused: float
    """Share of the unanswerable questions."""


Scored = Sequence[tuple[float, bool]]
"""Pairs of a score and whether it was right."""


def reliability(pairs: Scored) -> list[Bin]:
    """Ten bins of equal width, without the empty ones."""
    bins = list[Bin]()
    for number in range(BINS):
        inside = [pair for pair in pairs if min(int(pair[0] * BINS), BINS - 1) == number]
        if inside:
            bins.append(
                Bin(
                    low=number / BINS,
                    high=(number + 1) / BINS,
                    count=len(inside),
                    promised=sum(score for score, _ in inside) / len(inside),
                    kept=sum(right for _, right in inside) / len(inside),
                )
            )
    return bins


def calibration_error(bins: Sequence[Bin]) -> float | None:
    """Expected calibration error: the mean gap of score and share of right ones, weighted by count."""
    total = sum(bin_.count for bin_ in bins)
    return sum(bin_.count * abs(bin_.promised - bin_.kept) for bin_ in bins) / total if total else None


def auroc(pairs: Scored) -> float | None:
    """How often a right pair has a higher score than a wrong one; a tie counts half."""
    right = [score for score, is_right in pairs if is_right]
    wrong = [score for score, is_right in pairs if not is_right]
    if not right or not wrong:
        return None
    wins = sum((high > low) + (high == low) / 2 for high in right for low in wrong)
    return wins / (len(right) * len(wrong))


def refusal_curve(pairs: Scored, steps: int = 50) -> list[Threshold]:
    right = [score for score, is_right in pairs if is_right]
    wrong = [score for score, is_right in pairs if not is_right]
    return [
        Threshold(
            at=step / steps,
            answered=_share(right, step / steps),
            refused=1.0 - _share(wrong, step / steps),
        )
        for step in range(steps + 1)
    ]


def _share(scores: Sequence[float], least: float) -> float:
    return sum(score >= least for score in scores) / len(scores) if scores else 0.0
