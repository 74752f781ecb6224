"""Find the links of a page, and resolve them to pages and files by the rules of the site."""

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
    """An existing file that is no page of the book."""
    UNKNOWN = auto()
    """It may exist only on the running site."""
    NO_PAGE = auto()
    NO_FILE = auto()
    UNLISTED = auto()
    """A Markdown file that the table of contents does not list, so that it is not published."""


Destination = ToPage | OutsideBook


class LinkResolver:
    def __init__(self, book: CheckedBook) -> None:
        self._folders = book.folders
        self._site = book.site
        self._paths = book.places.keys()
        self._routes = Routes(book)

    def resolve(self, page: str, link: Link) -> Destination:
        """Of a link on the page with this path."""
        if not link.path:
            return ToPage(page)
        for file in self._files(page, link.path):
            if destination := self._at(file):
                return destination
        for address in self._routes.candidates(page, link.path):
            if path := self._routes.page_at(address):
                return ToPage(path)
            if self._is_served(address):
                return OutsideBook.FILE
        return self._missing(page, link)

    def _files(self, page: str, path: str) -> Iterator[Path]:
        """The files that a path may mean, nearest first."""
        if not path.startswith("/"):
            yield from (Path(os.path.normpath(folder / path)) for folder in self._folders_of(page))
        if self._site.kind is SiteKind.DOCUSAURUS and not path.startswith(("./", "../")):
            roots = (*self._folders.content, *((self._folders.site,) if self._folders.site else ()))
            yield from (Path(os.path.normpath(root / path.lstrip("/"))) for root in roots)

    def _folders_of(self, page: str) -> Iterator[Path]:
        """The page's own folder, that of its symlink's target, and the same folder in other languages."""
        folder = (self._folders.root / page).parent
        yield folder
        yield (self._folders.root / page).resolve().parent
        for root in (root for root in self._folders.content if folder.is_relative_to(root)):
            yield from (other / folder.relative_to(root) for other in self._folders.content if other != root)

    def _at(self, file: Path) -> Destination | None:
        if self._site.kind is SiteKind.DOCUSAURUS and not file.suffix:
            # This is an address, which has no number prefixes, and not the name of a page's file.
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
        """The path from the root; empty for a file outside of it."""
        root = self._folders.root
        return file.relative_to(root).as_posix() if file.is_relative_to(root) else ""

    def _is_unlisted(self, file: Path) -> bool:
        """mdBook turns a link to such a file into the address of a page that does not exist."""
        if self._site.kind is not SiteKind.MDBOOK or file.suffix != ".md":
            return False
        path = self._inside(file)
        return path != "" and file.name != "SUMMARY.md" and not self._site.is_page(path)

    def _is_served(self, address: str) -> bool:
        """Whether the site serves a static file at the address."""
        roots = (self._folders.static,) if self._folders.static else self._folders.content
        paths = {address.lstrip("/"), self._routes.without_base(address).lstrip("/")}
        return any(os.path.isfile(root / path) for root in roots for path in paths)

    def _missing(self, page: str, link: Link) -> Destination:
        suffix = PurePosixPath(link.path).suffix.lower()
        if link.path.startswith("/") and self._folders.site is None:
            # Without the site's configuration, its root is not known.
            return OutsideBook.UNKNOWN
        if not link.is_image and (suffix in _ADDRESS or not _SUFFIX.fullmatch(suffix)):
            addresses = self._routes.candidates(page, link.path)
            return OutsideBook.NO_PAGE if all(map(self._routes.must_have, addresses)) else OutsideBook.UNKNOWN
        if not self._would_be_on_disk(page, link.path, suffix):
            return OutsideBook.UNKNOWN
        return OutsideBook.NO_PAGE if suffix in _MARKDOWN else OutsideBook.NO_FILE

    def _would_be_on_disk(self, page: str, path: str, suffix: str) -> bool:
        """Whether every file that the path may mean has been looked for."""
        if path.startswith("/"):
            is_page = suffix in _MARKDOWN and self._site.kind is SiteKind.DOCUSAURUS
            return is_page or (suffix in _MEDIA and self._folders.static is not None)
        nearest = next(self._files(page, path))
        return nearest.is_relative_to(self._folders.boundary) and not self._folders.has_generated_files


_FOREIGN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|@")
"""Another host, another scheme, or an alias that only the site's bundler knows."""
_FILLED_IN_LATER = re.compile(r"[{}]|<%|\$\(")
_LONGEST_LINK = 20
"""Lines from the beginning of a link's text to its address."""
_LINK_ATTRIBUTES = {"a": ("href",), "img": ("src",), "Link": ("to", "href")}


@dataclass(frozen=True, slots=True)
class Link:
    """A link or an image, in Markdown or in a tag."""

    target: str
    """The target as it is written in the source, with its percent-encoding."""
    line: int
    is_image: bool = False

    @property
    def path(self) -> str:
        return unquote(re.split(r"[?#]", self.target, maxsplit=1)[0])

    @property
    def fragment(self) -> str:
        return unquote(self.target.partition("#")[2])


def internal_links(page: BookPage) -> list[Link]:
    """The links into the book, each once per line; links to other sites are not checked."""
    links = [*_markdown_links(page), *(link for tag in tags(page) for link in _tag_links(tag))]
    unique = dict.fromkeys(link for link in links if _is_internal(link.target))
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
    """The line of the address; for a link by label, that of the label's definition."""
    last = min(page.first_line + (token.map[1] if token.map else 1), earliest + _LONGEST_LINK)
    forms = (target, unquote(target))
    for number in range(earliest, last):
        if any(form in page.lines[number - 1] for form in forms):
            return number
    return page.references.get(target, earliest)


def _tag_links(tag: Tag) -> Iterator[Link]:
    for attribute in _LINK_ATTRIBUTES.get(tag.name, ()):
        if target := tag.attributes.get(attribute):
            yield Link(target.strip(), tag.line, is_image=tag.name == "img")
