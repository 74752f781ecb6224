"""Summaries in the book's own sentences: of the book, a chapter, a page, a section or a selection."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import sqrt

import numpy as np

from glossator.answer import wording
from glossator.answer.cite import Citations
from glossator.answer.compose import compose
from glossator.answer.outline import first_pages, name_stems, part_of
from glossator.answer.route.broad import Broad, NamedPart, NumberedPart, WholeBook
from glossator.answer.windows import source_spans, windows
from glossator.model import (
    Brief,
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
    ScoredUnit,
    Section,
    Span,
    UnitKind,
    Vector,
    Verdict,
    Window,
)
from glossator.ports import Embedder, Index, Reader
from glossator.text.markdown import clean, escape
from glossator.text.words import content_stems, stems

_MOST_LINES = 15
_WORDS_OF_A_LINE = 40
_PASSAGES_OF_A_PAGE = 30
_SECTION_CANDIDATES = 40
_ABOUT_QUESTION = "What is this book about?"
OPENING_PAGES = 3
"""A title page and a foreword may come before the page that introduces the book."""
_MOST_READ = 16
"""Windows of the opening pages that the reader scores."""


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


_TitledSentences = tuple[str, Sequence[_Sentence]]
"""A title with the sentences under it: a line of the summary."""


def summarize(
    requested: Broad, manifest: Manifest, index: Index, embedder: Embedder, reader: Reader
) -> Summary | None:
    """None if the book has no such part, or the part has no sentence."""
    pages = _Pages(index, manifest, embedder, reader)
    match requested:
        case WholeBook():
            lead = pages.opening()
            parts = pages.chapters({sentence.chunk.page for sentence in lead})
        case NumberedPart() | NamedPart():
            parts, lead = pages.part(requested), []
    parts = [(title, sentences) for title, sentences in parts if sentences]
    if not parts and not lead:
        return None
    return _summary(_name(requested, parts, manifest), lead, parts)


def _name(requested: Broad, parts: Sequence[_TitledSentences], manifest: Manifest) -> str:
    if isinstance(requested, WholeBook) or not parts:
        return wording.in_short(manifest.book)
    chapters = dict.fromkeys(sentence.chunk.chapter for _, sentences in parts for sentence in sentences)
    pages = dict.fromkeys(sentence.chunk.page_title for _, sentences in parts for sentence in sentences)
    names = list(pages if len(pages) == 1 else chapters)
    return wording.in_short(names[0] if len(names) == 1 else manifest.book)


class _Pages:
    """Reads the sentences of pages and sections from the index."""

    def __init__(self, index: Index, manifest: Manifest, embedder: Embedder, reader: Reader) -> None:
        self._index = index
        self._reader = reader
        self._manifest = manifest
        self._embedder = embedder
        # `_passages` takes all of one page, so any vector will do; this one needs no embedder.
        dimension = manifest.embedder.dimension
        self._vector: Vector = np.full(dimension, dimension**-0.5, np.float32)

    def opening(self) -> list[_Sentence]:
        """The window of the opening pages that says best what the book is about."""
        pages = self._manifest.pages[:OPENING_PAGES]
        candidates = [
            window for page in pages for passage in self._passages(page) for window in windows(passage)
        ]
        candidates = [window for window in candidates[:_MOST_READ] if _window_sentences(window)]
        if not candidates:
            return []
        readings = self._reader.read(_ABOUT_QUESTION, candidates)
        best = max(range(len(candidates)), key=lambda index: readings[index].answers)
        return _window_sentences(candidates[best])

    def chapters(self, used_pages: set[str]) -> list[_TitledSentences]:
        """Each chapter by its first page, unless that page is used already."""
        return [
            (chapter, [] if page.path in used_pages else self._sentences(page))
            for chapter, page in list(first_pages(self._manifest).items())[:_MOST_LINES]
        ]

    def part(self, requested: NumberedPart | NamedPart) -> list[_TitledSentences]:
        """The pages of a chapter, the sections of a page, or one section."""
        pages = part_of(requested, self._manifest)
        if len(pages) > 1:
            return [(page.title, self._sentences(page)) for page in pages[:_MOST_LINES]]
        if pages:
            return self._sections(pages[0])
        return self._section(requested.name) if isinstance(requested, NamedPart) else []

    def _sections(self, page: PageRecord) -> list[_TitledSentences]:
        runs = groupby(self._sentences(page), key=lambda sentence: sentence.section)
        parts: list[_TitledSentences] = [
            (section.title or page.title, list(sentences)) for section, sentences in runs
        ]
        return parts[:_MOST_LINES]

    def _section(self, name: str) -> list[_TitledSentences]:
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
                    (title, sentences)
                    for title, sentences in self._sections(page)
                    if any(
                        sentence.section.path[: len(section.path)] == section.path for sentence in sentences
                    )
                ]
        return []

    def _sentences(self, page: PageRecord) -> list[_Sentence]:
        sentences = dict[Span, _Sentence]()
        for passage in self._passages(page):
            for unit in passage.units:
                span = Span(unit.start, unit.end)
                if unit.kind is UnitKind.PROSE and span not in sentences:
                    sentences[span] = _Sentence(passage.chunk, passage.chunk.section_at(span.start), span)
        return list(sentences.values())

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


def _window_sentences(window: Window) -> list[_Sentence]:
    passage = window.passage
    spans = source_spans(passage, window.parts)
    return [
        _Sentence(passage.chunk, passage.chunk.section_at(span.start), span)
        for part, span in zip(window.parts, spans, strict=True)
        if passage.units[part.unit].kind is UnitKind.PROSE
    ]


def _summary(heading: str, lead: Sequence[_Sentence], parts: Sequence[_TitledSentences]) -> Summary:
    citations = Citations()
    claims = [Claim(heading, Verdict.SUPPORTED, ())]
    if lead:
        claims.append(_claim("\n\n", lead, citations))
    if len(parts) == 1 and not lead:
        ((_, sentences),) = parts
        claims.append(_claim("\n\n", list(_central(sentences, MOST_WORDS)), citations))
    else:
        for number, (title, sentences) in enumerate(parts):
            gap = "\n" if number else "\n\n"
            opening = f"{gap}- **{escape(title)}**: "
            claims.append(_claim(opening, list(_central(sentences, _WORDS_OF_A_LINE)), citations))
    return Summary(tuple(claims), citations.all())


def _central(sentences: Sequence[_Sentence], words: int) -> Iterator[_Sentence]:
    """Without sentences that only introduce what a summary leaves out."""
    standing = [sentence for sentence in sentences if stands_alone(sentence.text)] or sentences
    yield from (
        standing[index] for index in central_sentences([sentence.text for sentence in standing], words)
    )


def _claim(opening: str, sentences: Sequence[_Sentence], citations: Citations) -> Claim:
    numbers = dict[int, None]()
    for sentence in sentences:
        evidence = Evidence(1, sentence.chunk, sentence.section, (), 1.0)
        numbers |= dict.fromkeys(citations.number(Checked(Verdict.SUPPORTED, 1.0, evidence, sentence.span)))
    text = " ".join(sentence.text for sentence in sentences)
    marks = "".join(f"[{number}]" for number in numbers)
    return Claim(f"{opening}{text} {marks}", Verdict.SUPPORTED, tuple(numbers))


# Extractive text: the digest of a selection, and the choice of central sentences.

MOST_WORDS = 80
_FEWEST_WORDS = 4
_INTRODUCES = re.compile(r"[:：?؟][\s*_\"”)]*$")


def extract(brief: Brief) -> list[str]:
    """The answer text without a language model."""
    return digest(brief) if brief.is_digest else compose(brief)


def digest(brief: Brief) -> list[str]:
    """A summary of the first evidence, then what the others add to it."""
    first, *rest = brief.evidence
    pieces = list(_pieces(first))
    rest = [without_units_in(evidence, first.chunk.text) for evidence in rest]
    new = [evidence for evidence in rest if evidence.units]
    more = compose(replace(brief, evidence=new)) if new else []
    return [
        *pieces,
        *(f"\n\n{piece}" if index == 0 and pieces else piece for index, piece in enumerate(more)),
    ]


def _pieces(evidence: Evidence) -> Iterator[str]:
    texts = [clean(unit.text) for unit in evidence.units]
    chosen = [evidence.units[index] for index in central_sentences(texts, MOST_WORDS)]
    for number, (_, units) in enumerate(groupby(chosen, key=lambda unit: unit.unit.block)):
        paragraph = " ".join(clean(unit.text) for unit in units)
        gap = "\n\n" if number else ""
        yield f"{gap}{paragraph} [{evidence.number}]"


def without_units_in(evidence: Evidence, text: str) -> Evidence:
    """The evidence without the units that the text contains already."""
    normalized = " ".join(text.split())
    return replace(
        evidence, units=tuple(unit for unit in evidence.units if not _is_contained(unit, normalized))
    )


def _is_contained(unit: ScoredUnit, text: str) -> bool:
    return " ".join(unit.text.split()) in text or clean(unit.text) in text


def central_sentences(texts: Sequence[str], most_words: int, language: str = "english") -> list[int]:
    """Indexes of the most representative sentences, in reading order, with about so many words together.

    The first sentence is always taken. The others are ranked by how often their words occur in the text.
    Questions and sentences that only introduce something are left out.
    """
    sizes = [len(text.split()) for text in texts]
    if sum(sizes) <= most_words:
        return list(range(len(texts)))
    lead, *others = [index for index, text in enumerate(texts) if stands_alone(text)] or range(len(texts))
    stems = {index: content_stems(texts[index], language) for index in (lead, *others)}
    counts = Counter(stem for text_stems in stems.values() for stem in text_stems)
    others.sort(key=lambda index: -sum(counts[stem] for stem in stems[index]) / sqrt(len(stems[index]) + 1))
    chosen, left = [lead], most_words - sizes[lead]
    for index in others:
        if sizes[index] <= left:
            chosen.append(index)
            left -= sizes[index]
    return sorted(chosen)


def stands_alone(text: str) -> bool:
    is_prose = "```" not in text and not _INTRODUCES.search(text)
    return is_prose and len(text.split()) >= _FEWEST_WORDS
