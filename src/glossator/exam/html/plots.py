"""Plots as SVG, drawn by hand: no script, no font, no picture from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from glossator.exam.curves import Bin, Threshold

_WIDTH, _HEIGHT = 360, 270
_LEFT, _TOP, _RIGHT, _BOTTOM = 34, 10, 14, 40
_GOOD, _BAD, _RULE, _SOFT = "#1f6f78", "#b5472e", "#e4e1d9", "#697078"
_TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_STRIP, _STRIP_BINS = 58, 20


@dataclass(frozen=True, slots=True)
class Strip:
    """The scores of one kind of question."""

    name: str
    scores: Sequence[float]
    is_answerable: bool


def reliability_plot(bins: Sequence[Bin], promised: str, kept: str) -> str:
    """Points on the diagonal keep their word; the larger, the more was measured."""
    most = max((one.count for one in bins), default=1)
    line = _path((_x(one.promised), _y(one.kept)) for one in bins)
    return _svg(
        _HEIGHT,
        [
            *_axes(promised, kept),
            _line(_x(0), _y(0), _x(1), _y(1), _SOFT, dashed=True),
            f'<path d="{line}" fill="none" stroke="{_GOOD}" stroke-width="1.5" opacity=".45"/>',
            *(_point(one, most) for one in bins),
        ],
    )


def refusal_plot(curve: Sequence[Threshold], threshold: float) -> str:
    answered = _path((_x(one.at), _y(one.answered)) for one in curve)
    refused = _path((_x(one.at), _y(one.refused)) for one in curve)
    return _svg(
        _HEIGHT,
        [
            *_axes("answer from this confidence on", "share"),
            *_threshold(threshold, _y(0)),
            f'<path d="{answered}" fill="none" stroke="{_GOOD}" stroke-width="2.2"/>',
            f'<path d="{refused}" fill="none" stroke="{_BAD}" stroke-width="2.2"/>',
            *_legend((_GOOD, "answered, of what the book answers"), (_BAD, "refused, of what it does not")),
        ],
    )


def strips(some: Sequence[Strip], threshold: float) -> str:
    """One histogram above the other, each by its own height."""
    bottom = _TOP + _STRIP * len(some)
    return _svg(
        bottom + _BOTTOM,
        [
            *("".join(_strip(strip, _TOP + _STRIP * place)) for place, strip in enumerate(some, 1)),
            *_threshold(threshold, bottom),
            *(_text(_x(tick), bottom + 15, f"{tick:.1f}", "middle") for tick in _TICKS),
            _text(_x(0.5), bottom + 32, "confidence", "middle"),
        ],
    )


def _svg(height: float, parts: Iterable[str]) -> str:
    return f'<svg viewBox="0 0 {_WIDTH} {height:g}" role="img">{"".join(parts)}</svg>'


def _x(value: float) -> float:
    return _LEFT + value * (_WIDTH - _LEFT - _RIGHT)


def _y(value: float) -> float:
    return _HEIGHT - _BOTTOM - value * (_HEIGHT - _TOP - _BOTTOM)


def _axes(below: str, beside: str) -> Iterator[str]:
    for tick in _TICKS:
        yield _line(_x(0), _y(tick), _x(1), _y(tick), _RULE)
        yield _text(_x(0) - 6, _y(tick) + 4, f"{tick:.1f}", "end")
        yield _text(_x(tick), _y(0) + 18, f"{tick:.1f}", "middle")
    yield _text(_x(0.5), _y(0) + 32, below, "middle")
    yield _text(_x(0) + 4, _y(1) + 11, beside, "start")


def _path(points: Iterable[tuple[float, float]]) -> str:
    return "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _point(one: Bin, most: int) -> str:
    radius = 3 + 8 * (one.count / most) ** 0.5
    told = (
        f"{one.count} from {one.low:.1f} to {one.high:.1f}: {one.promised:.2f} promised, {one.kept:.2f} kept"
    )
    return (
        f'<circle cx="{_x(one.promised):.1f}" cy="{_y(one.kept):.1f}" r="{radius:.1f}" fill="{_GOOD}" '
        f'fill-opacity=".8"><title>{escape(told)}</title></circle>'
    )


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, *, dashed: bool = False) -> str:
    dashes = ' stroke-dasharray="4 4"' if dashed else ""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"{dashes}/>'


def _text(x: float, y: float, text: str, anchor: str, kind: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}">{escape(text)}</text>'


def _threshold(at: float, bottom: float) -> Iterator[str]:
    yield _line(_x(at), _TOP, _x(at), bottom, _SOFT, dashed=True)


def _legend(*entries: tuple[str, str]) -> Iterator[str]:
    for place, (colour, text) in enumerate(entries):
        y = _y(0.5) + 18 * place
        yield f'<rect x="{_x(0.06):.1f}" y="{y - 6:.1f}" width="14" height="3" fill="{colour}"/>'
        yield _text(_x(0.06) + 20, y, text, "start", "value")


def _strip(strip: Strip, bottom: float) -> Iterator[str]:
    counts = [0] * _STRIP_BINS
    for score in strip.scores:
        counts[min(int(score * _STRIP_BINS), _STRIP_BINS - 1)] += 1
    width = _x(1 / _STRIP_BINS) - _x(0)
    colour = _GOOD if strip.is_answerable else _BAD
    for place, count in enumerate(counts):
        height = (_STRIP - 22) * count / max(*counts, 1)
        yield (
            f'<rect x="{_x(place / _STRIP_BINS) + 0.75:.1f}" y="{bottom - height:.1f}" '
            f'width="{width - 1.5:.1f}" height="{height:.1f}" fill="{colour}"/>'
        )
    yield _line(_x(0), bottom, _x(1), bottom, _RULE)
    yield _text(_x(0), bottom - _STRIP + 17, f"{strip.name} ({len(strip.scores)})", "start", "value")
