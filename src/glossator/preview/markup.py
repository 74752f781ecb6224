"""What becomes of the lines that MDX and Docusaurus add to Markdown: boxes, tabs and tags."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from html.parser import HTMLParser
from itertools import chain

from markdown_it.token import Token

from glossator.ingest.sites import Site
from glossator.lint.pages import BookPage
from glossator.lint.tags import without_comments

_BOX = re.compile(r"[\s>*+\-\d.)]*:{3,}\s*([\w-]*)")
_KINDS = {
    "note": "note",
    "info": "note",
    "important": "note",
    "tip": "tip",
    "success": "tip",
    "warning": "warning",
    "caution": "warning",
    "danger": "danger",
    "error": "danger",
}
_VOID = {"area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
_CLOSING = {"tabs": "</div>", "tabitem": "</section>", "admonition": "</aside>"}


def is_box(line: str) -> bool:
    """Whether it opens or closes an admonition, `:::note`."""
    return _BOX.match(line) is not None


def box(line: str, title: str) -> str:
    """`title` is HTML; where there is none, the box is called after its kind."""
    opening = _BOX.match(line)
    kind = opening[1] if opening else ""
    return box_of(kind, title) if kind or title else "</aside>\n"


def box_of(kind: str, title: str) -> str:
    shown = title or escape(kind.replace("-", " ").capitalize())
    look = _KINDS.get(kind.lower(), "note")
    return f'<aside class="box {look}"><p class="box-title">{shown}</p>\n'


def variant(label: str) -> str:
    """One of several tabs: they stand one under the other, so that no citation leads to hidden words."""
    return f'<section><p class="variant">{escape(label)}</p>\n'


def tags(source: str, components: Mapping[str, str]) -> str:
    """Tabs as titled sections, HTML as itself, and of components those that are known."""
    if source.lstrip(" \t>").startswith("{"):
        return ""
    reader = _Tags(components)
    reader.feed(without_comments(source))
    reader.close()
    return "".join(reader.shown)


class _Tags(HTMLParser):
    def __init__(self, components: Mapping[str, str]) -> None:
        super().__init__()
        self._components = components
        self.shown = list[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # A value in braces is known only to the site.
        written = {key: value or "" for key, value in attrs if not (value or "").startswith("{")}
        match tag:
            case "tabs":
                self.shown.append('<div class="variants">\n')
            case "tabitem":
                self.shown.append(variant(written.get("label") or written.get("value") or ""))
            case "admonition":
                self.shown.append(box_of(written.get("type") or "note", escape(written.get("title") or "")))
            case "link":
                self.shown.append(f'<a href="{escape(written.get("to") or written.get("href") or "")}">')
            case _ if self._is_html():
                self.shown.append(_tag(tag, written))
            case _:
                self.shown.append(self._components.get(tag, ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        self.shown.append("</a>" if tag == "link" else _CLOSING.get(tag, f"</{tag}>"))

    def _is_html(self) -> bool:
        """A component has a capital, or a dot in its name."""
        return re.match(r"<[a-z][a-z0-9]*(?![\w.:-])", self.get_starttag_text() or "") is not None


def _tag(tag: str, attributes: dict[str, str]) -> str:
    written = "".join(
        f' {"class" if key == "classname" else key}="{escape(value)}"' for key, value in attributes.items()
    )
    return f"<{tag}{written}>"


# The headings of a page, each with the anchor that the index records for it.


@dataclass(frozen=True, slots=True)
class PageSection:
    level: int
    title: str
    anchor: str
    """Empty where the page itself is the address."""


def sections_of(page: BookPage, site: Site) -> Mapping[int, PageSection]:
    """By the line they stand on, as the parser's tokens count it."""
    return {
        page.line_at(block.span.start) - page.first_line: PageSection(
            block.level, " ".join(block.reading.split()), anchor
        )
        for block, anchor in zip(page.document.headings, site.anchors(page.headings), strict=True)
    }


# The footnotes of a page, taken out of its text, wherever they stand in it.


@dataclass(frozen=True, slots=True)
class Footnotes:
    text: tuple[Token, ...]
    """What remains of the page."""
    notes: Mapping[str, tuple[Token, ...]]
    """By label, in the order in which the text refers to them; those it never does come last."""
    numbers: Mapping[str, int]

    @classmethod
    def of(cls, tokens: Sequence[Token]) -> Footnotes:
        text, notes = list[Token](), dict[str, list[Token]]()
        label: str | None = None
        for token in tokens:
            match token.type:
                case "footnote_reference_open":
                    label = str(token.meta["label"])
                    notes[label] = []
                case "footnote_reference_close":
                    label = None
                case _:
                    (text if label is None else notes[label]).append(token)
        order = dict.fromkeys(chain((one for one in _labels(tokens) if one in notes), notes))
        numbers = {one: number for number, one in enumerate(order, start=1)}
        return cls(tuple(text), {one: tuple(notes[one]) for one in order}, numbers)


def _labels(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        for child in token.children or ():
            if child.type == "footnote_ref":
                yield str(child.meta["label"])
