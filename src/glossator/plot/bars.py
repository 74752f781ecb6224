"""Bars that are as wide as their place: what they say in words stands beside them, not in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Protocol

_SLOT, _BAR = 10.0, 7.6
"""A bar and the place it stands in."""
_MANY = 20
"""With fewer bars than that they are slimmer, or they would be blocks."""
_HEIGHT, _DEPTH = 100.0, 18.0
"""Above and below the line."""
_SEAM = 0.8
_LEAST = 1.6
"""Of a bar that stands for something: one in a hundred is still there."""


@dataclass(frozen=True, slots=True)
class BarPart:
    """So much of one kind; the kind is the class it is drawn with."""

    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class Bar:
    told: str
    """In words, for who points at it."""
    parts: Sequence[BarPart]
    """From the ground up."""
    below: BarPart | None = None
    """What is counted among them and is worth a look, drawn downwards."""


def bars(some: Sequence[Bar], top: int) -> str:
    """Stacked, up to `top`, which has a rule; so has its half."""
    width = _SLOT * max(len(some), 1)
    rules = [line((0, _HEIGHT * share), (width, _HEIGHT * share), "rule") for share in (0.0, 0.5)]
    slim = _BAR * min(len(some) / _MANY, 1.0)
    drawn = ["".join(_bar(bar, place * _SLOT, slim, top)) for place, bar in enumerate(some)]
    ground = line((0, _HEIGHT), (width, _HEIGHT), "ground")
    return svg(width, _HEIGHT + _DEPTH, [*rules, *drawn, ground], stretched=True)


def share(parts: Sequence[BarPart]) -> str:
    """One bar of a whole, its parts side by side."""
    total = sum(part.count for part in parts) or 1
    drawn = list[str]()
    x = 0.0
    for part in parts:
        width = 100 * part.count / total
        drawn.append(rectangle((x, 0), max(width - _SEAM / 2, 0), 10, part.kind))
        x += width
    return svg(100, 10, drawn, stretched=True)


def meter(count: int, most: int, kind: str = "part") -> str:
    """One bar against the longest of its neighbours."""
    width = 100 * count / max(most, 1)
    return svg(100, 10, [rectangle((0, 0), width, 10, kind)], stretched=True)


def _bar(bar: Bar, left: float, width: float, top: int) -> Iterator[str]:
    yield f"<g><title>{escape(bar.told)}</title>"
    # The whole place, so that pointing at a low bar is not a game of skill.
    yield rectangle((left, 0), _SLOT, _HEIGHT + _DEPTH, "reach")
    x = left + (_SLOT - width) / 2
    y = _HEIGHT
    for part in bar.parts:
        if part.count:
            height = _tall(part.count, top)
            y -= height
            yield rectangle((x, y), width, max(height - _SEAM, 0.6), part.kind)
    if bar.below is not None and bar.below.count:
        yield rectangle((x, _HEIGHT + _SEAM), width, _deep(bar.below.count, top), bar.below.kind)
    yield "</g>"


def _tall(count: int, top: int) -> float:
    return max(_HEIGHT * count / max(top, 1), _LEAST)


def _deep(count: int, top: int) -> float:
    return min(max(_HEIGHT * count / max(top, 1), 3.0), _DEPTH - _SEAM)


# What every plot is made of.


def svg(width: float, height: float, parts: Iterable[str], *, name: str = "", stretched: bool = False) -> str:
    """A `name` is what those hear who do not see it; without one it is told in words beside it."""
    told = f'role="img" aria-label="{escape(name)}"' if name else 'aria-hidden="true" focusable="false"'
    how = ' preserveAspectRatio="none"' if stretched else ""
    return f'<svg viewBox="0 0 {width:g} {height:g}"{how} {told}>{"".join(parts)}</svg>'


def line(start: tuple[float, float], end: tuple[float, float], kind: str) -> str:
    (x1, y1), (x2, y2) = start, end
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def path(points: Iterable[tuple[float, float]], kind: str) -> str:
    drawn = " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f'<path d="M{drawn}" class="{kind}"/>' if drawn else ""


def rectangle(corner: tuple[float, float], width: float, height: float, kind: str) -> str:
    x, y = corner
    return f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" class="{kind}"/>'


def text(x: float, y: float, words: str, anchor: str, kind: str = "tick") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}">{escape(words)}</text>'


# A square of shares: both axes go from 0 to 1.

WIDTH, HEIGHT = 360, 270
LEFT, TOP, RIGHT, BOTTOM = 34, 10, 14, 40
TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


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


# Whether a score keeps what it promises.


class Kept(Protocol):
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


def reliability(bins: Sequence[Kept], promised: str, kept: str) -> str:
    """Points on the diagonal keep their word; the larger, the more was measured."""
    most = max((one.count for one in bins), default=1)
    parts = [
        *axes(promised, kept),
        line((across(0), up(0)), (across(1), up(1)), "promise"),
        path(((across(one.promised), up(one.kept)) for one in bins), "trend"),
        *(_point(one, most) for one in bins),
    ]
    return framed(parts, name=f"{promised.capitalize()} from 0 to 1, and the share that {kept}")


def _point(one: Kept, most: int) -> str:
    radius = 3 + 8 * (one.count / most) ** 0.5
    told = (
        f"{one.count} from {one.low:.1f} to {one.high:.1f}: {one.promised:.2f} promised, {one.kept:.2f} kept"
    )
    return (
        f'<circle cx="{across(one.promised):.1f}" cy="{up(one.kept):.1f}" r="{radius:.1f}" class="point">'
        f"<title>{escape(told)}</title></circle>"
    )
