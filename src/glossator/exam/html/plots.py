"""The plots of the exam report: the refusal curve and the confidence histograms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from glossator.exam.measure import Threshold
from glossator.plot.bars import BOTTOM, TICKS, TOP, across, axes, framed, line, path, rectangle, text, up

_STRIP, _STRIP_BINS = 58, 20


@dataclass(frozen=True, slots=True)
class Strip:
    """The scores of one kind of question."""

    name: str
    scores: Sequence[float]
    is_answerable: bool


def refusal_plot(curve: Sequence[Threshold], threshold: float) -> str:
    return framed(
        [
            *axes("answer from this confidence on", "share"),
            _threshold(threshold, up(0)),
            path(((across(point.at), up(point.answered)) for point in curve), "curve good"),
            path(((across(point.at), up(point.refused)) for point in curve), "curve bad"),
            *_legend(("good", "answered, of what the book answers"), ("bad", "refused, of what it does not")),
        ],
        name="What is answered and what is refused, from each confidence on",
    )


def strips(rows: Sequence[Strip], threshold: float) -> str:
    """Histograms one above the other, each scaled to its own height."""
    bottom = TOP + _STRIP * len(rows)
    return framed(
        [
            *("".join(_strip(strip, TOP + _STRIP * row)) for row, strip in enumerate(rows, 1)),
            _threshold(threshold, bottom),
            *(text(across(tick), bottom + 15, f"{tick:.1f}", "middle") for tick in TICKS),
            text(across(0.5), bottom + 32, "confidence", "middle"),
        ],
        name="How the confidence of each kind of question is spread",
        height=bottom + BOTTOM,
    )


def _threshold(value: float, bottom: float) -> str:
    return line((across(value), TOP), (across(value), bottom), "promise")


def _legend(*entries: tuple[str, str]) -> Iterator[str]:
    for row, (kind, label) in enumerate(entries):
        y = up(0.5) + 18 * row
        yield rectangle((across(0.06), y - 6), 14, 3, f"part {kind}")
        yield text(across(0.06) + 20, y, label, "start", "value")


def _strip(strip: Strip, bottom: float) -> Iterator[str]:
    counts = [0] * _STRIP_BINS
    for score in strip.scores:
        counts[min(int(score * _STRIP_BINS), _STRIP_BINS - 1)] += 1
    width = across(1 / _STRIP_BINS) - across(0)
    kind = "part good" if strip.is_answerable else "part bad"
    for number, count in enumerate(counts):
        height = (_STRIP - 22) * count / max(*counts, 1)
        corner = (across(number / _STRIP_BINS) + 0.75, bottom - height)
        yield rectangle(corner, width - 1.5, height, kind)
    yield line((across(0), bottom), (across(1), bottom), "rule")
    yield text(across(0), bottom - _STRIP + 17, f"{strip.name} ({len(strip.scores)})", "start", "value")
