"""Turns a Markdown page into sanitized HTML."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import nh3
from markupsafe import Markup

from glossator.ingest.page import dialect_of
from glossator.ingest.parse import markdown
from glossator.ingest.sites import Site
from glossator.lint.pages import BookPage
from glossator.preview.links import Links
from glossator.preview.markup import Footnotes, PageSection, sections_of
from glossator.preview.renderer import PageRenderer

_CONTENTS_LEVELS = (2, 3)
"""Heading levels in the table of contents of a page."""


@dataclass(frozen=True, slots=True)
class Article:
    html: Markup
    sections: tuple[PageSection, ...]
    """The entries of its table of contents."""
    has_title: bool
    """Whether the page has its own title; otherwise the site adds one."""


def typeset(page: BookPage, site: Site, links: Links) -> Article:
    def address(written: str, is_image: bool) -> str:
        return links.address(page, written, is_image=is_image)

    sections = sections_of(page, site)
    md = markdown(dialect_of(page.path, site))
    footnotes = Footnotes.of(page.tokens)
    renderer = PageRenderer(md, page, sections, footnotes)
    html = renderer.render(footnotes.text, md.options, {}) + renderer.render_footnotes()
    return Article(
        html=Markup(clean(html, address)),  # noqa: S704  just sanitized
        sections=tuple(
            section for section in sections.values() if section.level in _CONTENTS_LEVELS and section.anchor
        ),
        has_title=any(section.level == 1 for section in sections.values()),
    )


Address = Callable[[str, bool], str]
"""Resolves a link as written; the flag says whether it is an image or other media."""

_MATH = {
    *("math", "menclose", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded", "mphantom"),
    *("mroot", "mrow", "ms", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd"),
    *("mtext", "mtr", "munder", "munderover"),
}
_TAGS = frozenset(nh3.ALLOWED_TAGS | _MATH | {"audio", "section", "source", "video"} - {"nav"})
_MATH_ATTRIBUTES = {
    *("accent", "accentunder", "columnalign", "columnlines", "depth", "displaystyle", "fence", "form"),
    *("height", "linethickness", "lspace", "mathvariant", "maxsize", "minsize", "movablelimits", "notation"),
    *("rowlines", "rspace", "scriptlevel", "separator", "stretchy", "voffset", "width"),
}
_ATTRIBUTES = {
    **nh3.ALLOWED_ATTRIBUTES,
    **dict.fromkeys(_MATH, _MATH_ATTRIBUTES),
    "*": {"class", "dir", "id", "lang", "title"},
    "a": {"aria-label", "href", "name"},
    "audio": {"controls", "src"},
    "details": {"name", "open"},
    "div": {"align", "tabindex"},
    "img": {"alt", "height", "src", "width"},
    "math": {"display"},
    "ol": {"reversed", "start", "type"},
    "p": {"align"},
    "pre": {"tabindex"},
    "section": {"aria-label"},
    "source": {"src", "type"},
    "video": {"controls", "height", "loop", "muted", "poster", "src", "width"},
}
_REMOVED_WITH_CONTENT = {"iframe", "noscript", "object", "script", "style", "svg", "template", "title"}
_SCHEMES = {"http", "https", "mailto", "tel"}
_LINK_ATTRIBUTES = {"href", "poster", "src"}


def clean(html: str, address: Address) -> str:
    """Sanitizes a whole page by an allow-list; also closes open tags and drops stray closing ones."""

    def rewrite(tag: str, attribute: str, value: str) -> str | None:
        if attribute not in _LINK_ATTRIBUTES:
            return value
        return address(value, tag != "a")

    return nh3.clean(
        html,
        tags=set(_TAGS),
        clean_content_tags=_REMOVED_WITH_CONTENT,
        attributes={tag: set(names) for tag, names in _ATTRIBUTES.items()},
        attribute_filter=rewrite,
        url_schemes=_SCHEMES,
        link_rel="noopener",
    )
