"""Where a link leads, as the site would have it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from markdown_it.token import Token

from glossator.ingest.sites import SiteKind
from glossator.lint.links.routes import Routes
from glossator.lint.pages import BookPage, CheckedBook
from glossator.lint.tags import Tag, is_in_comment, tags

_MARKDOWN = (".md", ".mdx", ".markdown")
_ADDRESS = ("", ".html", ".htm")
_MEDIA = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif", ".ico", ".mp4", ".webm", ".pdf")
_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,7}")
_OPENING_PAGES = ("index.md", "README.md", "index.mdx", "readme.md")


@dataclass(frozen=True, slots=True)
class ToPage:
    path: str


class OutsideBook(Enum):
    FILE = auto()
    """A file that is no page of the book."""
    UNKNOWN = auto()
    """Perhaps something that only the running site has."""
    NO_PAGE = auto()
    NO_FILE = auto()
    UNLISTED = auto()
    """A page of Markdown that the table of contents leaves out, so that it is never made."""


Destination = ToPage | OutsideBook


class Resolver:
    def __init__(self, book: CheckedBook) -> None:
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
                return OutsideBook.FILE
        return self._missing(page, link)

    def _files(self, page: BookPage, path: str) -> Iterator[Path]:
        """The files a path may mean, the nearest first."""
        if not path.startswith("/"):
            yield from (Path(os.path.normpath(folder / path)) for folder in self._folders_of(page))
        if self._site.kind is SiteKind.DOCUSAURUS and not path.startswith(("./", "../")):
            roots = (*self._folders.content, *((self._folders.site,) if self._folders.site else ()))
            yield from (Path(os.path.normpath(root / path.lstrip("/"))) for root in roots)

    def _folders_of(self, page: BookPage) -> Iterator[Path]:
        """Its own; that of the file it is a symbolic link to; for what is not translated, the original's."""
        own = (self._folders.root / page.path).parent
        yield own
        yield (self._folders.root / page.path).resolve().parent
        for root in (root for root in self._folders.content if own.is_relative_to(root)):
            yield from (other / own.relative_to(root) for other in self._folders.content if other != root)

    def _at(self, file: Path) -> Destination | None:
        if self._site.kind is SiteKind.DOCUSAURUS and not file.suffix:
            # An address, not the name of a file: the site leaves number prefixes out of it.
            return OutsideBook.FILE if os.path.isfile(file) else None
        forms = (
            file,
            *(Path(f"{file}{suffix}") for suffix in _MARKDOWN),
            *(file / name for name in _OPENING_PAGES),
        )
        for path in map(self._inside, forms):
            if path in self._paths:
                return ToPage(path)
        if not os.path.exists(file):
            return None
        return OutsideBook.UNLISTED if self._is_unlisted(file) else OutsideBook.FILE

    def _inside(self, file: Path) -> str:
        """Its path from the root; empty where it stands outside."""
        root = self._folders.root
        return file.relative_to(root).as_posix() if file.is_relative_to(root) else ""

    def _is_unlisted(self, file: Path) -> bool:
        """mdBook writes the link of such a page as if it had made it."""
        if self._site.kind is not SiteKind.MDBOOK or file.suffix != ".md":
            return False
        path = self._inside(file)
        return path != "" and file.name != "SUMMARY.md" and not self._site.is_page(path)

    def _is_served(self, address: str) -> bool:
        """Whether the site serves a file at the address as it is."""
        roots = (self._folders.static,) if self._folders.static else self._folders.content
        places = {address.lstrip("/"), self._routes.without_base(address).lstrip("/")}
        return any(os.path.isfile(root / place) for root in roots for place in places)

    def _missing(self, page: BookPage, link: Link) -> Destination:
        suffix = PurePosixPath(link.path).suffix.lower()
        if link.path.startswith("/") and self._folders.site is None:
            # What stands at the root of the site is a guess as long as its configuration is not seen.
            return OutsideBook.UNKNOWN
        if not link.is_image and (suffix in _ADDRESS or not _SUFFIX.fullmatch(suffix)):
            addresses = self._routes.candidates(page.path, link.path)
            return OutsideBook.NO_PAGE if all(map(self._routes.must_have, addresses)) else OutsideBook.UNKNOWN
        if not self._would_be_on_disk(page, link.path, suffix):
            return OutsideBook.UNKNOWN
        return OutsideBook.NO_PAGE if suffix in _MARKDOWN else OutsideBook.NO_FILE

    def _would_be_on_disk(self, page: BookPage, path: str, suffix: str) -> bool:
        """Whether we have looked everywhere that the path may lead to."""
        if path.startswith("/"):
            is_page = suffix in _MARKDOWN and self._site.kind is SiteKind.DOCUSAURUS
            return is_page or (suffix in _MEDIA and self._folders.static is not None)
        nearest = next(self._files(page, path))
        return nearest.is_relative_to(self._folders.boundary) and not self._folders.has_generated_files


# The links and images of a page, Markdown's own and those in tags, with their lines.

_FOREIGN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|@")
"""Another host, another scheme, or an alias that only the site's bundler knows."""
_FILLED_IN_LATER = re.compile(r"[{}]|<%|\$\(")
_LONGEST_LINK = 20
"""Lines, from the first word of its text to its address."""
_LINK_ATTRIBUTES = {"a": ("href",), "img": ("src",), "Link": ("to", "href")}


@dataclass(frozen=True, slots=True)
class Link:
    target: str
    """As it is written, with percent signs where the address has them."""
    line: int
    is_image: bool = False

    @property
    def path(self) -> str:
        return unquote(re.split(r"[?#]", self.target, maxsplit=1)[0])

    @property
    def fragment(self) -> str:
        return unquote(self.target.partition("#")[2])


def internal_links(page: BookPage) -> list[Link]:
    """Each link into the book once a line; what leads elsewhere is not ours to judge."""
    found = [*_markdown_links(page), *(link for tag in tags(page) for link in _tag_links(tag))]
    unique = dict.fromkeys(link for link in found if _is_internal(link.target))
    return sorted(unique, key=lambda link: link.line)


def _is_internal(target: str) -> bool:
    return bool(target) and not _FOREIGN.match(target) and not _FILLED_IN_LATER.search(unquote(target))


def _markdown_links(page: BookPage) -> Iterator[Link]:
    for token in page.tokens:
        line, is_comment = page.line_of(token), False
        for child in token.children or ():
            target = _target(child)
            if target and not is_comment:
                yield Link(target, _line(page, token, target, line), is_image=child.type == "image")
            line += child.type in ("softbreak", "hardbreak")
            is_comment = is_in_comment(child, before=is_comment)


def _target(child: Token) -> str:
    match child.type:
        case "link_open":
            return str(child.attrs.get("href", ""))
        case "image":
            return str(child.attrs.get("src", ""))
        case _:
            return ""


def _line(page: BookPage, token: Token, target: str, earliest: int) -> int:
    """Where the address is written; a label has it in its definition."""
    last = min(page.first_line + (token.map[1] if token.map else 1), earliest + _LONGEST_LINK)
    written = (target, unquote(target))
    for number in range(earliest, last):
        if any(form in page.lines[number - 1] for form in written):
            return number
    return page.references.get(target, earliest)


def _tag_links(tag: Tag) -> Iterator[Link]:
    for attribute in _LINK_ATTRIBUTES.get(tag.name, ()):
        if target := tag.attributes.get(attribute):
            yield Link(target.strip(), tag.line, is_image=tag.name == "img")
