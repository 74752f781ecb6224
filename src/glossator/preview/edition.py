"""The book as it is on disk now: what is on every page of its site, and each page when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

from glossator.ingest.check.folders import folders_of
from glossator.ingest.check.pages import Book, parse_page
from glossator.ingest.read import PageFile, read_page
from glossator.ingest.site import PageFacts, Site, SiteKind, site_of
from glossator.preview.files import Files
from glossator.preview.head import unopened
from glossator.preview.links import Links
from glossator.preview.masthead import Masthead, masthead
from glossator.preview.outline import Entry, Outline
from glossator.preview.typeset import Article, typeset


@dataclass(frozen=True, slots=True)
class SiteOptions:
    """As they were given to the ingest: the addresses of the pages come from them."""

    kind: SiteKind | None = None
    base_url: str | None = None
    route_base: str | None = None
    locale: str | None = None

    def site(self, path: Path) -> Site:
        return site_of(
            path, kind=self.kind, base_url=self.base_url, route_base=self.route_base, locale=self.locale
        )


class Edition:
    def __init__(self, path: Path, root: Path, site: Site, facts: Sequence[PageFacts]) -> None:
        self.site = site
        self._path = path
        self._book = _book(root, site, facts)
        self.outline = Outline(self._book.places)
        self.files = Files(self._book.folders, urlsplit(site.home).path)
        self._links = Links(self._book, self.outline, self.files)
        self._articles: dict[str, Article] = {}

    @cached_property
    def masthead(self) -> Masthead:
        return masthead(self._path, self.site, self._book.folders)

    @cached_property
    def has_relative_urls(self) -> bool:
        """Whether the index records addresses from the root without the slash that says so."""
        places = self._book.places.values()
        return any("://" not in place.url and not place.url.startswith("/") for place in places)

    def article(self, entry: Entry) -> Article:
        """Raises PageUnreadable."""
        if entry.path not in self._articles:
            page = parse_page(self.source(entry), self.site)
            self._articles[entry.path] = typeset(page, self.site, self._links)
        return self._articles[entry.path]

    def source(self, entry: Entry) -> PageFile:
        return read_page(self._book.folders.root, entry.path)


def _book(root: Path, site: Site, facts: Sequence[PageFacts]) -> Book:
    places = {one.path: site.place(one) for one in facts}
    order = sorted(facts, key=lambda one: (places[one.path].order, one.path))
    return Book(
        folders=folders_of(root, site),
        site=site,
        pages=tuple(map(unopened, order)),
        places={one.path: places[one.path] for one in order},
        contents=None,
        unreadable=(),
    )
