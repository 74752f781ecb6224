"""What a page says in words: its text without marks, and where code, emphasis and links stand in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from markdown_it.token import Token

from glossator.ingest.check.pages import BookPage
from glossator.model import Span


class Role(Enum):
    TEXT = auto()
    HEADING = auto()
    FIRST_CELL = auto()
    """Of a row of a table: what the row is about."""


@dataclass(frozen=True, slots=True)
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
        self._text = ""
        self._open = list[int]()
        self._code = list[Span]()
        self._emphasis = list[Span]()
        self._links = list[Span]()

    def written(self, page: str, line: int, role: Role, token: Token) -> Prose:
        for child in token.children or ():
            self._write(child)
        spans = (tuple(self._code), tuple(self._emphasis), tuple(self._links))
        return Prose(page, line, role, self._text, *spans)

    def _write(self, child: Token) -> None:
        match child.type:
            case "text" | "text_special":
                self._text += child.content
            case "softbreak" | "hardbreak":
                self._text += "\n"
            case "code_inline" | "math_inline" | "math_inline_double":
                self._code.append(Span(len(self._text), len(self._text) + len(child.content)))
                self._text += child.content
            case "em_open" | "strong_open" | "link_open":
                self._open.append(len(self._text))
            case "em_close" | "strong_close":
                self._emphasis.append(Span(self._open.pop(), len(self._text)))
            case "link_close":
                self._links.append(Span(self._open.pop(), len(self._text)))
            case _:
                return
