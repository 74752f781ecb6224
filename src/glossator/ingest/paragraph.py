"""Split a paragraph into sentences, each with its plain reading and its span in the source."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from glossator.model import Span
from glossator.text.languages import ENGLISH
from glossator.text.sentences import sentences

Read = Callable[[str], str]
"""Inline Markdown to its plain text."""

# Text without these characters has no markup to remove, only line ends.
_MARKUP = re.compile(r"[\\`*_~\[\]<>&$]")
_LINE_END = re.compile(r"(?:(?<! ) ++)?\n[ \t]*+")

_LONGEST_RUN = 8
"""Sentences that one emphasis or link may enclose; beyond it the rest of the paragraph stays whole."""


@dataclass(frozen=True, slots=True)
class Sentence:
    span: Span
    """The span in the content of its paragraph."""
    reading: str


def sentences_of(content: str, reading: str, read: Read, language: str = ENGLISH) -> list[Sentence]:
    """The sentences of a paragraph's Markdown; sentences that share emphasis or a link stay together.

    Their readings joined equal the reading of the paragraph, except for white space.
    """
    spans = sentences(content, language)
    if len(spans) < 2:
        return [Sentence(span, reading) for span in spans]
    separate = [Sentence(span, _words(content, span, read)) for span in spans]
    if _squeezed("".join(sentence.reading for sentence in separate)) == _squeezed(reading):
        return separate
    return list(_aligned(content, spans, reading, read))


def _words(content: str, span: Span, read: Read) -> str:
    text = content[span.start : span.end]
    return read(text) if _MARKUP.search(text) else _LINE_END.sub(" ", text)


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _aligned(content: str, spans: Sequence[Span], reading: str, read: Read) -> Iterator[Sentence]:
    """Runs of sentences, each of which has the same reading alone and inside the paragraph."""
    first, begin = 0, 0
    while first < len(spans):
        ahead = spans[first : min(first + _LONGEST_RUN, len(spans) - 1)]
        count, end = _run(content, ahead, reading, begin, read) or (len(spans) - first, len(reading))
        span = Span(spans[first].start, spans[first + count - 1].end)
        yield Sentence(span, reading[begin:end].strip())
        first, begin = first + count, end


def _run(content: str, ahead: Sequence[Span], reading: str, begin: int, read: Read) -> tuple[int, int] | None:
    """The number of sentences of the run, and its end in the reading; None for a run that is too long."""
    for count, last in enumerate(ahead, start=1):
        words = _squeezed(read(content[ahead[0].start : last.end]))
        end = _after(reading, begin, len(words))
        if _squeezed(reading[begin:end]) == words:
            return count, end
    return None


def _after(text: str, begin: int, count: int) -> int:
    """The position after `count` characters that are not white space."""
    for position in range(begin, len(text)):
        if count == 0:
            return position
        count -= not text[position].isspace()
    return len(text)


class SourceMap:
    """Maps positions in a paragraph's content to positions in the source.

    The parser removes the marks of quotes and lists and the indentation from each line, so the content of a
    line is the end of its source line.
    """

    def __init__(self, source: str, lines: Iterable[Span], content: str) -> None:
        self._starts = list[int]()
        self._shifts = list[int]()
        start = 0
        for line, content_line in zip(lines, content.split("\n"), strict=False):
            blanks = len(content_line) - len(content_line.lstrip())
            words = len(content_line.strip())
            end = line.start + len(source[line.start : line.end].rstrip())
            self._starts.append(start)
            self._shifts.append(end - words - start - blanks)
            start += len(content_line) + 1

    def of(self, span: Span) -> Span:
        return Span(self._position(span.start), self._position(span.end))

    def _position(self, offset: int) -> int:
        return offset + self._shifts[bisect_right(self._starts, offset) - 1]
