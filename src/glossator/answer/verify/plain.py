"""Plain text of Markdown, with a map from each character to its position in the source."""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property

from glossator.model import Span
from glossator.text.containers import container_line
from glossator.text.markdown import ICON, TEMPLATE, shown_by_templates

# Inline code is limited in length; otherwise every run of backticks would search to the end of the text.
_CODE = r"(?<!`)(?P<ticks>`++)(?P<code>.{1,2000}?)(?<!`)(?P=ticks)(?!`)"
_MARK = re.compile(
    # Most characters start no mark and are skipped at once.
    r"(?=[\s`|\\&!\[\]<{*_~$:])(?:"
    rf"{_CODE}"
    r"|(?P<blank>[\s|]{2,}|[^\S ]|\||\s$)"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|(?P<entity>&(?:[A-Za-z]{2,8}|\#\d{1,6}|\#x[0-9A-Fa-f]{1,5});)"
    r"|!\[(?:[^\]!]|!(?!\[))*+\](?:\([^()]*+(?:\([^()]*+\)[^()]*+)*+\)|\[[^\]\[]*+\])?"
    r"|\[\^[^\[\]\s]++\]:?"
    r"|\]\([^()]*+(?:\([^()]*+\)[^()]*+)*+\)|\]\[[^\]\[]*+\]"
    r"|<!--(?:(?!<!--).)*?-->|</?[A-Za-z][^<>]*+>"
    r"|\{/\*(?:(?!\{/\*).)*?\*/\}|\{:?\s*+[#.][^{}]*+\}"
    rf"|{TEMPLATE}|{ICON}"
    r"|\*+(?=\S)|(?<=\S)\*+|(?P<inner>(?<=[^\W_])_++(?=[^\W_]))"
    r"|(?<!\w)_+(?=\S)|(?<=\S)_+(?!\w)|~~|[\[\]$])"
)
_WORDS_OF_CODE = re.compile(r"\S+(?: \S+)*")
_FENCE = re.compile(r"[\s>]*(?P<marks>`{3,}|~{3,})")
_INDENT = re.compile(r"[\s>]*+")
_INVISIBLE_LINE = re.compile(r"[\s>]*+[|:\s]*+-[|:\-\s]*+$|(?=.{3})[\s>]*+[-=*_\s]++$")
_OPENING = re.compile(
    r"\s*(?:>\s?)*"
    r"(?P<begins>\s*(?:(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?|#{1,6}\s+|\|))?(?:\[!\w+\])?\s*"
)
_LINES_OF_THEIR_OWN = ("#", "|", "{{<", "{{%", "{%")
"""The line after one that begins so starts a block of its own."""
_MARKS_LEFT = re.compile(r"(?:\|[ \t]*+|(?<![^\s|])[^\s|]++)\Z")
_MARKS_RIGHT = re.compile(r"[ \t]*\||\S+")
_CITATION = re.compile(
    r"(?ms:^[ \t>]*(?P<fence>`{3,}|~{3,}).*?(?:^[ \t>]*(?P=fence)|\Z))"
    rf"|{_CODE}"
    r"|(?<!\s)\s*+(?<!\\)\[(?P<numbers>\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\](?![(\[:])"
)
_EQUIVALENTS = str.maketrans(
    {
        **dict.fromkeys("‘’‚′´", "'"),
        **dict.fromkeys("“”„″«»", '"'),
        **dict.fromkeys("‐‑‒–—−", "-"),
        **dict.fromkeys("\u00a0\u2009\u202f", " "),
        "İ": "i",
    }
)


@dataclass(frozen=True)
class PlainText:
    """Text with one block on each line."""

    text: str
    runs: tuple[tuple[int, int], ...]
    """Starts of the runs of contiguous characters: in the text, and in the source."""
    source: str
    code: frozenset[int] = frozenset()
    """Numbers of the lines that are code."""

    @cached_property
    def folded(self) -> str:
        """A text of the same length, with uniform quotes and dashes, and in lower case outside of code."""
        lines = self.text.translate(_EQUIVALENTS).split("\n")
        return "\n".join(line if number in self.code else line.lower() for number, line in enumerate(lines))

    @cached_property
    def lines(self) -> tuple[Span, ...]:
        spans = list[Span]()
        for line in self.text.split("\n"):
            start = spans[-1].end + 1 if spans else 0
            spans.append(Span(start, start + len(line)))
        return tuple(spans)

    def source_span(self, span: Span) -> Span:
        """The same characters in the source, with the marks directly around them."""
        start, end = self._source_of(span.start), self._source_of(span.end - 1) + 1
        before = self.source[self._source_of(span.start - 1) + 1 if span.start else 0 : start]
        after = self.source[end : self._source_of(span.end) if span.end < len(self.text) else None]
        left, right = _MARKS_LEFT.search(before), _MARKS_RIGHT.match(after)
        return Span(start - len(left[0] if left else ""), end + len(right[0] if right else ""))

    def _source_of(self, position: int) -> int:
        text_start, source_start = self.runs[bisect_right(self.runs, position, key=lambda run: run[0]) - 1]
        return source_start + position - text_start


def plain_text(source: str, *, begins_in_code: bool = False) -> PlainText:
    reader = _read(source, _first_fence(source) if begins_in_code else "")
    return PlainText(
        "".join(reader.parts).rstrip(), tuple(reader.runs) or ((0, 0),), source, frozenset(reader.code)
    )


def ends_in_code(source: str) -> bool:
    """Whether a fence of the source is still open at its end."""
    return bool(_read(source, "").fence)


def _read(source: str, fence: str) -> _LineReader:
    reader, start = _LineReader(fence=fence), 0
    for line in source.split("\n"):
        reader.read(line, start)
        start += len(line) + 1
    return reader


def _first_fence(source: str) -> str:
    """The marks that close code which was opened before the source begins."""
    fences = (_FENCE.match(line) for line in source.split("\n"))
    return next((fence["marks"] for fence in fences if fence), "```")


def without_citations(claim: str) -> tuple[str, frozenset[int]]:
    """The claim without its `[n]` marks, and the numbers in them."""
    numbers = {
        int(number)
        for match in _CITATION.finditer(claim)
        for number in re.findall(r"\d+", match["numbers"] or "")
    }
    return _CITATION.sub(lambda match: "" if match["numbers"] else match[0], claim), frozenset(numbers)


@dataclass(slots=True)
class _LineReader:
    """Builds a PlainText from a source, line by line."""

    parts: list[str] = field(default_factory=list[str])
    runs: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    code: set[int] = field(default_factory=set[int])
    length: int = 0
    shift: int | None = None
    """Source position minus text position in the last run."""
    line: int = 0
    fence: str = ""
    block_ended: bool = True
    """Whether the next line starts a new block."""

    def read(self, line: str, start: int) -> None:
        fence = _FENCE.match(line)
        if fence and (not self.fence or fence["marks"].startswith(self.fence)):
            self.fence = "" if self.fence else fence["marks"]
            self.block_ended = True
        elif self.fence:
            self._read_code(line, start)
        elif not line.strip() or _INVISIBLE_LINE.match(line) or shown_by_templates(line) == "":
            self.block_ended = True
        else:
            self._read_block(line, start)

    def _read_block(self, line: str, start: int) -> None:
        indent = _INDENT.match(line)
        container = container_line(line, indent.end() if indent else 0)
        if container:
            if container.title.start < container.title.end:
                self._begin(start)
                self._add_words(line[: container.title.end], start, container.title.start)
            self.block_ended = True
        else:
            self._read_words(line, start)

    def _read_code(self, line: str, start: int) -> None:
        if line.strip():
            self._begin(start)
            self.code.add(self.line)
            indent = len(line) - len(line.lstrip())
            for words in _WORDS_OF_CODE.finditer(line):
                self._add(" " if words.start() > indent else "", start + words.start() - 1)
                self._add(words[0], start + words.start())

    def _read_words(self, line: str, start: int) -> None:
        opening = _OPENING.match(line)
        position = opening.end() if opening else 0
        starts_block = bool(opening and opening["begins"])
        if starts_block or self.block_ended:
            self._begin(start)
        else:
            self._add(" ", start - 1)
        self._add_words(line, start, position)
        self.block_ended = line.lstrip(" >").startswith(_LINES_OF_THEIR_OWN)

    def _add_words(self, line: str, start: int, position: int) -> None:
        """Adds the line's words from `position` on, without marks."""
        for mark in _MARK.finditer(line, position):
            self._add(line[position : mark.start()], start + position)
            self._add(*_visible_text(mark, start))
            position = mark.end()
        self._add(line[position:], start + position)

    def _begin(self, start: int) -> None:
        if self.parts:
            self._add("\n", max(start - 1, 0))
            self.line += 1

    def _add(self, text: str, start: int) -> None:
        if not text:
            return
        if self.shift != start - self.length:
            self.shift = start - self.length
            self.runs.append((self.length, start))
        self.parts.append(text)
        self.length += len(text)


def _visible_text(mark: re.Match[str], start: int) -> tuple[str, int]:
    """The text that remains of a mark, and its source position."""
    if mark["blank"]:
        is_edge = mark.end() == len(mark.string)
        separator = "|" if "|" in mark[0] else " "
        return ("" if is_edge else separator), start + mark.start() + max(mark[0].find(separator), 0)
    for name in ("code", "escaped", "inner", "template"):
        if mark[name]:
            return mark[name], start + mark.start(name)
    if mark["entity"]:
        character = html.unescape(mark[0])
        return (character if len(character) == 1 else ""), start + mark.start()
    return "", start + mark.start()
