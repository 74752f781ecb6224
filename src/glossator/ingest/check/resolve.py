"""Where a link leads, as the site would have it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path, PurePosixPath

from glossator.ingest.check.links import Link
from glossator.ingest.check.pages import Book, BookPage
from glossator.ingest.check.routes import Routes
from glossator.ingest.site import SiteKind

_MARKDOWN = (".md", ".mdx", ".markdown")
_ADDRESS = ("", ".html", ".htm")
_MEDIA = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif", ".ico", ".mp4", ".webm", ".pdf")
_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,7}")
_OPENING_PAGES = ("index.md", "README.md", "index.mdx", "readme.md")


@dataclass(frozen=True, slots=True)
class ToPage:
    path: str


class Elsewhere(Enum):
    FILE = auto()
    """A file that is no page of the book."""
    UNKNOWN = auto()
    """Perhaps something that only the running site has."""
    NO_PAGE = auto()
    NO_FILE = auto()
    UNLISTED = auto()
    """A page of Markdown that the table of contents leaves out, so that it is never made."""


Destination = ToPage | Elsewhere


class Resolver:
    def __init__(self, book: Book) -> None:
        self._folders = book.folders
        self._site = book.site
        self._paths = {page.path for page in book.pages}
        self._routes = Routes(book)

    def resolve(self, page: BookPage, link: Link) -> Destination:
        if not link.path:
            return ToPage(page.path)
        for file in self._files(page, link.path):
            if found := self._at(file):
                return found
        for address in self._routes.candidates(page.path, link.path):
            if path := self._routes.page_at(address):
                return ToPage(path)
            if self._is_served(address):
                return Elsewhere.FILE
        return self._missing(page, link)

    def _files(self, page: BookPage, path: str) -> Iterator[Path]:
        """The files a path may mean, the nearest first."""
        if not path.startswith("/"):
            yield Path(os.path.normpath((self._folders.root / page.path).parent / path))
        if self._site.kind is SiteKind.DOCUSAURUS and not path.startswith(("./", "../")):
            roots = (*self._folders.content, *((self._folders.site,) if self._folders.site else ()))
            yield from (Path(os.path.normpath(root / path.lstrip("/"))) for root in roots)

    def _at(self, file: Path) -> Destination | None:
        if self._site.kind is SiteKind.DOCUSAURUS and not file.suffix:
            # An address, not the name of a file: the site leaves number prefixes out of it.
            return Elsewhere.FILE if os.path.isfile(file) else None
        forms = (file, *(file.with_name(file.name + suffix) for suffix in _MARKDOWN))
        for form in (*forms, *(file / name for name in _OPENING_PAGES)):
            if (path := self._inside(form)) in self._paths and path:
                return ToPage(path)
        if not os.path.exists(file):
            return None
        return Elsewhere.UNLISTED if self._is_unlisted(file) else Elsewhere.FILE

    def _inside(self, file: Path) -> str | None:
        root = self._folders.root
        return file.relative_to(root).as_posix() if file.is_relative_to(root) else None

    def _is_unlisted(self, file: Path) -> bool:
        """mdBook writes the link of such a page as if it had made it."""
        if self._site.kind is not SiteKind.MDBOOK or file.suffix != ".md":
            return False
        path = self._inside(file)
        return path is not None and file.name != "SUMMARY.md" and not self._site.is_page(path)

    def _is_served(self, address: str) -> bool:
        """Whether the site serves a file at the address as it is."""
        roots = (self._folders.static,) if self._folders.static else self._folders.content
        return any(os.path.isfile(root / address.lstrip("/")) for root in roots)

    def _missing(self, page: BookPage, link: Link) -> Destination:
        suffix = PurePosixPath(link.path).suffix.lower()
        is_from_root = link.path.startswith("/")
        if not link.is_image and (suffix in _ADDRESS or not _SUFFIX.fullmatch(suffix)):
            addresses = self._routes.candidates(page.path, link.path)
            return Elsewhere.NO_PAGE if all(map(self._routes.must_have, addresses)) else Elsewhere.UNKNOWN
        missing = Elsewhere.NO_PAGE if suffix in _MARKDOWN else Elsewhere.NO_FILE
        if is_from_root:
            return missing if self._names_own_root(suffix) else Elsewhere.UNKNOWN
        nearest = next(self._files(page, link.path))
        return missing if nearest.is_relative_to(self._folders.boundary) else Elsewhere.UNKNOWN

    def _names_own_root(self, suffix: str) -> bool:
        """Whether we know every folder that a path from the site's root may lead to."""
        if suffix in _MARKDOWN:
            return self._site.kind is SiteKind.DOCUSAURUS and self._folders.site is not None
        return suffix in _MEDIA and self._folders.static is not None
