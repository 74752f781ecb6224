"""Read the exported value of a JavaScript or TypeScript module without running it.

It reads strings, numbers, lists, objects, constants of the same module, the default after `||` or `??`, the
path in `require.resolve('…')`, and the argument of `defineConfig` and its like. Everything else is UNKNOWN.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from itertools import pairwise
from typing import NamedTuple

from glossator.ingest.sites.config_file import mapping_of

_TOKEN = re.compile(
    # An open comment matches to the end, and a string has a length limit: both keep the scan linear.
    r"(?P<skip>\s+|//[^\n]*|/\*.*?(?:\*/|\Z))"
    r"|(?P<text>'(?:\\.|[^'\\\n]){0,2000}+'|\"(?:\\.|[^\"\\\n]){0,2000}+\"|`(?:\\.|[^`\\]){0,2000}+`)"
    r"|(?P<number>\d[\d_]*(?:\.\d+)?)"
    r"|(?P<name>[A-Za-z_$][\w$]*)"
    r"|(?P<mark>\.\.\.|=>|\|\||\?\?|&&|.)",
    re.DOTALL,
)
_ESCAPE = re.compile(
    r"\\(?:u\{0*(10[0-9a-fA-F]{4}|[0-9a-fA-F]{1,5})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL
)
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "\n": ""}
_DECLARE = ("const", "let", "var")
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_CONTINUES = {".", "||", "??", "&&", "?", ":", "+", "=", "=>", "as", "satisfies", "("}
_WRAPPERS = {"defineConfig", "starlight", "withMermaid", "withPwa"}
"""Functions of configurations, whose value is taken for that of their first argument."""
_WORDS: dict[str, object] = {"true": True, "false": False, "null": None}


class Unknown(Enum):
    UNKNOWN = auto()


UNKNOWN = Unknown.UNKNOWN


def exported_value(source: str) -> object:
    """The value that the module exports; UNKNOWN where it cannot be read."""
    try:
        return _Module(list(_tokens(source))).exported()
    except RecursionError:
        return UNKNOWN


class _Token(NamedTuple):
    kind: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class _Range:
    """The tokens of an expression, from `start` to before `end`."""

    start: int
    end: int


def _tokens(source: str) -> Iterator[_Token]:
    line = 0
    for match in _TOKEN.finditer(source):
        if match.lastgroup and match.lastgroup != "skip":
            yield _Token(match.lastgroup, match[0], line)
        line += match[0].count("\n")


class _Module:
    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._closing = _closing_brackets(tokens)
        self._declared = _declared(tokens)
        self._constants: dict[str, object] = {}

    def exported(self) -> object:
        for marker in (("export", "default"), ("module", ".", "exports", "=")):
            start = self._find(marker)
            if start is not None:
                return self._returned(self._statement(start))
        return UNKNOWN

    def _returned(self, range_: _Range) -> object:
        """The value of an expression; for a function, of its last `return`."""
        positions = list(self._top_level(range_.start, range_.end))
        starts = [i + 1 for i in positions if self._text(i) in ("=>", "function")]
        if not starts:
            return self._value(range_)
        bodies = [i for i in positions if i >= starts[0] and self._text(i) == "{"]
        if not bodies:
            return self._value(_Range(starts[0], range_.end))
        inside = self._top_level(bodies[0] + 1, self._closing.get(bodies[0], range_.end))
        returns = [i for i in inside if self._text(i) == "return"]
        return self._value(self._statement(returns[-1] + 1)) if returns else UNKNOWN

    def _value(self, range_: _Range) -> object:
        start, end = self._stripped(range_)
        if start >= end:
            return UNKNOWN
        if self._closing.get(start) == end - 1:
            return self._bracketed(start, end - 1)
        if end - start == 1:
            return self._single(self._tokens[start])
        marks = {self._text(i): i for i in self._top_level(start, end)}
        default = max(marks.get("||", -1), marks.get("??", -1))
        if default >= 0 and "=>" not in marks:
            return self._value(_Range(default + 1, end))
        return self._called(start, end)

    def _stripped(self, range_: _Range) -> tuple[int, int]:
        """Removes `as const`, `satisfies Config` and enclosing parentheses."""
        start, end = range_.start, range_.end
        for i in self._top_level(start, end):
            if self._text(i) in ("as", "satisfies") and i > start:
                end = i
                break
        while start < end and self._text(start) == "(" and self._closing.get(start) == end - 1:
            start, end = start + 1, end - 1
        return (start, end) if end == range_.end else self._stripped(_Range(start, end))

    def _bracketed(self, start: int, closing: int) -> object:
        items = self._split(start + 1, closing)
        return [self._value(item) for item in items] if self._text(start) == "[" else self._object(items)

    def _object(self, items: list[_Range]) -> dict[str, object]:
        fields: dict[str, object] = {}
        for item in items:
            fields.update(self._field(item))
        return fields

    def _field(self, item: _Range) -> Mapping[str, object]:
        first = self._tokens[item.start]
        if first.text == "...":
            return mapping_of(self._value(_Range(item.start + 1, item.end)))
        name = _unquoted(first.text) if first.kind == "text" else first.text
        if item.end - item.start == 1:
            return {name: self._single(first)}
        if self._text(item.start + 1) == ":":
            return {name: self._value(_Range(item.start + 2, item.end))}
        return {}

    def _single(self, token: _Token) -> object:
        match token.kind:
            case "text":
                return UNKNOWN if token.text.startswith("`") and "${" in token.text else _unquoted(token.text)
            case "number":
                return float(token.text.replace("_", ""))
            case "name":
                return _WORDS[token.text] if token.text in _WORDS else self._constant(token.text)
            case _:
                return UNKNOWN

    def _constant(self, name: str) -> object:
        if name not in self._constants:
            # Ends the recursion of a constant that is defined by itself.
            self._constants[name] = UNKNOWN
            starts = (self._declared.get((keyword, name)) for keyword in _DECLARE)
            start = next((start for start in starts if start is not None), None)
            if start is not None:
                self._constants[name] = self._value(self._assigned(start))
        return self._constants[name]

    def _assigned(self, start: int) -> _Range:
        """The expression after `=`, past a type annotation."""
        for i in self._top_level(start, len(self._tokens)):
            if self._text(i) == "=":
                return self._statement(i + 1)
            if self._text(i) == ";":
                break
        return _Range(start, start)

    def _called(self, start: int, end: int) -> object:
        if self._text(start) in _WRAPPERS and self._closing.get(start + 1) == end - 1:
            arguments = self._split(start + 2, end - 1)
            return self._value(arguments[0]) if arguments else UNKNOWN
        texts = [token.text for token in self._tokens[start:end]]
        if texts[:4] == ["require", ".", "resolve", "("] and len(texts) == 6:
            return self._single(self._tokens[start + 4])
        return UNKNOWN

    def _statement(self, start: int) -> _Range:
        """Up to a semicolon, a comma, a closing bracket, or a line that does not continue the expression."""
        end = start
        for i in self._top_level(start, len(self._tokens)):
            text = self._text(i)
            starts_a_line = i > start and self._tokens[i].line > self._last_line(end)
            goes_on = text in _CONTINUES or self._text(end) in _CONTINUES
            if text in (";", ",", ")", "]", "}") or (starts_a_line and not goes_on):
                return _Range(start, i)
            end = i
        return _Range(start, len(self._tokens))

    def _last_line(self, index: int) -> int:
        return self._tokens[self._closing.get(index, index)].line

    def _split(self, start: int, end: int) -> list[_Range]:
        commas = [i for i in self._top_level(start, end) if self._text(i) == ","]
        edges = [start - 1, *commas, end]
        return [_Range(before + 1, after) for before, after in pairwise(edges) if before + 1 < after]

    def _top_level(self, start: int, end: int) -> Iterator[int]:
        """The positions in a range, without those inside brackets."""
        position = start
        while position < end:
            yield position
            position = self._closing.get(position, position) + 1

    def _find(self, texts: tuple[str, ...]) -> int | None:
        """The position after the first occurrence of these tokens."""
        for start in range(len(self._tokens) - len(texts) + 1):
            if all(self._text(start + i) == text for i, text in enumerate(texts)):
                return start + len(texts)
        return None

    def _text(self, index: int) -> str:
        return self._tokens[index].text


def _declared(tokens: list[_Token]) -> dict[tuple[str, str], int]:
    """The position after the first declaration of each name, by its keyword and the name."""
    declared: dict[tuple[str, str], int] = {}
    for i, (keyword, name) in enumerate(pairwise(tokens)):
        if keyword.text in _DECLARE:
            declared.setdefault((keyword.text, name.text), i + 2)
    return declared


def _closing_brackets(tokens: list[_Token]) -> dict[int, int]:
    closing: dict[int, int] = {}
    open_brackets: list[int] = []
    for i, token in enumerate(tokens):
        if token.kind != "mark":
            continue
        if token.text in _BRACKETS:
            open_brackets.append(i)
        elif open_brackets and token.text == _BRACKETS[tokens[open_brackets[-1]].text]:
            closing[open_brackets.pop()] = i
    return closing


def _unquoted(text: str) -> str:
    unescaped = _ESCAPE.sub(_unescaped, text[1:-1])
    # A character outside the basic plane may be written as two surrogate escapes.
    return unescaped.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescaped(match: re.Match[str]) -> str:
    point = match[1] or match[2] or match[3]
    return chr(int(point, 16)) if point else _CONTROLS.get(match[4], match[4])
