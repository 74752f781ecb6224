"""Where a claim stands in the book, as numbered citations."""

from __future__ import annotations

import re
from urllib.parse import quote as percent

from glossator.answer import wording
from glossator.model import Checked, Chunk, Citation, Evidence, Span
from glossator.text.markdown import plain

_BETWEEN = re.compile(r"[\s>|*+-]*(?:(?:`{3,}|~{3,})[^\n]*\n[\s>]*)?(?:\d{1,3}[.)]\s+)?")
"""What may stand between two parts of one quote: blanks, a fence, marks of lists, quotes and tables."""
_FRAGMENT_WORDS = 6
_NOT_PROSE = re.compile(r"\s*(?:```|~~~|\||<)")


class Citations:
    """Those of one answer, numbered as they come; what follows right behind a quote makes it longer."""

    def __init__(self) -> None:
        self._cited = list[tuple[Evidence, Span]]()

    def number(self, checked: Checked) -> tuple[int, ...]:
        if checked.evidence is None or checked.span is None:
            return ()
        for place, (evidence, span) in enumerate(self._cited):
            joined = _joined(evidence, span, checked.span) if evidence == checked.evidence else None
            if joined:
                self._cited[place] = (evidence, joined)
                return (place + 1,)
        self._cited.append((checked.evidence, checked.span))
        return (len(self._cited),)

    def all(self) -> tuple[Citation, ...]:
        return tuple(_citation(n, evidence, span) for n, (evidence, span) in enumerate(self._cited, 1))


def lines_of(text: str, span: Span) -> Span:
    """The first and the last line of the span's characters, counted from 1."""
    first = text.count("\n", 0, span.start) + 1
    return Span(first, first + text.count("\n", span.start, max(span.end - 1, span.start)))


def place_of(chunk: Chunk, offset: int) -> str:
    """The page and the section by name, with their address."""
    section = chunk.section_at(offset)
    title = " > ".join(dict.fromkeys([chunk.page_title, *section.path[-1:]]))
    return wording.link(title, chunk.url_of(section))


def _joined(evidence: Evidence, cited: Span, more: Span) -> Span | None:
    """Both in one, where they touch and stand in the same section."""
    chunk = evidence.chunk
    if chunk.section_at(cited.start) != chunk.section_at(more.start):
        return None
    first, second = sorted((cited, more))
    between = chunk.text[first.end - chunk.start : max(second.start, first.end) - chunk.start]
    return Span(first.start, max(first.end, second.end)) if _BETWEEN.fullmatch(between) else None


def _citation(n: int, evidence: Evidence, span: Span) -> Citation:
    chunk = evidence.chunk
    section = chunk.section_at(span.start)
    words = chunk.text[span.start - chunk.start : span.end - chunk.start]
    return Citation(
        n=n,
        chunk_id=chunk.chunk_id,
        page=chunk.page,
        page_title=chunk.page_title,
        chapter=chunk.chapter,
        section=section.title,
        url=_with_words(chunk.url_of(section), words),
        quote=words,
        start=span.start,
        end=span.end,
        similarity=evidence.similarity,
    )


def _with_words(url: str, words: str) -> str:
    """A text fragment, so that a browser shows the very words; in code and tables it would find none."""
    shown = "" if _NOT_PROSE.match(words) else plain(words.split("\n\n")[0])
    parts = shown.split()
    if not url or not parts:
        return url
    begin, end = " ".join(parts[:_FRAGMENT_WORDS]), " ".join(parts[-_FRAGMENT_WORDS:])
    text = _fragment(shown) if len(parts) <= 2 * _FRAGMENT_WORDS else f"{_fragment(begin)},{_fragment(end)}"
    return f"{url}{'' if '#' in url else '#'}:~:text={text}"


def _fragment(words: str) -> str:
    """A hyphen has a meaning of its own there."""
    return percent(words, safe="").replace("-", "%2D")
