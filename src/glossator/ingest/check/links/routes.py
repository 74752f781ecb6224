"""The addresses of the book's pages, and which other addresses would have to be among them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from glossator.ingest.check.folders import Folders
from glossator.ingest.check.pages import Book
from glossator.ingest.site import SiteKind

_GENERATED = {"category", "tags", "next"}
"""Below the docs of a Docusaurus site, folders of pages that no file is behind."""
_SLUG = re.compile(r"""["']?slug["']?\s*:\s*["']?/?([^"',}\s]+)""")
_QUOTED = re.compile(r'"([^"]+)"')
_MADE_BY_MDBOOK = {"index.html", "print.html", "404.html", "toc.html"}


class Routes:
    def __init__(self, book: Book) -> None:
        self._kind = book.site.kind
        self._base = _plain(urlsplit(book.site.home).path)
        self._addresses = {path: _plain(urlsplit(place.url).path) for path, place in book.places.items()}
        self._pages = {address: path for path, address in self._addresses.items()}
        self._folders = {posixpath.dirname(address) for address in self._pages}
        self._common = posixpath.commonpath([*self._pages]) if self._pages else "/"
        self._indexes = tuple(f"/{slug}" for slug in _named_in(_category_files(book.folders), _SLUG))
        self._versions = {*_GENERATED, *_named_in(_version_files(book.folders), _QUOTED)}

    def page_at(self, address: str) -> str | None:
        return self._pages.get(_plain(address))

    def candidates(self, page: str, path: str) -> list[str]:
        """What a browser may make of a link, whether the site ends its addresses in a slash or not."""
        if path.startswith("/"):
            return [_joined("/", path), _joined(self._base, path.lstrip("/"))]
        own = self._addresses.get(page, "/")
        from_folder = _joined(posixpath.dirname(own), path)
        return [from_folder] if self._kind is SiteKind.MDBOOK else [from_folder, _joined(own, path)]

    def without_base(self, address: str) -> str:
        return address.removeprefix(self._base.rstrip("/"))

    def must_have(self, address: str) -> bool:
        """Whether the site would have a page at this address only if the book had it."""
        plain = _plain(address)
        folder, name = posixpath.split(plain)
        match self._kind:
            case SiteKind.DOCUSAURUS:
                return self._is_among_docs(plain) and not self._is_made_by_site(plain)
            case SiteKind.MDBOOK:
                return name.endswith(".html") and name not in _MADE_BY_MDBOOK and folder in self._folders
            case SiteKind.MKDOCS | SiteKind.PLAIN:
                return False

    def _is_among_docs(self, address: str) -> bool:
        """Where docs and other pages share their root, only the folders that hold docs are the docs' own."""
        if self._common not in ("/", self._base):
            return address.startswith(f"{self._common}/")
        folder = posixpath.dirname(address)
        return folder in self._folders and folder not in ("/", self._base)

    def _is_made_by_site(self, address: str) -> bool:
        first = address.removeprefix(self._common).strip("/").split("/")[0]
        return first in self._versions or address.endswith(self._indexes)


def _plain(address: str) -> str:
    return unquote(address).removesuffix("index.html").rstrip("/") or "/"


def _joined(folder: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(folder, path.lstrip("/") if folder == "/" else path))


def _category_files(folders: Folders) -> Iterator[Path]:
    for content in folders.content:
        yield from content.rglob("_category_.*")
    if folders.site:
        yield from folders.site.glob("sidebars.*")


def _version_files(folders: Folders) -> Iterator[Path]:
    if folders.site:
        yield from folders.site.glob("*versions.json")


def _named_in(files: Iterator[Path], pattern: re.Pattern[str]) -> Iterator[str]:
    for file in files:
        yield from pattern.findall(file.read_text(encoding="utf-8", errors="replace"))
