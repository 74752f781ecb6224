"""The book, or a part of it, in short: a line a section, in its own words, with where they stand."""

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
from glossator.answer.outline import part_of
from glossator.answer.route.broad import Broad, NamedPart, NumberedPart, WholeBook
from glossator.answer.route.lean import FUNCTION_WORDS
from glossator.answer.weigh import asked_for
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
from glossator.text.markdown import clean, escaped
from glossator.text.words import stems

_MOST_LINES = 15
_WORDS_OF_A_LINE = 40
_PASSAGES_OF_A_PAGE = 30
_NEAR = 40
_ABOUT = "What is this book about?"
OPENING_PAGES = 3
"""A title page and a foreword may stand before the page that introduces the book."""
_MOST_READ = 16
"""Windows of the pages that open the book."""


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


Part = tuple[str, Sequence[_Sentence]]
"""What it is called, and what it says."""


def summarize(
    asked: Broad, manifest: Manifest, index: Index, embedder: Embedder, reader: Reader
) -> Summary | None:
    """None where the book has no such part, or the part has no sentence."""
    told = _Pages(index, manifest, embedder, reader)
    match asked:
        case WholeBook():
            lead = told.opening()
            parts = told.chapters({one.chunk.page for one in lead})
        case NumberedPart() | NamedPart():
            parts, lead = told.part(asked), []
    parts = [(title, sentences) for title, sentences in parts if sentences]
    if not parts and not lead:
        return None
    return _written(_name(asked, parts, manifest), lead, parts)


def _name(asked: Broad, parts: Sequence[Part], manifest: Manifest) -> str:
    if isinstance(asked, WholeBook) or not parts:
        return wording.in_short(manifest.book)
    chapters = dict.fromkeys(sentence.chunk.chapter for _, some in parts for sentence in some)
    pages = dict.fromkeys(sentence.chunk.page_title for _, some in parts for sentence in some)
    names = list(pages if len(pages) == 1 else chapters)
    return wording.in_short(names[0] if len(names) == 1 else manifest.book)


class _Pages:
    """What the pages of the book say, by their sections."""

    def __init__(self, index: Index, manifest: Manifest, embedder: Embedder, reader: Reader) -> None:
        self._index = index
        self._reader = reader
        self._manifest = manifest
        self._embedder = embedder
        # Only one page is searched at a time, and all of it comes: any vector does, also without an embedder.
        dimension = manifest.embedder.dimension
        self._vector: Vector = np.full(dimension, dimension**-0.5, np.float32)

    def opening(self) -> list[_Sentence]:
        """Of the pages that open the book, the place that says best what it is about."""
        pages = self._manifest.pages[:OPENING_PAGES]
        read = [window for page in pages for passage in self._passages(page) for window in windows(passage)]
        read = [window for window in read[:_MOST_READ] if _sentences_of(window)]
        if not read:
            return []
        readings = self._reader.read(_ABOUT, read)
        best = max(range(len(read)), key=lambda place: readings[place].answers)
        return _sentences_of(read[best])

    def chapters(self, told: set[str]) -> list[Part]:
        """Each by the page that opens it, unless that was told already."""
        firsts = dict[str, PageRecord]()
        for page in self._manifest.pages:
            firsts.setdefault(page.chapter, page)
        return [
            (chapter, [] if page.path in told else self._sentences(page))
            for chapter, page in list(firsts.items())[:_MOST_LINES]
        ]

    def part(self, asked: NumberedPart | NamedPart) -> list[Part]:
        """The pages of a chapter, the sections of a page, or one section."""
        pages = part_of(asked, self._manifest)
        if len(pages) > 1:
            return [(page.title, self._sentences(page)) for page in pages[:_MOST_LINES]]
        if pages:
            return self._sections(pages[0])
        return self._section(asked.name) if isinstance(asked, NamedPart) else []

    def _sections(self, page: PageRecord) -> list[Part]:
        runs = groupby(self._sentences(page), key=lambda one: one.section)
        parts: list[Part] = [(section.title or page.title, list(some)) for section, some in runs]
        return parts[:_MOST_LINES]

    def _section(self, name: str) -> list[Part]:
        """The nearest section whose title has all the words of the name."""
        language = self._manifest.lexicon.language
        wanted = {stem for stem in stems(name, language) if stem not in FUNCTION_WORDS}
        vector = self._embedder.embed_query(name).vector
        allowed = {page.path: page for page in self._manifest.pages}
        for found in self._index.search(IndexQuery(name, vector, limit=_NEAR, candidates=_NEAR)):
            section, page = found.passage.section, allowed.get(found.passage.chunk.page)
            if page and wanted and wanted <= set(stems(section.title, language)):
                return [
                    (title, some)
                    for title, some in self._sections(page)
                    if any(one.section.path[: len(section.path)] == section.path for one in some)
                ]
        return []

    def _sentences(self, page: PageRecord) -> list[_Sentence]:
        found = dict[Span, _Sentence]()
        for passage in self._passages(page):
            for unit in passage.units:
                span = Span(unit.start, unit.end)
                if unit.kind is UnitKind.PROSE and span not in found:
                    found[span] = _Sentence(passage.chunk, passage.chunk.section_at(span.start), span)
        return list(found.values())

    def _passages(self, page: PageRecord) -> list[Passage]:
        query = IndexQuery(
            self._manifest.book,
            self._vector,
            limit=_PASSAGES_OF_A_PAGE,
            candidates=_PASSAGES_OF_A_PAGE,
            filters=Filters(page=(page.path,)),
        )
        passages = [found.passage for found in self._index.search(query)]
        return sorted(passages, key=lambda one: (one.chunk.index, one.number))


