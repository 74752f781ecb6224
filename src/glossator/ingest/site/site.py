"""What a site generator makes of the pages of a book: their titles, addresses, anchors and order."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from glossator.model import Span

Order = tuple[float | str, ...]
"""A place in the reading order: a number and a name for each level, outermost first."""

AFTER_ALL = 1e9
"""The number of what has none; finite, because it is written down as JSON."""


class SiteKind(StrEnum):
    DOCUSAURUS = "docusaurus"
    MDBOOK = "mdbook"
    MKDOCS = "mkdocs"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    text: str
    """As a reader sees it: without marks, without its `{#id}`."""
    custom_id: str | None = None
    code: tuple[Span, ...] = ()
    """Where inline code stands in the text, for generators that treat it differently."""


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What is known of a page after parsing."""

    path: str
    """From the folder the author gave, with forward slashes."""
    front_matter: Mapping[str, object]
    headings: Sequence[Heading]
    """Every one, of all levels, in the order of the page."""


@dataclass(frozen=True, slots=True)
class Place:
    """What the site makes of a page."""

    title: str
    url: str
    """From the site's root, `/docs/ros2/nodes`, or whole where the base is: `https://x.example/docs/ros2/nodes`."""
    chapter: str
    """The outermost category it stands in; its own title where it stands in none."""
    order: Order


class Site(Protocol):
    @property
    def kind(self) -> SiteKind: ...

    @property
    def home(self) -> str:
        """Where the site says it is published, `https://x.example/book/`; empty where it does not say."""
        ...

    @property
    def content_roots(self) -> tuple[Path, ...]:
        """The folders that hold pages; nothing outside them is one."""
        ...

    @property
    def fingerprint(self) -> str:
        """Changes whenever the place or the anchors of an unchanged page may."""
        ...

    def is_page(self, path: str) -> bool:
        """Whether the site publishes the file; a draft it does not."""
        ...

    def place(self, page: PageFacts) -> Place: ...

    def anchors(self, headings: Sequence[Heading]) -> list[str]:
        """One for each heading; empty where the generator gives none and the page itself is the address."""
        ...


def fingerprint_of(site: object) -> str:
    """Of a site whose `repr` says all that decides, and nothing of the machine it is on."""
    return hashlib.sha256(repr(site).encode()).hexdigest()
