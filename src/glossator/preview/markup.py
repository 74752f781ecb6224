"""Markup beyond CommonMark: the boxes, tabs and tags of Docusaurus and MkDocs, headings and footnotes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from html.parser import HTMLParser
from itertools import chain

from markdown_it.token import Token

from glossator.ingest.mdx import Container
from glossator.ingest.sites import Site
from glossator.lint.pages import BookPage
from glossator.lint.tags import without_comments

_BOX_CLASSES = {
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


def container(token: Token, title: str) -> str:
    """The HTML that a token opens or closes; `title` is HTML."""
    match token.info:
        case Container.BOX:
            return box_of(token.meta["kind"], title)
        case Container.TAB:
            return f'<div class="variants">{variant(token.content)}'
        case Container.END_OF_TAB:
            return "</section></div>\n"
        case _:
            return "</aside>\n"


def box_of(kind: str, title: str) -> str:
    heading = title or escape(kind.replace("-", " ").capitalize())
    css_class = _BOX_CLASSES.get(kind.lower(), "note")
    return f'<aside class="box {css_class}"><p class="box-title">{heading}</p>\n'


def variant(label: str) -> str:
    """A tab. Tabs are shown one below the other, so that no citation leads to hidden text."""
    return f'<section><p class="variant">{escape(label)}</p>\n'


def tags(source: str, components: Mapping[str, str]) -> str:
    """Renders tabs as titled sections, HTML as it is, and known components."""
    if source.lstrip(" \t>").startswith("{"):
        return ""
    parser = _TagRenderer(components)
    parser.feed(without_comments(source))
    parser.close()
    return "".join(parser.html)


class _TagRenderer(HTMLParser):
    def __init__(self, components: Mapping[str, str]) -> None:
        super().__init__()
        self._components = components
        self.html = list[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # The value of an expression in braces is unknown here.
        attributes = {key: value or "" for key, value in attrs if not (value or "").startswith("{")}
        match tag:
            case "tabs":
                self.html.append('<div class="variants">\n')
            case "tabitem":
                self.html.append(variant(attributes.get("label") or attributes.get("value") or ""))
            case "admonition":
                self.html.append(
                    box_of(attributes.get("type") or "note", escape(attributes.get("title") or ""))
                )
            case "link":
                self.html.append(f'<a href="{escape(attributes.get("to") or attributes.get("href") or "")}">')
            case _ if self._is_html():
                self.html.append(_tag(tag, attributes))
            case _:
                self.html.append(self._components.get(tag, ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        self.html.append("</a>" if tag == "link" else _CLOSING.get(tag, f"</{tag}>"))

    def _is_html(self) -> bool:
        """Whether it is no component; a component's name has a capital letter or a dot."""
        return re.match(r"<[a-z][a-z0-9]*(?![\w.:-])", self.get_starttag_text() or "") is not None


def _tag(tag: str, attributes: dict[str, str]) -> str:
    html = "".join(
        f' {"class" if key == "classname" else key}="{escape(value)}"' for key, value in attributes.items()
    )
    return f"<{tag}{html}>"


@dataclass(frozen=True, slots=True)
class PageSection:
    level: int
    title: str
    anchor: str
    """The anchor as the index records it; empty where the page itself is the address."""


def sections_of(page: BookPage, site: Site) -> Mapping[int, PageSection]:
    """The headings of a page by line, as the parser's tokens count lines."""
    return {
        page.line_at(block.span.start) - page.first_line: PageSection(
            block.level, " ".join(block.reading.split()), anchor
        )
        for block, anchor in zip(page.document.headings, site.anchors(page.headings), strict=True)
    }


@dataclass(frozen=True, slots=True)
class Footnotes:
    """The footnotes of a page, separated from its text."""

    text: tuple[Token, ...]
    """The page without its footnotes."""
    notes: Mapping[str, tuple[Token, ...]]
    """The notes by label, in the order of their first reference; unreferenced ones come last."""
    numbers: Mapping[str, int]

    @classmethod
    def of(cls, tokens: Sequence[Token]) -> Footnotes:
        text, notes = list[Token](), dict[str, list[Token]]()
        open_label: str | None = None
        for token in tokens:
            match token.type:
                case "footnote_reference_open":
                    open_label = str(token.meta["label"])
                    notes[open_label] = []
                case "footnote_reference_close":
                    open_label = None
                case _:
                    (text if open_label is None else notes[open_label]).append(token)
        order = dict.fromkeys(chain((label for label in _labels(tokens) if label in notes), notes))
        numbers = {label: number for number, label in enumerate(order, start=1)}
        return cls(tuple(text), {label: tuple(notes[label]) for label in order}, numbers)


def _labels(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        for child in token.children or ():
            if child.type == "footnote_ref":
                yield str(child.meta["label"])
