"""Turns a Markdown page into sanitized HTML, including the boxes and tabs of MkDocs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import dedent

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from glossator.ingest.page import dialect_of
from glossator.ingest.parse import markdown
from glossator.ingest.sites import Site, SiteKind
from glossator.lint.pages import BookPage
from glossator.preview.links import Links
from glossator.preview.markup import Footnotes, PageSection, box_of, sections_of, variant
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
    tokens = (
        expand_mkdocs_blocks(md, page.tokens, page.lines[page.first_line - 1 :])
        if site.kind is SiteKind.MKDOCS
        else page.tokens
    )
    footnotes = Footnotes.of(tokens)
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


_OPENING = re.compile(r"(!!!|\?\?\?\+?|===[!+]?)[ \t]++([\w-]*+)[^\"]*+(?:\"(.*)\")?")
_PARAGRAPH_TOKENS = 3
"""Open, text, close."""
_MAX_DEPTH = 4
"""Of boxes in boxes."""


def expand_mkdocs_blocks(
    md: MarkdownIt, tokens: Sequence[Token], lines: Sequence[str], depth: int = 0
) -> list[Token]:
    """Parses MkDocs boxes and tabs: a line with a mark, and an indented block under it.

    CommonMark reads them as a paragraph and perhaps code; here their source, `lines`, is parsed again.
    """
    expanded, position = list[Token](), 0
    while position < len(tokens):
        opening = _opening(tokens, position) if depth < _MAX_DEPTH else None
        if opening is None:
            expanded.append(tokens[position])
            position += 1
            continue
        end = _block_end(tokens, position)
        body = _indented(tokens[position], tokens[end - 1], lines)
        expanded += _block(opening, expand_mkdocs_blocks(md, md.parse(body), body.split("\n"), depth + 1))
        position = end
    return expanded


def _opening(tokens: Sequence[Token], position: int) -> re.Match[str] | None:
    if tokens[position].type != "paragraph_open":
        return None
    return _OPENING.fullmatch(tokens[position + 1].content.split("\n", 1)[0].strip())


def _block_end(tokens: Sequence[Token], position: int) -> int:
    """The end of the paragraph, and of the indented block if it was parsed as code."""
    end = position + _PARAGRAPH_TOKENS
    return end + 1 if end < len(tokens) and tokens[end].type == "code_block" else end


def _indented(first: Token, last: Token, lines: Sequence[str]) -> str:
    start = first.map[0] if first.map else 0
    end = (last.map or first.map or [0, 0])[1]
    return dedent("\n".join(lines[start + 1 : end]))


def _block(opening: re.Match[str], body: Sequence[Token]) -> Iterator[Token]:
    marks, kind, title = opening[1], opening[2] or "note", opening[3] or ""
    if marks.startswith("="):
        before, after = f'<div class="variants">{variant(title)}', "</section></div>\n"
    else:
        before, after = box_of(kind, escape(title)), "</aside>\n"
    yield Token("html_block", "", 0, content=before)
    # Line numbers in the block are relative to it, and the index has no headings from it.
    yield from (token.copy(map=None) for token in body)
    yield Token("html_block", "", 0, content=after)
