"""The places of a page that a link can lead to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from glossator.errors import PageUnreadable
from glossator.ingest.check.pages import Book, BookPage, parse_page
from glossator.ingest.check.partials import partials
from glossator.ingest.check.tags import Tag, tags
from glossator.ingest.parse import Block, Kind
from glossator.ingest.read import read_page
from glossator.ingest.site import Heading, Site

# Components of the theme itself that put no anchors into a page.
_WITHOUT_ANCHORS = {
    "Admonition",
    "BrowserOnly",
    "CodeBlock",
    "DocCardList",
    "Head",
    "Link",
    "TabItem",
    "Tabs",
    "ThemedImage",
    "Translate",
}
_INCLUDES = re.compile(r"\{\{#(?:include|template)\b|--8<--|\{%|\{!")
_ATTRIBUTE_LIST = re.compile(r"\{:?[^{}\n]*?#([\w:.-]+)[^{}\n]*\}")
_FOOTNOTE = re.compile(r"(?:user-content-)?(?:fn|fnref|footnote)[-:]?.*|fr-.*")
_RAW_HEADING = re.compile(r"h[1-6]")


@dataclass(frozen=True, slots=True)
class Anchors:
    names: frozenset[str]
    is_complete: bool
    """Whether a name that is not here is surely not on the page."""

    def surely_lack(self, name: str) -> bool:
        return self.is_complete and name not in self.names and not _FOOTNOTE.fullmatch(name)


def anchors(page: BookPage, book: Book) -> Anchors:
    """Of the page's headings, tags and attribute lists, and of the partials it shows."""
    own = list(tags(page))
    prose = list(_prose(page))
    found = {"top", *_heading_anchors(page, book.site), *_written_anchors(own, prose)}
    is_complete = not any(_INCLUDES.search(text) for text in prose) and not any(map(_is_raw_heading, own))
    imported = {partial.name: partial.path for partial in partials(page, book.folders)}
    for component in {tag.name for tag in own if tag.is_component} - _WITHOUT_ANCHORS:
        brought = _brought_by(imported.get(component), book)
        found |= brought.names
        is_complete &= brought.is_complete
    return Anchors(frozenset(found), is_complete)


def _prose(page: BookPage) -> Iterator[str]:
    """What is not code."""
    for token in page.tokens:
        yield from (child.content for child in token.children or () if child.type == "text")


def _heading_anchors(page: BookPage, site: Site) -> set[str]:
    """With and without the headings in lists and quotations, which not every generator counts."""
    nested = [
        Heading(block.level, block.reading, block.custom_id) for block in _headings(page.document.blocks)
    ]
    return {*site.anchors(page.headings), *site.anchors(nested)}


def _headings(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        if block.kind is Kind.HEADING:
            yield block
        yield from _headings(block.children)


def _written_anchors(own: Sequence[Tag], prose: Sequence[str]) -> Iterator[str]:
    for tag in own:
        yield from (tag.attributes[name] for name in ("id", "name") if name in tag.attributes)
    for text in prose:
        yield from _ATTRIBUTE_LIST.findall(text)


def _is_raw_heading(tag: Tag) -> bool:
    """Some generators give it an anchor, made of words that we do not see."""
    return bool(_RAW_HEADING.fullmatch(tag.name)) and "id" not in tag.attributes


def _brought_by(partial: Path | None, book: Book) -> Anchors:
    """By a component: nobody but the site knows, unless it is a partial of plain Markdown."""
    if partial is None or not partial.is_relative_to(book.folders.boundary):
        return Anchors(frozenset(), is_complete=False)
    name = partial.relative_to(book.folders.boundary).as_posix()
    try:
        page = parse_page(read_page(book.folders.boundary, name), book.site)
    except PageUnreadable:
        return Anchors(frozenset(), is_complete=False)
    own = list(tags(page))
    names = {*_heading_anchors(page, book.site), *_written_anchors(own, list(_prose(page)))}
    return Anchors(frozenset(names), not {tag.name for tag in own if tag.is_component} - _WITHOUT_ANCHORS)
