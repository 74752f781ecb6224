"""The table of contents of an mdBook: links, nested lists, and headings between them for parts."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token


@dataclass(frozen=True, slots=True)
class Entry:
    path: str
    """From the source folder."""
    title: str
    chapter: str
    """The title of its part; without parts, of the chapter at the top of the list that it stands under."""


def entries_of(summary: str) -> tuple[Entry, ...]:
    """The pages in reading order; chapters without a page are left out."""
    tokens = MarkdownIt("commonmark").parse(summary)
    return tuple(entry for entry in _entries(tokens) if entry.path)


def _entries(tokens: Sequence[Token]) -> Iterator[Entry]:
    part, top, depth = "", "", 0
    first = next(
        (place for place, token in enumerate(tokens) if token.type not in ("html_block", "heading_open")), 0
    )
    for number, token in enumerate(tokens):
        depth += token.nesting if token.type in ("bullet_list_open", "bullet_list_close", *_ORDERED) else 0
        if token.type != "inline":
            continue
        if tokens[number - 1].tag == "h1":
            # The heading at the very top is the title of the summary itself.
            part = "" if number <= first else _text(token)
            continue
        for path, title in _links(token):
            top = title if depth <= 1 else top
            yield Entry(path, title, (part or top) if depth else title)


_ORDERED = ("ordered_list_open", "ordered_list_close")


def _links(inline: Token) -> Iterator[tuple[str, str]]:
    children = inline.children or []
    for start, token in enumerate(children):
        if token.type == "link_open":
            end = next(i for i in range(start, len(children)) if children[i].type == "link_close")
            href = str(token.attrs.get("href", "")).replace("%20", " ")
            yield posixpath.normpath(href) if href else "", _joined(children[start:end])


def _text(inline: Token) -> str:
    return _joined(inline.children or [])


def _joined(tokens: Sequence[Token]) -> str:
    return "".join(" " if token.type == "softbreak" else token.content for token in tokens)
