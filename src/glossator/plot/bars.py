"""Bar charts and reliability diagrams as SVG.

Bars stretch to the width of their container, so their text is placed next to them, not inside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Protocol

_SLOT, _BAR = 10.0, 7.6
"""The width of a slot, and of the bar in it."""
_FULL_WIDTH_COUNT = 20
"""With fewer bars they are narrower, so that they do not look like blocks."""
_HEIGHT, _DEPTH = 100.0, 18.0
"""The height of the plot above and below the base line."""
_SEAM = 0.8
"""The gap between two parts."""
_LEAST_HEIGHT = 1.6
"""The least height of a part that is not zero, so that one in a hundred is still visible."""


@dataclass(frozen=True, slots=True)
class BarPart:
    """A count of one kind; the kind is its CSS class."""

    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class Bar:
    tooltip: str
    parts: Sequence[BarPart]
    """The parts from bottom to top."""
    below: BarPart | None = None
    """A subset to point out, drawn downwards."""


def bars(columns: Sequence[Bar], top: int) -> str:
    """Stacked bars, with rules at `top` and at half of it."""
    width = _SLOT * max(len(columns), 1)
    rules = [line((0, _HEIGHT * share), (width, _HEIGHT * share), "rule") for share in (0.0, 0.5)]
    bar_width = _BAR * min(len(columns) / _FULL_WIDTH_COUNT, 1.0)
    drawn = ["".join(_bar(bar, number * _SLOT, bar_width, top)) for number, bar in enumerate(columns)]
    ground = line((0, _HEIGHT), (width, _HEIGHT), "ground")
    return svg(width, _HEIGHT + _DEPTH, [*rules, *drawn, ground], stretched=True)


def share(parts: Sequence[BarPart]) -> str:
    """One horizontal bar of 100 %, its parts side by side."""
    total = sum(part.count for part in parts) or 1
    drawn = list[str]()
    x = 0.0
    for part in parts:
        width = 100 * part.count / total
        drawn.append(rectangle((x, 0), max(width - _SEAM / 2, 0), 10, part.kind))
        x += width
    return svg(100, 10, drawn, stretched=True)


def meter(count: int, most: int, kind: str = "part") -> str:
    """One horizontal bar, relative to the longest of its neighbours."""
    width = 100 * count / max(most, 1)
    return svg(100, 10, [rectangle((0, 0), width, 10, kind)], stretched=True)


def _bar(bar: Bar, left: float, width: float, top: int) -> Iterator[str]:
    yield f"<g><title>{escape(bar.tooltip)}</title>"
    # Covers the whole slot, so that a low bar is easy to point at.
    yield rectangle((left, 0), _SLOT, _HEIGHT + _DEPTH, "reach")
    x = left + (_SLOT - width) / 2
    y = _HEIGHT
    for part in bar.parts:
        if part.count:
            height = _height(part.count, top)
            y -= height
            yield rectangle((x, y), width, max(height - _SEAM, 0.6), part.kind)
    if bar.below is not None and bar.below.count:
        yield rectangle((x, _HEIGHT + _SEAM), width, _depth(bar.below.count, top), bar.below.kind)
    yield "</g>"


def _height(count: int, top: int) -> float:
    return max(_HEIGHT * count / max(top, 1), _LEAST_HEIGHT)


def _depth(count: int, top: int) -> float:
    return min(max(_HEIGHT * count / max(top, 1), 3.0), _DEPTH - _SEAM)


def svg(width: float, height: float, parts: Iterable[str], *, name: str = "", stretched: bool = False) -> str:
    """`name` is for screen readers; without one the plot is hidden from them, since text says the same."""
    aria = f'role="img" aria-label="{escape(name)}"' if name else 'aria-hidden="true" focusable="false"'
    stretch = ' preserveAspectRatio="none"' if stretched else ""
    return f'<svg viewBox="0 0 {width:g} {height:g}"{stretch} {aria}>{"".join(parts)}</svg>'


def line(start: tuple[float, float], end: tuple[float, float], kind: str) -> str:
    (x1, y1), (x2, y2) = start, end
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def path(points: Iterable[tuple[float, float]], kind: str) -> str:
    drawn = " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f'<path d="M{drawn}" class="{kind}"/>' if drawn else ""


def rectangle(corner: tuple[float, float], width: float, height: float, kind: str) -> str:
    x, y = corner
    return f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" class="{kind}"/>'


def text(x: float, y: float, label: str, anchor: str, kind: str = "tick") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}">{escape(label)}</text>'


WIDTH, HEIGHT = 360, 270
LEFT, TOP, RIGHT, BOTTOM = 34, 10, 14, 40
TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Both axes go from 0 to 1."""


def framed(parts: Iterable[str], *, name: str, height: float = HEIGHT) -> str:
    return svg(WIDTH, height, parts, name=name)


def across(value: float) -> float:
    return LEFT + value * (WIDTH - LEFT - RIGHT)


def up(value: float) -> float:
    return HEIGHT - BOTTOM - value * (HEIGHT - TOP - BOTTOM)


def axes(below: str, beside: str) -> Iterator[str]:
    for tick in TICKS:
        yield line((across(0), up(tick)), (across(1), up(tick)), "rule")
        yield text(across(0) - 6, up(tick) + 4, f"{tick:.1f}", "end")
        yield text(across(tick), up(0) + 18, f"{tick:.1f}", "middle")
    yield text(across(0.5), up(0) + 32, below, "middle")
    yield text(across(0) + 4, up(1) + 11, beside, "start")


class ReliabilityBin(Protocol):
    """Scores from `low` to `high`: their mean, and the share of them that was right."""

    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def count(self) -> int: ...
    @property
    def promised(self) -> float: ...
    @property
    def kept(self) -> float: ...


def reliability(bins: Sequence[ReliabilityBin], promised: str, kept: str) -> str:
    """A reliability diagram: points on the diagonal are calibrated; a larger point has a larger count."""
    most = max((score_bin.count for score_bin in bins), default=1)
    parts = [
        *axes(promised, kept),
        line((across(0), up(0)), (across(1), up(1)), "promise"),
        path(((across(score_bin.promised), up(score_bin.kept)) for score_bin in bins), "trend"),
        *(_point(score_bin, most) for score_bin in bins),
    ]
    return framed(parts, name=f"{promised.capitalize()} from 0 to 1, and the share that {kept}")


def _point(score_bin: ReliabilityBin, most: int) -> str:
    radius = 3 + 8 * (score_bin.count / most) ** 0.5
    x, y = across(score_bin.promised), up(score_bin.kept)
    tooltip = (
        f"{score_bin.count} from {score_bin.low:.1f} to {score_bin.high:.1f}: "
        f"{score_bin.promised:.2f} promised, {score_bin.kept:.2f} kept"
    )
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" class="point">'
        f"<title>{escape(tooltip)}</title></circle>"
    )
