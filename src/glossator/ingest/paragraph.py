"""A paragraph becomes sentences, each with its words and with its place in the page's source."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from glossator.model import Span
from glossator.text.sentences import sentences

Read = Callable[[str], str]
"""The words of some inline Markdown."""

# Without these there is nothing to read but words and the ends of lines.
_MARKUP = re.compile(r"[\\`*_~\[\]<>&$]")
_LINE_END = re.compile(r"(?:(?<! ) ++)?\n[ \t]*+")

_LONGEST_RUN = 8
"""Sentences that one mark may enclose; where it is more, the rest of the paragraph stays whole."""


@dataclass(frozen=True, slots=True)
class Sentence:
    span: Span
    """In the content of its paragraph."""
    reading: str


def sentences_of(content: str, reading: str, read: Read) -> list[Sentence]:
    """The sentences of a paragraph's Markdown; sentences that share emphasis or a link stay together.

    Their readings one after the other are the paragraph's own, but for white space.
    """
    spans = sentences(content)
    if len(spans) < 2:
        return [Sentence(span, reading) for span in spans]
    apart = [Sentence(span, _words(content, span, read)) for span in spans]
    if _squeezed("".join(sentence.reading for sentence in apart)) == _squeezed(reading):
        return apart
    return list(_aligned(content, spans, reading, read))


def _words(content: str, span: Span, read: Read) -> str:
    text = content[span.start : span.end]
    return read(text) if _MARKUP.search(text) else _LINE_END.sub(" ", text)


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _aligned(content: str, spans: Sequence[Span], reading: str, read: Read) -> Iterator[Sentence]:
    """Runs of sentences, each of which reads alone as it does in the paragraph."""
    first, begin = 0, 0
    while first < len(spans):
        ahead = spans[first : min(first + _LONGEST_RUN, len(spans) - 1)]
        count, end = _run(content, ahead, reading, begin, read) or (len(spans) - first, len(reading))
        span = Span(spans[first].start, spans[first + count - 1].end)
        yield Sentence(span, reading[begin:end].strip())
        first, begin = first + count, end


def _run(content: str, ahead: Sequence[Span], reading: str, begin: int, read: Read) -> tuple[int, int] | None:
    """How many sentences the run has, and where it ends in the reading; None where it goes on too long."""
    for count, last in enumerate(ahead, start=1):
        words = _squeezed(read(content[ahead[0].start : last.end]))
        end = _after(reading, begin, len(words))
        if _squeezed(reading[begin:end]) == words:
            return count, end
    return None


def _after(text: str, begin: int, count: int) -> int:
    """The position after so many characters that are not blank."""
    for position in range(begin, len(text)):
        if count == 0:
            return position
        count -= not text[position].isspace()
    return len(text)


class Places:
    """Where the characters of a paragraph's content stand in the source.

    The parser takes the marks of quotes and lists off each line, and the blanks: the words of a line are
    what its source ends with.
    """

    def __init__(self, source: str, lines: Iterable[Span], content: str) -> None:
        self._starts = list[int]()
        self._shifts = list[int]()
        start = 0
        for line, inside in zip(lines, content.split("\n"), strict=False):
            blanks = len(inside) - len(inside.lstrip())
            words = len(inside.strip())
            end = line.start + len(source[line.start : line.end].rstrip())
            self._starts.append(start)
            self._shifts.append(end - words - start - blanks)
            start += len(inside) + 1

    def of(self, span: Span) -> Span:
        return Span(self._place(span.start), self._place(span.end))

    def _place(self, offset: int) -> int:
        return offset + self._shifts[bisect_right(self._starts, offset) - 1]
