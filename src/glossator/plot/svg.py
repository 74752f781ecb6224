"""What every plot is made of."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


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