def _sentences_of(window: Window) -> list[_Sentence]:
    passage = window.passage
    spans = source_spans(passage, window.parts)
    return [
        _Sentence(passage.chunk, passage.chunk.section_at(span.start), span)
        for part, span in zip(window.parts, spans, strict=True)
        if passage.units[part.unit].kind is UnitKind.PROSE
    ]


def _written(heading: str, lead: Sequence[_Sentence], parts: Sequence[Part]) -> Summary:
    citations = Citations()
    claims = [Claim(heading, Verdict.SUPPORTED, ())]
    if lead:
        claims.append(_claim("\n\n", lead, citations))
    if len(parts) == 1 and not lead:
        ((_, sentences),) = parts
        claims.append(_claim("\n\n", list(_chosen(sentences, MOST_WORDS)), citations))
    else:
        for number, (title, sentences) in enumerate(parts):
            gap = "\n" if number else "\n\n"
            opening = f"{gap}- **{escaped(title)}**: "
            claims.append(_claim(opening, list(_chosen(sentences, _WORDS_OF_A_LINE)), citations))
    return Summary(tuple(claims), citations.all())


def _chosen(sentences: Sequence[_Sentence], words: int) -> Iterator[_Sentence]:
    yield from (sentences[place] for place in central([one.text for one in sentences], words))


def _claim(opening: str, sentences: Sequence[_Sentence], citations: Citations) -> Claim:
    numbers = dict[int, None]()
    for one in sentences:
        evidence = Evidence(1, one.chunk, one.section, (), 1.0)
        numbers |= dict.fromkeys(citations.number(Checked(Verdict.SUPPORTED, 1.0, evidence, one.span)))
    text = " ".join(one.text for one in sentences)
    marks = "".join(f"[{number}]" for number in numbers)
    return Claim(f"{opening}{text} {marks}", Verdict.SUPPORTED, tuple(numbers))


# The gist of a text in its own words: what it begins with, and the sentences that say most of it.

MOST_WORDS = 80
_FEWEST_WORDS = 4
_LEADS_ON = re.compile(r"[:：?؟][\s*_\"”)]*$")


def extract(brief: Brief) -> list[str]:
    """What is written without a language model."""
    return digest(brief) if brief.is_digest else compose(brief)


def digest(brief: Brief) -> list[str]:
    """The first evidence in short; behind it, what the others say and it does not."""
    first, *rest = brief.evidence
    told = list(_pieces(first))
    new = [one for one in (without_told(one, first.chunk.text) for one in rest) if one.units]
    more = compose(replace(brief, evidence=new)) if new else []
    return [*told, *(f"\n\n{piece}" if place == 0 and told else piece for place, piece in enumerate(more))]


def _pieces(evidence: Evidence) -> Iterator[str]:
    texts = [clean(unit.text) for unit in evidence.units]
    chosen = [evidence.units[place] for place in central(texts, MOST_WORDS)]
    for number, (_, units) in enumerate(groupby(chosen, key=lambda one: one.unit.block)):
        paragraph = " ".join(clean(unit.text) for unit in units)
        gap = "\n\n" if number else ""
        yield f"{gap}{paragraph} [{evidence.number}]"


def without_told(evidence: Evidence, told: str) -> Evidence:
    """Without the units whose words were told already."""
    said = " ".join(told.split())
    return replace(evidence, units=tuple(one for one in evidence.units if not _is_in(one, said)))


def _is_in(one: ScoredUnit, said: str) -> bool:
    return " ".join(one.text.split()) in said or clean(one.text) in said


def central(texts: Sequence[str], most: int, language: str = "english") -> list[int]:
    """Places of the sentences that stand for all of them, in reading order, of about so many words together.

    The first one leads. Each other one counts by its words, and those by how often the text has them; a
    question, and what only leads on to something else, stands for nothing.
    """
    sizes = [len(text.split()) for text in texts]
    if sum(sizes) <= most:
        return list(range(len(texts)))
    lead, *others = [place for place, text in enumerate(texts) if stands_alone(text)] or range(len(texts))
    stems = {place: asked_for(texts[place], language) for place in (lead, *others)}
    counts = Counter(stem for some in stems.values() for stem in some)
    others.sort(key=lambda place: -sum(counts[stem] for stem in stems[place]) / sqrt(len(stems[place]) + 1))
    chosen, left = [lead], most - sizes[lead]
    for place in others:
        if sizes[place] <= left:
            chosen.append(place)
            left -= sizes[place]
    return sorted(chosen)


def stands_alone(text: str) -> bool:
    return len(text.split()) >= _FEWEST_WORDS and not _LEADS_ON.search(text)
