"""The reader's selection as the only evidence: there is no index on this way."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from math import ceil

from glossator.answer.retrieve import DEPTH, Query, RankedPassages, read
from glossator.model import (
    Chunk,
    Evidence,
    FoundPassage,
    Lexicon,
    Passage,
    ScoredUnit,
    Scores,
    Section,
    Selection,
    Span,
    Unit,
    UnitKind,
)
from glossator.ports import Embedder, Reader
from glossator.text.sentences import sentences
from glossator.text.words import stems
from glossator.work import next_step

SELECTION = "User Selection"

_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n(?![ \t]*\n)[^\n]+)*")
_ROOM = 120
"""Word pieces of one passage: a selection is short, and is to be looked at closely."""
_MOST_UNITS = 256
"""Of a selection: where its sentences are tiny, neighbours are read as one."""


def select(
    question: str, selection: Selection, embedder: Embedder, reader: Reader, *, language: str
) -> tuple[RankedPassages, Lexicon]:
    """The selection as if it were a book of one page; every offset is one of the selection."""
    chunk = chunk_of(selection)
    passages = _nearest(question, list(_passages(chunk, embedder)), language)
    embeddings = embedder.embed_passages([passage.reading for passage in passages], states=True)
    next_step()
    asked = Query(question, embedder.embed_query(question, states=True), _lexicon(chunk, language))
    found = [
        FoundPassage(passage, _scores(float(asked.embedding.vector @ embedding.vector)), embedding.states)
        for passage, embedding in zip(passages, embeddings, strict=True)
    ]
    return read(asked, found, reader, top_k=1), asked.lexicon


def whole(selection: Selection, embedder: Embedder, *, language: str) -> tuple[Evidence, Lexicon]:
    """All of it as one evidence, for a question that is about all of it."""
    chunk = chunk_of(selection)
    passages = tuple(_passages(chunk, embedder))
    units = tuple(
        ScoredUnit(unit, chunk.text[unit.start : unit.end], 0.0) for one in passages for unit in one.units
    )
    return Evidence(1, chunk, chunk.sections[0], units, 1.0, passages), _lexicon(chunk, language)


def chunk_of(selection: Selection) -> Chunk:
    text = selection.text
    return Chunk(
        page=selection.page_url or "",
        page_title=SELECTION,
        page_url=selection.page_url or "",
        chapter="",
        index=0,
        sections=(Section(SELECTION, "", (), 0),),
        text=text,
        start=0,
        end=len(text),
        token_count=0,
        content_hash=hashlib.sha256(text.encode()).hexdigest(),
    )


def _passages(chunk: Chunk, embedder: Embedder) -> Iterator[Passage]:
    """Runs of sentences that have room; a sentence that alone has none stands alone."""
    units = list(_units(chunk.text, embedder))
    run, size, number = list[Unit](), 0, 0
    for unit in units:
        if run and size + unit.tokens > _ROOM:
            yield _passage(chunk, number, run)
            run, size, number = [], 0, number + 1
        run.append(unit)
        size += unit.tokens
    if run:
        yield _passage(chunk, number, run)


def _passage(chunk: Chunk, number: int, run: Sequence[Unit]) -> Passage:
    reading, units = "", list[Unit]()
    for unit in run:
        words = chunk.text[unit.start : unit.end]
        units.append(unit._replace(reading=Span(len(reading), len(reading) + len(words))))
        reading += f"{words} "
    return Passage(chunk, number, run[0].start, run[-1].end, reading[:-1], tuple(units))


def _nearest(question: str, passages: Sequence[Passage], language: str) -> Sequence[Passage]:
    """As many as the index would bring, those that share most words with the question, in reading order."""
    if len(passages) <= DEPTH:
        return passages
    asked = frozenset(stems(question, language))
    shared = [-len(asked.intersection(stems(passage.reading, language))) for passage in passages]
    chosen = sorted(range(len(passages)), key=lambda place: shared[place])[:DEPTH]
    return [passages[place] for place in sorted(chosen)]


def _units(text: str, embedder: Embedder) -> Iterator[Unit]:
    spans = _joined(
        [
            (Span(paragraph.start() + span.start, paragraph.start() + span.end), Span(*paragraph.span()))
            for paragraph in _PARAGRAPH.finditer(text)
            for span in sentences(paragraph[0])
        ]
    )
    counts = embedder.count_tokens([text[span.start : span.end] for span, _ in spans])
    for (span, block), tokens in zip(spans, counts, strict=True):
        yield Unit(UnitKind.PROSE, span.start, span.end, tokens, block, span)


def _joined(spans: Sequence[tuple[Span, Span]]) -> list[tuple[Span, Span]]:
    """Sentences and the paragraphs they stand in, no more than there may be units."""
    size = ceil(len(spans) / _MOST_UNITS) or 1
    runs = [spans[first : first + size] for first in range(0, len(spans), size)]
    return [(Span(run[0][0].start, run[-1][0].end), Span(run[0][1].start, run[-1][1].end)) for run in runs]


def _scores(cosine: float) -> Scores:
    return Scores(dense=cosine, sparse=None, fused=cosine)


def _lexicon(chunk: Chunk, language: str) -> Lexicon:
    """How rare a word is within the selection itself."""
    counts = dict[str, int]()
    spans = sentences(chunk.text)
    for span in spans:
        for stem in set(stems(chunk.text[span.start : span.end], language)):
            counts[stem] = counts.get(stem, 0) + 1
    return Lexicon(language, max(len(spans), 1), counts)
