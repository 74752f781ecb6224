"""The tags of raw HTML and JSX in a page, and the Markdown files that it imports."""

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
"""Docusaurus removes such a fence and reads its content as part of the page."""
_STATEMENT = re.compile(r"\s*(?:import|export)\b")


@dataclass(frozen=True, slots=True)
class Tag:
    name: str
    """In the case of the source: a component begins with a capital."""
    line: int
    attributes: Mapping[str, str] = field(default_factory=dict[str, str])
    """Those with a literal value; only the site knows the value of an expression in braces."""

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
    """Whether the lines are an MDX import or export."""
    return token.type == "markup" and bool(_STATEMENT.match(page.source_of(token)))


def tags_in(source: str, first_line: int) -> list[Tag]:
    reader = _TagReader(first_line)
    reader.feed(without_comments(source))
    reader.close()
    return reader.tags


def without_comments(source: str) -> str:
    """JSX comments become empty lines, so that line numbers stay the same."""
    parts, position = list[str](), 0
    for comment in spans_between(source, _COMMENT_OPENS, _COMMENT_CLOSES):
        parts += (source[position : comment.start], "\n" * source.count("\n", comment.start, comment.end))
        position = comment.end
    return "".join([*parts, source[position:]])


def _inline_tags(page: BookPage, token: Token) -> Iterator[Tag]:
    line, is_comment = page.line_of(token), False
    for child in token.children or ():
        if child.type == "html_inline" and not is_comment:
            yield from tags_in(child.content, line)
        line += child.type in ("softbreak", "hardbreak")
        line += child.content.count("\n") if child.type == "html_inline" else 0
        is_comment = is_in_comment(child, before=is_comment)


def is_in_comment(child: Token, *, before: bool) -> bool:
    """Whether the text after this token is inside a JSX comment."""
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
        attributes = {key: value for key, value in attrs if value and not value.startswith("{")}
        line = self._first_line + self.getpos()[0] - 1
        self.tags.append(Tag(name[1] if name else tag, line, attributes))


_IMPORT = re.compile(
    r"^[^\S\n]*+import\s+([\w$]+)\s+from\s+(['\"])((?:\.{1,2}|@site)/[^'\"]+\.mdx?)\2", re.MULTILINE
)
_ESCAPE = re.compile(r"\\([^\w]|_)")


@dataclass(frozen=True, slots=True)
class Partial:
    """A Markdown file that an MDX page imports as a component."""

    name: str
    written: str
    """The path as in the import statement."""
    path: Path | None
    """None where only the site can resolve the path."""
    line: int


def partials(page: BookPage, folders: Folders) -> Iterator[Partial]:
    for token in page.tokens:
        if not is_statement(page, token):
            continue
        source = page.source_of(token)
        for match in _IMPORT.finditer(source):
            line = page.line_of(token) + source.count("\n", 0, match.start(1))
            # A backslash in a string of JavaScript stands for nothing: Prettier writes `./\\_part.mdx`.
            path = _ESCAPE.sub(r"\1", match[3])
            yield Partial(match[1], match[3], _resolved(path, page, folders), line)


def _resolved(path: str, page: BookPage, folders: Folders) -> Path | None:
    if path.startswith("@site/"):
        return folders.site / path.removeprefix("@site/") if folders.site else None
    return Path(os.path.normpath((folders.root / page.path).parent / path))
