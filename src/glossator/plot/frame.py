"""A square of shares: both axes go from 0 to 1."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from glossator.plot.svg import line, svg, text

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
