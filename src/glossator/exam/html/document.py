"""A whole page, with its looks inside it."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from glossator.exam.html.style import STYLE


def document(title: str, parts: Iterable[str]) -> str:
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def card(value: str, label: str) -> str:
    return f'<div class="card"><b>{escape(value)}</b><span class="label">{escape(label)}</span></div>'


def figure(title: str, plot: str, caption: str) -> str:
    return f"<figure><h3>{escape(title)}</h3>{plot}<figcaption>{escape(caption)}</figcaption></figure>"


def percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}".replace(".0%", "%")


def number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
