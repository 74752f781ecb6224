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
from glossator.ingest.read import read_page
from glossator.ingest.site import Site, SiteKind

# Components of the theme itself that put no anchors into a page.
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
"""Footnotes, parts of the theme, and words of the page itself."""
_RAW_HEADING = re.compile(r"h[1-6]")


@dataclass(frozen=True, slots=True)
class Anchors:
    names: frozenset[str]
    is_complete: bool
    """Whether a name that is not here is surely not on the page."""

    def surely_lack(self, name: str) -> bool:
        return self.is_complete and name not in self.names and not _MADE_BY_GENERATOR.fullmatch(name)


def anchors(page: BookPage, book: Book) -> Anchors:
    """Of the page's headings, tags and attribute lists, and of the partials it shows."""
    own = list(tags(page))
    prose = list(_prose(page))
    found = {"top", *book.site.anchors(page.headings), *_written_anchors(own, prose)}
    is_complete = not _is_filled_in_later(page, prose, book.site) and not any(map(_is_raw_heading, own))
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


def _is_filled_in_later(page: BookPage, prose: Sequence[str], site: Site) -> bool:
    """Whether the generator adds to the page: from a file, a macro or the docstrings of a module."""
    directives = (page.source_of(token) for token in page.tokens if token.type == "markup")
    # What is a box of text elsewhere calls a plugin in MkDocs.
    calls_plugin = site.kind is SiteKind.MKDOCS and any(map(_DIRECTIVE.match, directives))
    return calls_plugin or any(map(_FILLED_IN_LATER.search, prose))


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
    names = {*book.site.anchors(page.headings), *_written_anchors(own, list(_prose(page)))}
    return Anchors(frozenset(names), not {tag.name for tag in own if tag.is_component} - _WITHOUT_ANCHORS)
