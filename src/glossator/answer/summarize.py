"""Summaries in the book's own sentences: of the book, a chapter, a page or a section."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from glossator.answer import wording
from glossator.answer.cite import Citations
from glossator.answer.confidence import order_of, unit_order_of
from glossator.answer.digest import stands_alone
from glossator.answer.outline import first_pages, name_stems, part_of
from glossator.answer.route.broad import Broad, NamedPart, NumberedPart, WholeBook
from glossator.answer.windows import source_spans, windows
from glossator.model import (
    Checked,
    Chunk,
    Citation,
    Claim,
    Evidence,
    Filters,
    IndexQuery,
    Manifest,
    PageRecord,
    Passage,
    Section,
    Span,
    UnitKind,
    Vector,
    Verdict,
    Window,
)
from glossator.ports import Embedder, Index, Reader
from glossator.text.markdown import clean, escape
from glossator.text.words import stems

_MOST_LINES = 15
_WORDS_OF_A_LINE, _WORDS_OF_ONE_PART = 40, 80
_PASSAGES_OF_A_PAGE = 30
_SECTION_CANDIDATES = 40
_ABOUT_BOOK, _ABOUT_PART = "What is this book about?", "What is {title} about?"
"""Questions that the reader is asked: it was trained with English questions."""
OPENING_PAGES = 3
"""A title page and a foreword may come before the page that introduces the book."""
_MOST_READ_OF_OPENING, _MOST_READ_OF_PART = 16, 4
"""Windows that the reader scores."""
_EARLIER = 1.0
"""An earlier window may have a logit so much below the best: authors begin with what a book is about."""


@dataclass(frozen=True, slots=True)
class Summary:
    claims: tuple[Claim, ...]
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class _Sentence:
    chunk: Chunk
    section: Section
    span: Span

    @property
    def text(self) -> str:
        return clean(self.chunk.text[self.span.start - self.chunk.start : self.span.end - self.chunk.start])


_Part = tuple[str, Sequence[Window]]
"""A title with the windows below it."""
_Line = tuple[str, Sequence[_Sentence]]
"""A title with the sentences that are shown of it."""


def summarize(
    requested: Broad, manifest: Manifest, index: Index, embedder: Embedder, reader: Reader
) -> Summary | None:
    """None if the book has no such part, or the part has no sentence."""
    pages = _Pages(index, manifest, embedder)
    match requested:
        case WholeBook():
            lead = _opening(pages.opening(), reader)
            parts = pages.chapters({sentence.chunk.page for sentence in lead})
        case NumberedPart() | NamedPart():
            parts, lead = pages.part(requested), []
    words = _WORDS_OF_ONE_PART if len(parts) == 1 and not lead else _WORDS_OF_A_LINE
    lines = [(title, _gist(title, windows, words, reader)) for title, windows in parts]
    lines = [(title, sentences) for title, sentences in lines if sentences]
    if not lines and not lead:
        return None
    return _summary(_name(requested, lines, manifest), lead, lines)


def _opening(candidates: Sequence[Window], reader: Reader) -> list[_Sentence]:
    """The window that says what the book is about."""
    candidates = [window for window in candidates if any(_sentences(window))]
    readings = reader.read(_ABOUT_BOOK, candidates)
    best = max((reading.answers for reading in readings), default=0.0)
    likely = [
        window
        for window, reading in zip(candidates, readings, strict=True)
        if reading.answers >= best - _EARLIER
    ]
    return [sentence for sentence in _sentences(likely[0]) if sentence] if likely else []


def _gist(title: str, windows: Sequence[Window], words: int, reader: Reader) -> list[_Sentence]:
    """The sentences that best say what a part is about, in reading order."""
    scores = dict[_Sentence, float]()
    windows = windows[:_MOST_READ_OF_PART]
    for window, reading in zip(windows, reader.read(_ABOUT_PART.format(title=title), windows), strict=True):
        order = order_of(reading.answers, match=0.0, cosine=0.0, words=0.0)
        for sentence, belongs, facts in zip(_sentences(window), reading.belongs, reading.facts, strict=True):
            if sentence and stands_alone(sentence.text):
                score = unit_order_of(order, belongs, facts)
                scores[sentence] = max(score, scores.get(sentence, score))
    chosen, left = list[_Sentence](), words
    for sentence in sorted(scores, key=lambda sentence: -scores[sentence]):
        size = len(sentence.text.split())
        if size <= left or not chosen:
            chosen.append(sentence)
            left -= size
    return sorted(chosen, key=lambda sentence: (sentence.chunk.index, sentence.span))


def _sentences(window: Window) -> list[_Sentence | None]:
    """Returns one sentence for each part of the window; None for what is no prose."""
    passage = window.passage
    return [
        _Sentence(passage.chunk, passage.chunk.section_at(span.start), span)
        if passage.units[part.unit].kind is UnitKind.PROSE
        else None
        for part, span in zip(window.parts, source_spans(passage, window.parts), strict=True)
    ]


def _name(requested: Broad, lines: Sequence[_Line], manifest: Manifest) -> str:
    if isinstance(requested, WholeBook) or not lines:
        return wording.in_short(manifest.book)
    chapters = dict.fromkeys(sentence.chunk.chapter for _, sentences in lines for sentence in sentences)
    pages = dict.fromkeys(sentence.chunk.page_title for _, sentences in lines for sentence in sentences)
    names = list(pages if len(pages) == 1 else chapters)
    return wording.in_short(names[0] if len(names) == 1 else manifest.book)


class _Pages:
    """Reads the windows of pages and sections from the index."""

    def __init__(self, index: Index, manifest: Manifest, embedder: Embedder) -> None:
        self._index = index
        self._manifest = manifest
        self._embedder = embedder
        # `_passages` takes all of one page, so any vector will do; this one needs no embedder.
        dimension = manifest.embedder.dimension
        self._vector: Vector = np.full(dimension, dimension**-0.5, np.float32)

    def opening(self) -> list[Window]:
        pages = self._manifest.pages[:OPENING_PAGES]
        return [window for page in pages for window in self._windows(page)][:_MOST_READ_OF_OPENING]

    def chapters(self, used_pages: set[str]) -> list[_Part]:
        """Each chapter by its first page, unless that page is used already."""
        return [
            (chapter, [] if page.path in used_pages else self._windows(page))
            for chapter, page in list(first_pages(self._manifest).items())[:_MOST_LINES]
        ]

    def part(self, requested: NumberedPart | NamedPart) -> list[_Part]:
        """The pages of a chapter, the sections of a page, or one section."""
        pages = part_of(requested, self._manifest)
        if len(pages) > 1:
            return [(page.title, self._windows(page)) for page in pages[:_MOST_LINES]]
        if pages:
            return [(title, found) for _, title, found in self._sections(pages[0])][:_MOST_LINES]
        return self._section(requested.name) if isinstance(requested, NamedPart) else []

    def _sections(self, page: PageRecord) -> list[tuple[Section, str, Sequence[Window]]]:
        runs = groupby(self._windows(page), key=lambda window: window.passage.section)
        return [(section, section.title or page.title, list(found)) for section, found in runs]

    def _section(self, name: str) -> list[_Part]:
        """The nearest section whose title has all the words of the name."""
        language = self._manifest.lexicon.language
        wanted = name_stems(name, language)
        vector = self._embedder.embed_query(name).vector
        allowed = {page.path: page for page in self._manifest.pages}
        for hit in self._index.search(
            IndexQuery(name, vector, limit=_SECTION_CANDIDATES, candidates=_SECTION_CANDIDATES)
        ):
            section, page = hit.passage.section, allowed.get(hit.passage.chunk.page)
            if page and wanted and wanted <= set(stems(section.title, language)):
                return [
                    (title, found)
                    for other, title, found in self._sections(page)
                    if other.path[: len(section.path)] == section.path
                ]
        return []

    def _windows(self, page: PageRecord) -> list[Window]:
        return [window for passage in self._passages(page) for window in windows(passage)]

    def _passages(self, page: PageRecord) -> list[Passage]:
        query = IndexQuery(
            self._manifest.book,
            self._vector,
            limit=_PASSAGES_OF_A_PAGE,
            candidates=_PASSAGES_OF_A_PAGE,
            filters=Filters(page=(page.path,)),
        )
        passages = [found.passage for found in self._index.search(query)]
        return sorted(passages, key=lambda passage: (passage.chunk.index, passage.number))


def _summary(heading: str, lead: Sequence[_Sentence], lines: Sequence[_Line]) -> Summary:
    citations = Citations()
    claims = [Claim(heading, Verdict.SUPPORTED, ())]
    if lead:
        claims.append(_claim("\n\n", lead, citations))
    if len(lines) == 1 and not lead:
        ((_, sentences),) = lines
        claims.append(_claim("\n\n", sentences, citations))
    else:
        for number, (title, sentences) in enumerate(lines):
            gap = "\n" if number else "\n\n"
            claims.append(_claim(f"{gap}- **{escape(title)}**: ", sentences, citations))
    return Summary(tuple(claims), citations.all())


def _claim(opening: str, sentences: Sequence[_Sentence], citations: Citations) -> Claim:
    numbers = dict[int, None]()
    for sentence in sentences:
        evidence = Evidence(1, sentence.chunk, sentence.section, (), 1.0)
        numbers |= dict.fromkeys(citations.number(Checked(Verdict.SUPPORTED, 1.0, evidence, sentence.span)))
    text = " ".join(sentence.text for sentence in sentences)
    marks = "".join(f"[{number}]" for number in numbers)
    return Claim(f"{opening}{text} {marks}", Verdict.SUPPORTED, tuple(numbers))
