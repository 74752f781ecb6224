"""A page of Markdown becomes the HTML that a reader sees."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from glossator.ingest.check.pages import BookPage
from glossator.ingest.page import dialect_of
from glossator.ingest.parse import markdown
from glossator.ingest.site import Site, SiteKind
from glossator.preview.clean import clean
from glossator.preview.footnotes import Footnotes
from glossator.preview.indented import unfolded
from glossator.preview.links import Links
from glossator.preview.renderer import PageRenderer
from glossator.preview.sections import Section, sections_of

_LISTED = (2, 3)
"""Levels of headings that a page's own table of contents has."""


@dataclass(frozen=True, slots=True)
class Article:
    html: Markup
    sections: tuple[Section, ...]
    """Those of its table of contents."""
    has_title: bool
    """Whether the page brings its own; else the site sets one over it."""


def typeset(page: BookPage, site: Site, links: Links) -> Article:
    def address(written: str, is_image: bool) -> str:
        return links.address(page, written, is_image=is_image)

    sections = sections_of(page, site)
    md = markdown(dialect_of(page.path, site))
    tokens = (
        unfolded(md, page.tokens, page.lines[page.first_line - 1 :])
        if site.kind is SiteKind.MKDOCS
        else page.tokens
    )
    footnotes = Footnotes.of(tokens)
    renderer = PageRenderer(md, page, sections, footnotes)
    html = renderer.render(footnotes.text, md.options, {}) + renderer.render_footnotes()
    return Article(
        html=Markup(clean(html, address)),  # noqa: S704  it has just been cleaned
        sections=tuple(one for one in sections.values() if one.level in _LISTED and one.anchor),
        has_title=any(one.level == 1 for one in sections.values()),
    )
