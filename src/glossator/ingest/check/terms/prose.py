"""What a page says in words: its text without marks, and where code, emphasis and links stand in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property

from markdown_it.token import Token

from glossator.ingest.check.pages import BookPage
from glossator.model import Span
from glossator.text.spans import Spans

_LETTER = re.compile(r"\b[A-Z]\b")
_SHORT_LINK = 5
"""Words."""


class Role(Enum):
    TEXT = auto()
    HEADING = auto()
    FIRST_CELL = auto()
    """Of a row of a table: what the row is about."""


@dataclass(frozen=True)
class Prose:
    """A paragraph, a heading or a cell."""

    page: str
    line: int
    role: Role
    text: str
    """With a newline where the source has one."""
    code: tuple[Span, ...]
    emphasis: tuple[Span, ...]
    links: tuple[Span, ...]

    def line_at(self, offset: int) -> int:
        return self.line + self.text.count("\n", 0, offset)

    def is_code(self, span: Span) -> bool:
        """Whether it begins in code."""
        return self._code_spans.cover(Span(span.start, span.start + 1))

    def is_emphasized(self, span: Span) -> bool:
        return self._emphasis_spans.cover(span)

    def is_short_link(self, span: Span) -> bool:
        return self._short_links.cover(span)

    @cached_property
    def letters(self) -> frozenset[str]:
        """Capitals that stand alone."""
        return frozenset(_LETTER.findall(self.text))

    @cached_property
    def _code_spans(self) -> Spans:
        return Spans(self.code)

    @cached_property
    def _emphasis_spans(self) -> Spans:
        return Spans(self.emphasis)

    @cached_property
    def _short_links(self) -> Spans:
        """Of few words."""
        return Spans(
            link for link in self.links if len(self.text[link.start : link.end].split()) <= _SHORT_LINK
        )


def prose(page: BookPage) -> Iterator[Prose]:
    for number, token in enumerate(page.tokens):
        if token.type == "inline":
            yield _Writer().written(page.path, page.line_of(token), _role(page.tokens, number), token)


def _role(tokens: Sequence[Token], number: int) -> Role:
    above, before = tokens[number - 1], tokens[number - 2] if number > 1 else None
    if above.type == "heading_open":
        return Role.HEADING
    opens_row = above.type in ("td_open", "th_open") and before is not None and before.type == "tr_open"
    return Role.FIRST_CELL if opens_row else Role.TEXT


class _Writer:
    """Writes the text of one inline token, and notes what stands where."""

    def __init__(self) -> None:
        self._text = list[str]()
        self._length = 0
        self._open = list[int]()
        self._code = list[Span]()
        self._emphasis = list[Span]()
        self._links = list[Span]()

    def written(self, page: str, line: int, role: Role, token: Token) -> Prose:
        for child in token.children or ():
            self._write(child)
        spans = (tuple(self._code), tuple(self._emphasis), tuple(self._links))
        return Prose(page, line, role, "".join(self._text), *spans)

    def _write(self, child: Token) -> None:
        match child.type:
            case "text" | "text_special":
                self._add(child.content)
            case "softbreak" | "hardbreak":
                self._add("\n")
            case "code_inline" | "math_inline" | "math_inline_double":
                self._code.append(Span(self._length, self._length + len(child.content)))
                self._add(child.content)
            case "em_open" | "strong_open" | "link_open":
                self._open.append(self._length)
            case "em_close" | "strong_close":
                self._emphasis.append(Span(self._open.pop(), self._length))
            case "link_close":
                self._links.append(Span(self._open.pop(), self._length))
            case _:
                return

    def _add(self, text: str) -> None:
        self._text.append(text)
        self._length += len(text)
