"""One version of the book on disk: its outline, title and links, and each article once it is requested.

A page's head (front matter and title) is read at once, the rest when somebody opens it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

from markdown_it.token import Token

from glossator.ingest.discover import PageFile, book_name
from glossator.ingest.front_matter import body_start, front_matter
from glossator.ingest.page import dialect_of, headings_of, load_page
from glossator.ingest.parse import Dialect, markdown, parse
from glossator.ingest.sites import Heading, PageFacts, Site
from glossator.ingest.sites.site import readable_name
from glossator.lint.pages import CheckedBook, folders_of, parse_page
from glossator.preview.links import Links, MediaFiles
from glossator.preview.outline import OutlineEntry, SiteOutline
from glossator.preview.typeset import Article, typeset


class Edition:
    def __init__(self, path: Path, root: Path, site: Site, facts: Sequence[PageFacts]) -> None:
        self.site = site
        self._path = path
        self._book = _book(root, site, facts)
        self.outline = SiteOutline(self._book.places)
        self.files = MediaFiles(self._book.folders, urlsplit(site.home).path)
        self._links = Links(self._book, self.outline, self.files)
        self._articles: dict[str, Article] = {}

    @cached_property
    def masthead(self) -> Masthead:
        return masthead(self._path, self.site)

    @cached_property
    def has_relative_urls(self) -> bool:
        """Whether the index records addresses relative to the root, without a leading slash."""
        places = self._book.places.values()
        return any("://" not in place.url and not place.url.startswith("/") for place in places)

    def article(self, entry: OutlineEntry) -> Article:
        """Raises PageUnreadable."""
        if entry.path not in self._articles:
            page = parse_page(self.source(entry), self.site)
            self._articles[entry.path] = typeset(page, self.site, self._links)
        return self._articles[entry.path]

    def source(self, entry: OutlineEntry) -> PageFile:
        return load_page(self._book.folders.root, entry.path, self.site)


def _book(root: Path, site: Site, facts: Sequence[PageFacts]) -> CheckedBook:
    places = {page.path: site.place(page) for page in facts}
    order = sorted(facts, key=lambda page: (places[page.path].order, page.path))
    return CheckedBook(
        folders=folders_of(root, site),
        site=site,
        places={page.path: places[page.path] for page in order},
        contents=None,
        unreadable=(),
    )


_RIGHT_TO_LEFT = {"ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"}


@dataclass(frozen=True, slots=True)
class Masthead:
    title: str
    language: str
    """As in the HTML `lang` attribute: `en`, `ur`."""

    @property
    def direction(self) -> str:
        return "rtl" if self.language.split("-")[0].lower() in _RIGHT_TO_LEFT else "ltr"


def masthead(path: Path, site: Site) -> Masthead:
    """The title from the site's configuration; if it has none, the name of its folder."""
    return Masthead(site.title or readable_name(book_name(path)), site.language or "en")


def head(file: PageFile, site: Site) -> PageFacts:
    """The front matter and the title; parsing only these is ten times as fast."""
    return PageFacts(file.path, front_matter(file.text), _title(file.text, dialect_of(file.path, site)))


def _title(text: str, dialect: Dialect) -> list[Heading]:
    md = markdown(dialect)
    body = text[body_start(text) :].replace("\r\n", "\n").replace("\r", "\n")
    tokens = list[Token]()
    md.block.parse(body, md, {}, tokens)
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and token.tag == "h1" and inline.content:
            return headings_of(parse(f"# {' '.join(inline.content.split())}", dialect))
    return []
