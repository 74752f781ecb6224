"""How well a score keeps what it promises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from glossator.model.fit import Bin

BINS = 10


@dataclass(frozen=True, slots=True)
class Threshold:
    """What would happen if one answered from this score on."""

    at: float
    answered: float
    """Of what the book answers."""
    refused: float
    """Of what it does not."""


Scored = Sequence[tuple[float, bool]]


def reliability(scored: Scored) -> list[Bin]:
    """Ten bins of equal width; those that nothing fell into are left out."""
    bins = list[Bin]()
    for number in range(BINS):
        inside = [one for one in scored if min(int(one[0] * BINS), BINS - 1) == number]
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
    """The mean gap between what was promised and what was kept, each bin by its count."""
    total = sum(one.count for one in bins)
    return sum(one.count * abs(one.promised - one.kept) for one in bins) / total if total else None


def auroc(scored: Scored) -> float | None:
    """How often a right one has the higher score than a wrong one; a tie is half."""
    right = [score for score, is_right in scored if is_right]
    wrong = [score for score, is_right in scored if not is_right]
    if not right or not wrong:
        return None
    wins = sum((one > other) + (one == other) / 2 for one in right for other in wrong)
    return wins / (len(right) * len(wrong))


def refusal_curve(scored: Scored, steps: int = 50) -> list[Threshold]:
    right = [score for score, is_right in scored if is_right]
    wrong = [score for score, is_right in scored if not is_right]
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
