"""A page of Markdown becomes the HTML that a reader sees."""

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

_LISTED = (2, 3)
"""Levels of headings that a page's own table of contents has."""


@dataclass(frozen=True, slots=True)
class Article:
    html: Markup
    sections: tuple[PageSection, ...]
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


# The last step before HTML leaves us: an allow-list over all of a page, whoever wrote it.
#
# The parser behind it also closes what is open and drops what closes nothing, so that the tags an author
# spread over a page are always whole.

Address = Callable[[str, bool], str]
"""Where a link of the page leads, and whether a picture is meant."""

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
_WITHOUT_CONTENT = {"iframe", "noscript", "object", "script", "style", "svg", "template", "title"}
_SCHEMES = {"http", "https", "mailto", "tel"}
_LINKS = {"href", "poster", "src"}


def clean(html: str, address: Address) -> str:
    def rewritten(tag: str, attribute: str, value: str) -> str | None:
        if attribute not in _LINKS:
            return value
        return address(value, tag != "a")

    return nh3.clean(
        html,
        tags=set(_TAGS),
        clean_content_tags=_WITHOUT_CONTENT,
        attributes={tag: set(names) for tag, names in _ATTRIBUTES.items()},
        attribute_filter=rewritten,
        url_schemes=_SCHEMES,
        link_rel="noopener",
    )


# Boxes and tabs as MkDocs writes them: a line with marks, and what is indented under it.
#
# The parser reads them as CommonMark, a paragraph and perhaps some code; here their text is read once more.

_OPENING = re.compile(r"(!!!|\?\?\?\+?|===[!+]?)[ \t]++([\w-]*+)[^\"]*+(?:\"(.*)\")?")
_PARAGRAPH = 3
"""Tokens of one: it opens, it has text, it closes."""
_DEEPEST = 4
"""Boxes in boxes."""


def unfolded(md: MarkdownIt, tokens: Sequence[Token], lines: Sequence[str], depth: int = 0) -> list[Token]:
    """`lines` are the source of the tokens."""
    shown, place = list[Token](), 0
    while place < len(tokens):
        opening = _opening(tokens, place) if depth < _DEEPEST else None
        if opening is None:
            shown.append(tokens[place])
            place += 1
            continue
        after = _after(tokens, place)
        inside = _indented(tokens[place], tokens[after - 1], lines)
        shown += _block(opening, unfolded(md, md.parse(inside), inside.split("\n"), depth + 1))
        place = after
    return shown


def _opening(tokens: Sequence[Token], place: int) -> re.Match[str] | None:
    if tokens[place].type != "paragraph_open":
        return None
    return _OPENING.fullmatch(tokens[place + 1].content.split("\n", 1)[0].strip())


def _after(tokens: Sequence[Token], place: int) -> int:
    """Behind its paragraph, and behind what was taken for code."""
    after = place + _PARAGRAPH
    return after + 1 if after < len(tokens) and tokens[after].type == "code_block" else after


def _indented(first: Token, last: Token, lines: Sequence[str]) -> str:
    start = first.map[0] if first.map else 0
    end = (last.map or first.map or [0, 0])[1]
    return dedent("\n".join(lines[start + 1 : end]))


def _block(opening: re.Match[str], inside: Sequence[Token]) -> Iterator[Token]:
    marks, kind, title = opening[1], opening[2] or "note", opening[3] or ""
    if marks.startswith("="):
        before, after = f'<div class="variants">{variant(title)}', "</section></div>\n"
    else:
        before, after = box_of(kind, escape(title)), "</aside>\n"
    yield Token("html_block", "", 0, content=before)
    # Their lines are counted from another place, and the index knows no heading among them.
    yield from (token.copy(map=None) for token in inside)
    yield Token("html_block", "", 0, content=after)
