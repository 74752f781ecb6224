"""Numbered citations: the page positions and links of the checked claims."""

from __future__ import annotations

import re
from urllib.parse import quote as percent

from glossator.answer import wording
from glossator.model import Checked, Chunk, Citation, Evidence, Span, with_text_fragment
from glossator.text.markdown import plain

_MARKUP_BETWEEN = re.compile(r"[\s>|*+-]*(?:(?:`{3,}|~{3,})[^\n]*\n[\s>]*)?(?:\d{1,3}[.)]\s+)?")
"""White space, fences, and marks of lists, quotes and tables: quotes with only these between are joined."""
_FRAGMENT_WORDS = 6
_NOT_PROSE = re.compile(r"\s*(?:```|~~~|\||<)")


class Citations:
    """The citations of one answer, numbered in order; a span next to a cited one extends it."""

    def __init__(self) -> None:
        self._cited = list[tuple[Evidence, Span]]()

    def number(self, checked: Checked) -> tuple[int, ...]:
        if checked.evidence is None or checked.span is None:
            return ()
        for index, (evidence, span) in enumerate(self._cited):
            joined = _joined(evidence, span, checked.span) if evidence == checked.evidence else None
            if joined:
                self._cited[index] = (evidence, joined)
                return (index + 1,)
        self._cited.append((checked.evidence, checked.span))
        return (len(self._cited),)

    def all(self) -> tuple[Citation, ...]:
        return tuple(_citation(n, evidence, span) for n, (evidence, span) in enumerate(self._cited, 1))


def lines_of(text: str, span: Span) -> Span:
    """The first and last line of the span, counted from 1."""
    first = text.count("\n", 0, span.start) + 1
    return Span(first, first + text.count("\n", span.start, max(span.end - 1, span.start)))


def place_of(chunk: Chunk, offset: int) -> str:
    """A Markdown link to the page and section."""
    section = chunk.section_at(offset)
    title = " > ".join(dict.fromkeys([chunk.page_title, *section.path[-1:]]))
    return wording.link(title, chunk.url_of(section))


def _joined(evidence: Evidence, cited: Span, more: Span) -> Span | None:
    """Both spans as one, if they touch and are in the same section."""
    chunk = evidence.chunk
    if chunk.section_at(cited.start) != chunk.section_at(more.start):
        return None
    first, second = sorted((cited, more))
    between = chunk.text[first.end - chunk.start : max(second.start, first.end) - chunk.start]
    return Span(first.start, max(first.end, second.end)) if _MARKUP_BETWEEN.fullmatch(between) else None


def _citation(n: int, evidence: Evidence, span: Span) -> Citation:
    chunk = evidence.chunk
    section = chunk.section_at(span.start)
    quoted = chunk.text[span.start - chunk.start : span.end - chunk.start]
    place = chunk.place_of(span)
    return Citation(
        n=n,
        chunk_id=chunk.chunk_id,
        page=chunk.page,
        page_title=chunk.page_title,
        chapter=chunk.chapter,
        section=section.title,
        url=_highlighting(chunk.url_of(section), quoted),
        quote=quoted,
        start=place.start,
        end=place.end,
        similarity=evidence.similarity,
    )


def _highlighting(url: str, quote: str) -> str:
    """With a text fragment, so that a browser highlights the quote; in code and tables it finds none."""
    text = "" if _NOT_PROSE.match(quote) else plain(quote.split("\n\n")[0])
    parts = text.split()
    if not url or not parts:
        return url
    begin, end = " ".join(parts[:_FRAGMENT_WORDS]), " ".join(parts[-_FRAGMENT_WORDS:])
    is_short = len(parts) <= 2 * _FRAGMENT_WORDS
    return with_text_fragment(url, _encode(text) if is_short else f"{_encode(begin)},{_encode(end)}")


def _encode(words: str) -> str:
    """A hyphen has a special meaning in text fragments."""
    return percent(words, safe="").replace("-", "%2D")
