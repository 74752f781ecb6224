"""Whether a score keeps what it promises."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Protocol

from glossator.plot.frame import across, axes, framed, up
from glossator.plot.svg import line, path


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
