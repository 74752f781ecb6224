"""The tags of raw HTML and JSX in a page, with their attributes and lines."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

from markdown_it.token import Token

from glossator.lint.pages import BookPage, Folders
from glossator.text.spans import spans_between

_COMMENT_OPENS, _COMMENT_CLOSES = re.compile(r"\{\s*/\*"), re.compile(r"\*/\s*\}")
_NAME = re.compile(r"<([\w.:-]+)")
_LIVE_FENCE = "mdx-code-block"
"""Docusaurus takes such a fence away and runs what is in it."""
_STATEMENT = re.compile(r"\s*(?:import|export)\b")


@dataclass(frozen=True, slots=True)
class Tag:
    name: str
    """In the case it was written in: a component begins with a capital."""
    line: int
    attributes: Mapping[str, str] = field(default_factory=dict[str, str])
    """Those whose value is written out; a value in braces is known only to the site."""

    @property
    def is_component(self) -> bool:
        return self.name[:1].isupper() or "." in self.name


def tags(page: BookPage) -> Iterator[Tag]:
    for token in page.tokens:
        match token.type:
            case "html_block":
                yield from tags_in(token.content, page.line_of(token))
            case "markup" if not is_statement(page, token):
                yield from tags_in(page.source_of(token), page.line_of(token))
            case "fence" if token.info.startswith(_LIVE_FENCE):
                yield from tags_in(token.content, page.line_of(token) + 1)
            case "inline":
                yield from _inline_tags(page, token)
            case _:
                continue


def is_statement(page: BookPage, token: Token) -> bool:
    """Whether the lines are an import or an export of MDX."""
    return token.type == "markup" and bool(_STATEMENT.match(page.source_of(token)))


def tags_in(source: str, first_line: int) -> list[Tag]:
    reader = _TagReader(first_line)
    reader.feed(without_comments(source))
    reader.close()
    return reader.tags


def without_comments(source: str) -> str:
    """Those of JSX; their lines stay, empty."""
    kept, at = list[str](), 0
    for comment in spans_between(source, _COMMENT_OPENS, _COMMENT_CLOSES):
        kept += (source[at : comment.start], "\n" * source.count("\n", comment.start, comment.end))
        at = comment.end
    return "".join([*kept, source[at:]])


def _inline_tags(page: BookPage, token: Token) -> Iterator[Tag]:
    line, is_comment = page.line_of(token), False
    for child in token.children or ():
        if child.type == "html_inline" and not is_comment:
            yield from tags_in(child.content, line)
        line += child.type in ("softbreak", "hardbreak")
        line += child.content.count("\n") if child.type == "html_inline" else 0
        is_comment = is_in_comment(child, before=is_comment)


def is_in_comment(child: Token, *, before: bool) -> bool:
    """Whether what follows this part of a line stands in a comment of JSX."""
    opened, closed = child.content.rfind("{/*"), child.content.rfind("*/}")
    if child.type != "text" or opened == closed:
        return before
    return opened > closed


class _TagReader(HTMLParser):
    def __init__(self, first_line: int) -> None:
        super().__init__()
        self._first_line = first_line
        self.tags = list[Tag]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        name = _NAME.match(self.get_starttag_text() or "")
        written = {key: value for key, value in attrs if value and not value.startswith("{")}
        line = self._first_line + self.getpos()[0] - 1
        self.tags.append(Tag(name[1] if name else tag, line, written))


# The Markdown files that a page of MDX imports as components.

_IMPORT = re.compile(
    r"^[^\S\n]*+import\s+([\w$]+)\s+from\s+(['\"])((?:\.{1,2}|@site)/[^'\"]+\.mdx?)\2", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Partial:
    name: str
    written: str
    """The path as the page has it."""
    path: Path | None
    """None where only the site knows what the path means."""
    line: int


def partials(page: BookPage, folders: Folders) -> Iterator[Partial]:
    for token in page.tokens:
        if not is_statement(page, token):
            continue
        source = page.source_of(token)
        for match in _IMPORT.finditer(source):
            line = page.line_of(token) + source.count("\n", 0, match.start(1))
            yield Partial(match[1], match[3], _resolved(match[3], page, folders), line)


def _resolved(written: str, page: BookPage, folders: Folders) -> Path | None:
    if written.startswith("@site/"):
        return folders.site / written.removeprefix("@site/") if folders.site else None
    return Path(os.path.normpath((folders.root / page.path).parent / written))
