"""The one line that brings the widget to a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WidgetTag:
    title: str = "Ask this book"
    topics: Sequence[str] = ()
    """Questions that it suggests: only the author knows good ones."""
    key: str | None = None
    """A publishable one; without it the server has to be open."""
