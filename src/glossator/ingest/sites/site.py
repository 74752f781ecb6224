"""What a site generator makes of the pages of a book: their titles, addresses, anchors and order."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol
from urllib.parse import quote, urlsplit

from glossator.errors import SettingsError
from glossator.ingest.sites.config_file import text_of
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
class PagePlace:
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

    def place(self, page: PageFacts) -> PagePlace: ...

    def anchors(self, headings: Sequence[Heading]) -> list[str]:
        """One for each heading; empty where the generator gives none and the page itself is the address."""
        ...


def fingerprint_of(site: object) -> str:
    """Of a site whose `repr` says all that decides, and nothing of the machine it is on."""
    return hashlib.sha256(repr(site).encode()).hexdigest()


# Where a page stands on the web, from the base of its site and its path in it.

_AS_IN_AN_ADDRESS_BAR = "/%!$&'()*+,;=:@~"


@dataclass(frozen=True, slots=True)
class Base:
    """What every address of a site begins with."""

    origin: str
    """`https://x.example`, or empty for addresses on the same host."""
    path: str
    """`/` or `/book/`; empty for addresses relative to the folder."""

    @classmethod
    def of(cls, base_url: str) -> Base:
        parts = urlsplit(base_url)
        is_whole = parts.scheme in ("http", "https") and parts.netloc
        is_path = base_url.startswith("/") and not parts.netloc
        if not (is_whole or is_path) or parts.query or parts.fragment:
            raise SettingsError(
                f"{base_url!r} is no base url: it looks like https://x.example/book/ or /book/."
            )
        origin = f"{parts.scheme}://{parts.netloc}" if is_whole else ""
        return cls(origin, joined("/", parts.path, "/"))

    def within(self, *parts: str) -> Base:
        return Base(self.origin, joined(self.path, *parts, "/"))

    def address(self, path: str) -> str:
        """Of a path that already begins with the base's own."""
        return self.origin + quote(path, safe=_AS_IN_AN_ADDRESS_BAR)

    def address_in(self, path: str) -> str:
        """Of a path inside the base."""
        return self.address(self.path + path)


def base_of(base_url: str | None, of_site: str, route_base: str | None = None) -> Base:
    """The base an operator asked for, or the one of the site, which need not begin with a slash."""
    base = Base.of(base_url or (of_site if "://" in of_site else joined("/", of_site)))
    return base.within(route_base) if route_base else base


def joined(*parts: str) -> str:
    """The parts with one slash between them."""
    return re.sub(r"/{2,}", "/", "/".join(parts))


# What a page is called, by what its author wrote or by the name of its file.


def written_title(page: PageFacts) -> str | None:
    """The title in the front matter, or the first heading of the first level."""
    headings = (heading.text for heading in page.headings if heading.level == 1 and heading.text)
    return text_of(page.front_matter.get("title")) or next(headings, None)


def spoken_name(name: str) -> str:
    """`getting-started` becomes `Getting started`; a name with capitals keeps its own."""
    words = name.replace("-", " ").replace("_", " ")
    return words.capitalize() if words == words.lower() else words


# Anchors as GitHub makes them, and Docusaurus after it.

_KEPT = {"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"}
_CIRCLED_LETTERS = ((0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189))
"""Symbols by their category, and letters by their use: `Ⓐ`."""


class Slugger:
    """Gives each text of one page an anchor that no text before it had."""

    def __init__(self) -> None:
        self._occurrences: dict[str, int] = {}

    def slug(self, text: str, *, keep_case: bool = False) -> str:
        plain = slug(text, keep_case=keep_case)
        unique = plain
        while unique in self._occurrences:
            self._occurrences[plain] += 1
            unique = f"{plain}-{self._occurrences[plain]}"
        self._occurrences[unique] = 0
        return unique


def slug(text: str, *, keep_case: bool = False) -> str:
    cased = text if keep_case else text.lower()
    return "".join(character for character in cased if _is_kept(character)).replace(" ", "-")


def is_circled_letter(character: str) -> bool:
    return _is_within(ord(character), _CIRCLED_LETTERS)


def _is_kept(character: str) -> bool:
    if character in " -" or unicodedata.category(character) in _KEPT:
        return True
    return is_circled_letter(character)


def _is_within(point: int, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(first <= point <= last for first, last in ranges)
