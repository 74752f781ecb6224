"""What a site generator decides about the pages of a book: titles, addresses, anchors and order."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol
from urllib.parse import quote, urlsplit

from glossator.errors import SettingsError
from glossator.ingest.sites.config_file import text_of
from glossator.model import Span

Order = tuple[float | str, ...]
"""A sort key in the reading order: a number and a name for each level, outermost first."""

AFTER_ALL = 1e9
"""The number of a page without a position; finite, because JSON has no infinity."""


class SiteKind(StrEnum):
    DOCUSAURUS = "docusaurus"
    MDBOOK = "mdbook"
    MKDOCS = "mkdocs"
    SPHINX = "sphinx"
    MYST = "myst"
    VITEPRESS = "vitepress"
    STARLIGHT = "starlight"
    HUGO = "hugo"
    JEKYLL = "jekyll"
    GITBOOK = "gitbook"
    HTML = "html"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    text: str
    """As displayed: without markup and without its `{#id}`."""
    custom_id: str | None = None
    code: tuple[Span, ...] = ()
    """Spans of inline code in the text, which some generators treat differently."""


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What a site needs to know of a parsed page."""

    path: str
    """The path from the folder the author gave, with forward slashes."""
    front_matter: Mapping[str, object]
    headings: Sequence[Heading]
    """Headings of all levels, in page order."""


@dataclass(frozen=True, slots=True)
class PagePlace:
    """The title, address, chapter and position that the site gives a page."""

    title: str
    url: str
    """`/docs/ros2/nodes`; with the origin, `https://x.example/docs/ros2/nodes`, where the base has one."""
    chapter: str
    """The outermost category of the page; its own title where it has none."""
    order: Order


@dataclass(frozen=True, slots=True)
class Directive:
    """A place in a text that a file, or a part of it, is put into."""

    span: Span
    files: tuple[Path, ...]
    """Where the file may be, first choice first; none for a mark that shows nothing."""
    select: Callable[[str], str | None]
    """The text to show, from that of the file; None where the file has no such part."""


class Site(Protocol):
    @property
    def kind(self) -> SiteKind: ...

    @property
    def home(self) -> str:
        """The configured address of the site, `https://x.example/book/`; empty where none is configured."""
        ...

    @property
    def title(self) -> str:
        """The title of the whole book, as the site shows it; empty where its configuration says none."""
        ...

    @property
    def language(self) -> str:
        """As in the HTML `lang` attribute: `en`, `ur`. Empty where the configuration says none."""
        ...

    @property
    def folder(self) -> Path:
        """The folder with the configuration of the site; without one, that of the pages."""
        ...

    @property
    def content_roots(self) -> tuple[Path, ...]:
        """The folders that contain the pages."""
        ...

    @property
    def fingerprint(self) -> str:
        """Changes whenever the address, order or anchors of an unchanged page may change."""
        ...

    def is_page(self, path: str) -> bool:
        """Whether the site publishes the file; drafts are not published."""
        ...

    def place(self, page: PageFacts) -> PagePlace: ...

    def anchors(self, headings: Sequence[Heading]) -> list[str]:
        """Returns one anchor for each heading; empty where the generator gives it none."""
        ...

    def directives(self, text: str, folder: Path) -> Iterator[Directive]:
        """The places in a text, which stands in `folder`, that the generator puts other files into."""
        ...


def fingerprint_of(site: object) -> str:
    """The hash of `repr(site)`, which must contain every setting and no path of this machine."""
    return hashlib.sha256(repr(site).encode()).hexdigest()


_AS_IN_AN_ADDRESS_BAR = "/%!$&'()*+,;=:@~"


@dataclass(frozen=True, slots=True)
class Base:
    """The origin and path that every address of a site begins with."""

    origin: str
    """`https://x.example`, or empty for addresses on the same host."""
    path: str
    """`/` or `/book/`; empty for addresses relative to the folder."""

    @classmethod
    def of(cls, base_url: str) -> Base:
        parts, origin = urlsplit(base_url), origin_of(base_url)
        is_path = base_url.startswith("/") and not parts.netloc
        if not (origin or is_path) or parts.query or parts.fragment:
            raise SettingsError(
                f"{base_url!r} is no base url: it looks like https://x.example/book/ or /book/."
            )
        return cls(origin, join_path("/", parts.path, "/"))

    def within(self, *parts: str) -> Base:
        return Base(self.origin, join_path(self.path, *parts, "/"))

    def address(self, path: str) -> str:
        """The address of a path that already begins with the path of the base."""
        return self.origin + quote(path, safe=_AS_IN_AN_ADDRESS_BAR)

    def address_in(self, path: str) -> str:
        """The address of a path relative to the base."""
        return self.address(self.path + path)


def origin_of(address: str) -> str:
    """`https://x.example` of `https://x.example/book/`; empty where the address names no host of the web."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in ("http", "https") and parts.netloc else ""


def base_of(base_url: str | None, site_base: str, route_base: str | None = None) -> Base:
    """The configured base, or else that of the site, which need not begin with a slash."""
    base = Base.of(base_url or (site_base if "://" in site_base else join_path("/", site_base)))
    return base.within(route_base) if route_base else base


def join_path(*parts: str) -> str:
    """The parts with one slash between them."""
    return re.sub(r"/{2,}", "/", "/".join(parts))


def declared_title(page: PageFacts) -> str | None:
    """The title in the front matter, or the first heading of the first level."""
    headings = (heading.text for heading in page.headings if heading.level == 1 and heading.text)
    return text_of(page.front_matter.get("title")) or next(headings, None)


def readable_name(name: str) -> str:
    """`getting-started` becomes `Getting started`; a name that has capitals keeps them."""
    words = name.replace("-", " ").replace("_", " ")
    return words.capitalize() if words == words.lower() else words


# Anchors as GitHub and Docusaurus make them.

_KEPT = {"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"}
_CIRCLED_LETTERS = ((0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189))
"""`Ⓐ`: symbols by Unicode category, but alphabetic."""


def github_anchors(headings: Iterable[Heading]) -> list[str]:
    slugger = Slugger()
    return [heading.custom_id or slugger.slug(heading.text) for heading in headings]


class Slugger:
    """Gives each heading of one page an anchor of its own."""

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
    return is_within(ord(character), _CIRCLED_LETTERS)


def _is_kept(character: str) -> bool:
    if character in " -" or unicodedata.category(character) in _KEPT:
        return True
    return is_circled_letter(character)


def is_within(point: int, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(first <= point <= last for first, last in ranges)
