"""The addresses of the book's pages, and which other addresses would have to be among them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from glossator.ingest.check.pages import Book
from glossator.ingest.site import SiteKind

_GENERATED = {"category", "tags", "next"}
"""Below the docs of a Docusaurus site, pages that no file is behind."""
_SLUG = re.compile(r"""["']?slug["']?\s*:\s*["']?([^"',}\s]+)""")
_VERSION = re.compile(r'"([^"]+)"')
_MADE_BY_MDBOOK = {"index.html", "print.html", "404.html", "toc.html"}


class Routes:
    def __init__(self, book: Book) -> None:
        self._kind = book.site.kind
        self._base = _plain(urlsplit(book.site.home).path)
        self._addresses = {path: _plain(urlsplit(place.url).path) for path, place in book.places.items()}
        self._pages = {address: path for path, address in self._addresses.items()}
        self._folders = {posixpath.dirname(address) for address in self._pages}
        self._common = posixpath.commonpath([*self._folders]) if self._folders else ""
        self._made_by_site = set(_slugs(book)) if self._kind is SiteKind.DOCUSAURUS else set[str]()

    def page_at(self, address: str) -> str | None:
        return self._pages.get(_plain(address))

    def candidates(self, page: str, path: str) -> Iterator[str]:
        """What a browser may make of a link, whether the site ends its addresses in a slash or not."""
        if path.startswith("/"):
            yield posixpath.normpath(path)
            yield posixpath.normpath(f"{self._base}/{path}")
            return
        own = self._addresses[page]
        yield posixpath.normpath(posixpath.join(posixpath.dirname(own), path))
        if self._kind is not SiteKind.MDBOOK:
            yield posixpath.normpath(posixpath.join(own, path))

    def must_have(self, address: str) -> bool:
        """Whether the site would have a page at this address only if the book had it."""
        folder, name = posixpath.split(_plain(address))
        match self._kind:
            case SiteKind.DOCUSAURUS:
                return self._is_among_docs(_plain(address)) and not self._is_made_by_site(_plain(address))
            case SiteKind.MDBOOK:
                return name.endswith(".html") and name not in _MADE_BY_MDBOOK and folder in self._folders
            case _:
                return False

    def _is_among_docs(self, address: str) -> bool:
        """Where docs and other pages share their root, only the folders that hold docs are the docs' own."""
        if self._common in ("", "/", self._base):
            folder = posixpath.dirname(address)
            return folder in self._folders and folder not in ("", "/", self._base)
        return address.startswith(f"{self._common}/")

    def _is_made_by_site(self, address: str) -> bool:
        first = address.removeprefix(self._common).strip("/").split("/")[0]
        return first in _GENERATED | self._made_by_site or any(
            address.endswith(f"/{slug}") for slug in self._made_by_site
        )


def _plain(address: str) -> str:
    return unquote(address).removesuffix("index.html").rstrip("/")


def _slugs(book: Book) -> Iterator[str]:
    """Addresses and versions that the site's own small files name."""
    folders = book.folders
    for content in folders.content:
        for category in (*content.rglob("_category_.*"),):
            yield from _named(category, _SLUG)
    for file in folders.site.glob("sidebars.*") if folders.site else ():
        yield from _named(file, _SLUG)
    for file in folders.site.glob("*versions.json") if folders.site else ():
        yield from _named(file, _VERSION)


def _named(file: Path, pattern: re.Pattern[str]) -> Iterator[str]:
    for name in pattern.findall(file.read_text(encoding="utf-8", errors="replace")):
        yield name.strip("/")
