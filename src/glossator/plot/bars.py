"""Bars that are as wide as their place: what they say in words stands beside them, not in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from glossator.plot.svg import line, rectangle, svg

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
class Part:
    """So much of one kind; the kind is the class it is drawn with."""

    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class Bar:
    told: str
    """In words, for who points at it."""
    parts: Sequence[Part]
    """From the ground up."""
    below: Part | None = None
    """What is counted among them and is worth a look, drawn downwards."""


def bars(some: Sequence[Bar], top: int) -> str:
    """Stacked, up to `top`, which has a rule; so has its half."""
    width = _SLOT * max(len(some), 1)
    rules = [line((0, _HEIGHT * share), (width, _HEIGHT * share), "rule") for share in (0.0, 0.5)]
    slim = _BAR * min(len(some) / _MANY, 1.0)
    drawn = ["".join(_bar(bar, place * _SLOT, slim, top)) for place, bar in enumerate(some)]
    ground = line((0, _HEIGHT), (width, _HEIGHT), "ground")
    return svg(width, _HEIGHT + _DEPTH, [*rules, *drawn, ground], stretched=True)


def share(parts: Sequence[Part]) -> str:
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
