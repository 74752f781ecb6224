"""The text of a page without markup, with its spans of code, emphasis and links."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property

from markdown_it.token import Token

from glossator.lint.pages import BookPage
from glossator.model import Span
from glossator.text.english import FUNCTION_WORDS
from glossator.text.spans import Spans

_LETTER = re.compile(r"\b[A-Z]\b")
_SHORT_LINK = 5
"""Words."""


class Role(Enum):
    TEXT = auto()
    HEADING = auto()
    FIRST_CELL = auto()
    """The first cell of a table row, which names what the row is about."""


@dataclass(frozen=True)
class Prose:
    """A paragraph, a heading or a cell."""

    page: str
    line: int
    role: Role
    text: str
    """The text with the line breaks of the source."""
    code: tuple[Span, ...]
    emphasis: tuple[Span, ...]
    links: tuple[Span, ...]

    def line_at(self, offset: int) -> int:
        return self.line + self.text.count("\n", 0, offset)

    def is_code(self, span: Span) -> bool:
        """Whether the span begins in code."""
        return self._code_spans.cover(Span(span.start, span.start + 1))

    def is_emphasized(self, span: Span) -> bool:
        return self._emphasis_spans.cover(span)

    def is_short_link(self, span: Span) -> bool:
        return self._short_links.cover(span)

    @cached_property
    def letters(self) -> frozenset[str]:
        """Single capital letters in the text."""
        return frozenset(_LETTER.findall(self.text))

    @cached_property
    def _code_spans(self) -> Spans:
        return Spans(self.code)

    @cached_property
    def _emphasis_spans(self) -> Spans:
        return Spans(self.emphasis)

    @cached_property
    def _short_links(self) -> Spans:
        """Links of few words."""
        return Spans(
            link for link in self.links if len(self.text[link.start : link.end].split()) <= _SHORT_LINK
        )


def prose(page: BookPage) -> Iterator[Prose]:
    for number, token in enumerate(page.tokens):
        if token.type == "inline":
            yield _Writer().prose(page.path, page.line_of(token), _role(page.tokens, number), token)


def _role(tokens: Sequence[Token], number: int) -> Role:
    above, before = tokens[number - 1], tokens[number - 2] if number > 1 else None
    if above.type == "heading_open":
        return Role.HEADING
    opens_row = above.type in ("td_open", "th_open") and before is not None and before.type == "tr_open"
    return Role.FIRST_CELL if opens_row else Role.TEXT


class _Writer:
    """Collects the text of one inline token, and its spans of code, emphasis and links."""

    def __init__(self) -> None:
        self._text = list[str]()
        self._length = 0
        self._open = list[int]()
        self._code = list[Span]()
        self._emphasis = list[Span]()
        self._links = list[Span]()

    def prose(self, page: str, line: int, role: Role, token: Token) -> Prose:
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


# English words

WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")

_IN_TERMS = {"of", "in", "on", "to", "for", "with", "and", "or", "as", "between", "about"}
_EMPHATIC = """
    never always already yet more most less least none first second last next same other now else however
    therefore down good bad better best worse worst new old right wrong left big small whole own yes ok
"""
NOT_IN_TERMS = (FUNCTION_WORDS - _IN_TERMS) | frozenset(_EMPHATIC.split())
"""Function words and words of emphasis, which are never part of a term."""


def singular(word: str) -> str:
    """The singular for comparing words, not for display."""
    lowered = word.lower()
    if lowered.endswith("ies") and len(lowered) > 4:
        return lowered[:-3] + "y"
    if lowered.endswith(("sses", "xes", "ches", "shes")):
        return lowered[:-2]
    is_plural = len(lowered) > 3 and lowered[-1] == "s" and lowered[-2] not in "sui"
    return lowered[:-1] if is_plural else lowered


_BLANKS = re.compile(r"\s+")
_NEAR = 300
"""Characters before and after a term in which its explanation is looked for."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A use of a term."""

    term: str
    prose: Prose
    span: Span

    @property
    def text(self) -> str:
        """The text as spelled here."""
        return self.prose.text[self.span.start : self.span.end]

    @property
    def before(self) -> str:
        """The text near it, with single blanks."""
        return _BLANKS.sub(" ", self.prose.text[max(self.span.start - _NEAR, 0) : self.span.start])

    @property
    def after(self) -> str:
        return _BLANKS.sub(" ", self.prose.text[self.span.end : self.span.end + _NEAR])

    @property
    def is_emphasized(self) -> bool:
        return self.prose.is_emphasized(self.span)
