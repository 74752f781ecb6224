"""What a check says."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FindingKind(StrEnum):
    """In the order an author would mend them."""

    UNREADABLE_PAGE = "unreadable-page"
    BROKEN_FRONT_MATTER = "broken-front-matter"
    UNCLOSED_FENCE = "unclosed-fence"
    EMPTY_PAGE = "empty-page"
    MISSING_PARTIAL = "missing-partial"
    SAME_URL = "same-url"
    DUPLICATE_ID = "duplicate-id"
    BROKEN_LINK = "broken-link"
    MISSING_ANCHOR = "missing-anchor"
    MISSING_FILE = "missing-file"
    NEVER_RETRIEVED = "never-retrieved"
    UNEXPLAINED_TERM = "unexplained-term"


@dataclass(frozen=True, slots=True)
class Finding:
    kind: FindingKind
    page: str
    line: int | None
    """Counted from 1; None where it is about the page as a whole."""
    message: str
    """One sentence, in plain words."""
    text: str
    """What it is about, as it stands in the page."""


@dataclass(frozen=True, slots=True)
class CheckReport:
    pages: int
    links: int
    """How many were followed."""
    asked: bool
    """Whether the pages were looked for in the index, too."""
    findings: tuple[Finding, ...]
    """By kind; inside a kind in reading order, and the terms by how often they are used."""
