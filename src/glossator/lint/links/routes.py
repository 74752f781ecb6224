"""The addresses and anchors of the book's pages, as far as they can be known without the generator."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from glossator.errors import PageUnreadable
from glossator.ingest.discover import read_page
from glossator.ingest.sites import Site, SiteKind
from glossator.lint.pages import BookPage, CheckedBook, Folders, parse_page
from glossator.lint.tags import Tag, partials, tags

_GENERATED = {"category", "tags", "next"}
"""Folders of generated pages, without files, in the docs of a Docusaurus site."""
_SLUG = re.compile(r"""["']?slug["']?\s*:\s*["']?/?([^"',}\s]+)""")
_QUOTED = re.compile(r'"([^"]+)"')
_MADE_BY_MDBOOK = {"index.html", "print.html", "404.html", "toc.html"}


class Routes:
    def __init__(self, book: CheckedBook) -> None:
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
        """The addresses that a link may resolve to, with and without a slash at the end of the page's own."""
        if path.startswith("/"):
            return [_joined("/", path), _joined(self._base, path.lstrip("/"))]
        address = self._addresses.get(page, "/")
        from_folder = _joined(posixpath.dirname(address), path)
        return [from_folder] if self._kind is SiteKind.MDBOOK else [from_folder, _joined(address, path)]

    def without_base(self, address: str) -> str:
        return address.removeprefix(self._base.rstrip("/"))

    def must_have(self, address: str) -> bool:
        """Whether a page at this address can only come from the book."""
        plain = _plain(address)
        folder, name = posixpath.split(plain)
        match self._kind:
            case SiteKind.DOCUSAURUS:
                return self._is_among_docs(plain) and not self._is_made_by_site(plain)
            case SiteKind.MDBOOK:
                return name.endswith(".html") and name not in _MADE_BY_MDBOOK and folder in self._folders
            case _:
                return False

    def _is_among_docs(self, address: str) -> bool:
        """If docs share their root with other pages, only folders that contain docs count."""
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


# Components of the theme that add no anchors to a page.
_WITHOUT_ANCHORS = {
    "Admonition",
    "BrowserOnly",
    "CodeBlock",
    "DocCardList",
    "Head",
    "Link",
    "TOCInline",
    "TabItem",
    "Tabs",
    "ThemedImage",
    "Translate",
}
_FILLED_IN_LATER = re.compile(r"\{\{(?!#)|\{\{#(?:include|template)\b|--8<--|\{%|\{!")
_DIRECTIVE = re.compile(r"\s*:::")
_ATTRIBUTE_LIST = re.compile(r"\{(?:[^{}\n#]|#(?![\w:.-]))*+#([\w:.-]++)[^{}\n]*+\}")
_MADE_BY_GENERATOR = re.compile(r"(?:user-content-)?(?:fn|fnref|footnote)[-:]?.*|fr-.*|__.*|:~:.*")
"""Footnotes, parts of the theme, and text fragments."""
_RAW_HEADING = re.compile(r"h[1-6]")


@dataclass(frozen=True, slots=True)
class Anchors:
    """The anchors of a page."""

    names: frozenset[str]
    is_complete: bool
    """Whether the page has no other anchors."""

    def surely_lack(self, name: str) -> bool:
        return self.is_complete and name not in self.names and not _MADE_BY_GENERATOR.fullmatch(name)


def anchors(page: BookPage, site: Site, folders: Folders) -> Anchors:
    """The anchors of the page's headings, tags and attribute lists, and of the partials that it includes."""
    page_tags = list(tags(page))
    prose = list(_prose(page))
    names = {"top", *site.anchors(page.headings), *_written_anchors(page_tags, prose)}
    is_complete = not _is_filled_in_later(page, prose, site) and not any(map(_is_raw_heading, page_tags))
    # Any element of HTML may have an id, and only those of headings are in its Markdown.
    is_complete &= site.kind is not SiteKind.HTML
    imported = {partial.name: partial.path for partial in partials(page, folders)}
    for component in {tag.name for tag in page_tags if tag.is_component} - _WITHOUT_ANCHORS:
        added = _component_anchors(imported.get(component), site, folders)
        names |= added.names
        is_complete &= added.is_complete
    return Anchors(frozenset(names), is_complete)


def _prose(page: BookPage) -> Iterator[str]:
    """The text of the page that is not code."""
    for token in page.tokens:
        yield from (child.content for child in token.children or () if child.type == "text")


def _is_filled_in_later(page: BookPage, prose: Sequence[str], site: Site) -> bool:
    """Whether the generator adds content to the page, from a file, a macro or docstrings."""
    directives = (page.source_of(token) for token in page.tokens if token.type == "markup")
    # `:::` opens an admonition elsewhere, but calls a plugin in MkDocs.
    calls_plugin = site.kind is SiteKind.MKDOCS and any(map(_DIRECTIVE.match, directives))
    return calls_plugin or any(map(_FILLED_IN_LATER.search, prose))


def _written_anchors(page_tags: Sequence[Tag], prose: Sequence[str]) -> Iterator[str]:
    for tag in page_tags:
        yield from (tag.attributes[name] for name in ("id", "name") if name in tag.attributes)
    for text in prose:
        yield from _ATTRIBUTE_LIST.findall(text)


def _is_raw_heading(tag: Tag) -> bool:
    """Some generators give such a heading an anchor of its text, which is not parsed here."""
    return bool(_RAW_HEADING.fullmatch(tag.name)) and "id" not in tag.attributes


def _component_anchors(partial: Path | None, site: Site, folders: Folders) -> Anchors:
    """The anchors that a component adds; not complete unless it is a partial of plain Markdown."""
    if partial is None or not partial.is_relative_to(folders.boundary):
        return Anchors(frozenset(), is_complete=False)
    name = partial.relative_to(folders.boundary).as_posix()
    try:
        page = parse_page(read_page(folders.boundary, name), site)
    except PageUnreadable:
        return Anchors(frozenset(), is_complete=False)
    page_tags = list(tags(page))
    names = {*site.anchors(page.headings), *_written_anchors(page_tags, list(_prose(page)))}
    return Anchors(
        frozenset(names), not {tag.name for tag in page_tags if tag.is_component} - _WITHOUT_ANCHORS
    )
