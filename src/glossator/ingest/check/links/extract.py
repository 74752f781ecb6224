"""The links and images of a page, Markdown's own and those in tags, with their lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from markdown_it.token import Token

from glossator.ingest.check.pages import BookPage
from glossator.ingest.check.tags import Tag, is_in_comment, tags

_FOREIGN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|@")
"""Another host, another scheme, or an alias that only the site's bundler knows."""
_FILLED_IN_LATER = re.compile(r"[{}]|<%|\$\(")
_LONGEST_LINK = 20
"""Lines, from the first word of its text to its address."""
_LINK_ATTRIBUTES = {"a": ("href",), "img": ("src",), "Link": ("to", "href")}


@dataclass(frozen=True, slots=True)
class Link:
    target: str
    """As it is written, with percent signs where the address has them."""
    line: int
    is_image: bool = False

    @property
    def path(self) -> str:
        return unquote(re.split(r"[?#]", self.target, maxsplit=1)[0])

    @property
    def fragment(self) -> str:
        return unquote(self.target.partition("#")[2])


def internal_links(page: BookPage) -> list[Link]:
    """Each link into the book once a line; what leads elsewhere is not ours to judge."""
    found = [*_markdown_links(page), *(link for tag in tags(page) for link in _tag_links(tag))]
    unique = dict.fromkeys(link for link in found if _is_internal(link.target))
    return sorted(unique, key=lambda link: link.line)


def _is_internal(target: str) -> bool:
    return bool(target) and not _FOREIGN.match(target) and not _FILLED_IN_LATER.search(unquote(target))


def _markdown_links(page: BookPage) -> Iterator[Link]:
    for token in page.tokens:
        line, is_comment = page.line_of(token), False
        for child in token.children or ():
            target = _target(child)
            if target and not is_comment:
                yield Link(target, _line(page, token, target, line), is_image=child.type == "image")
            line += child.type in ("softbreak", "hardbreak")
            is_comment = is_in_comment(child, before=is_comment)


def _target(child: Token) -> str:
    match child.type:
        case "link_open":
            return str(child.attrs.get("href", ""))
        case "image":
            return str(child.attrs.get("src", ""))
        case _:
            return ""


def _line(page: BookPage, token: Token, target: str, earliest: int) -> int:
    """Where the address is written; a label has it in its definition."""
    last = min(page.first_line + (token.map[1] if token.map else 1), earliest + _LONGEST_LINK)
    written = (target, unquote(target))
    for number in range(earliest, last):
        if any(form in page.lines[number - 1] for form in written):
            return number
    return page.references.get(target, earliest)


def _tag_links(tag: Tag) -> Iterator[Link]:
    for attribute in _LINK_ATTRIBUTES.get(tag.name, ()):
        if target := tag.attributes.get(attribute):
            yield Link(target.strip(), tag.line, is_image=tag.name == "img")
