"""Retrieves from the text that the reader selected, without any index."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from math import ceil

from glossator.answer.retrieve import DEPTH, READ, RankedPassages, ReaderQuery, read
from glossator.model import (
    SELECTION,
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
from glossator.work import check_cancelled

_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n(?![ \t]*\n)[^\n]+)*")
_ROOM = 120
"""Word pieces of a passage: short, because a selection is short."""
_MOST_UNITS = 256
"""How many units a selection is scored in; if it has more sentences, neighbours are joined."""


def select(
    question: str,
    selection: Selection,
    embedder: Embedder,
    reader: Reader,
    *,
    language: str,
    most_windows: int = READ,
) -> tuple[RankedPassages, Lexicon]:
    """Treats the selection as a book of one page; all offsets count from its start."""
    chunk = chunk_of(selection)
    passages = _nearest(question, list(_passages(chunk, embedder)), language)
    embeddings = embedder.embed_passages([passage.reading for passage in passages], states=True)
    check_cancelled()
    query = ReaderQuery((question,), embedder.embed_query(question, states=True), _lexicon(chunk, language))
    scored = [
        FoundPassage(passage, _scores(float(query.embedding.vector @ embedding.vector)), embedding.states)
        for passage, embedding in zip(passages, embeddings, strict=True)
    ]
    return read(query, scored, reader, top_k=1, most_windows=most_windows), query.lexicon


def select_whole(selection: Selection, embedder: Embedder, *, language: str) -> tuple[Evidence, Lexicon]:
    """The whole selection as one evidence, for a question about all of it."""
    chunk = chunk_of(selection)
    passages = tuple(_passages(chunk, embedder))
    units = tuple(
        ScoredUnit(unit, chunk.text[unit.start : unit.end], 0.0)
        for passage in passages
        for unit in passage.units
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
    """Runs of sentences up to `_ROOM`; a longer sentence is a passage of its own."""
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
        text = chunk.text[unit.start : unit.end]
        units.append(unit._replace(reading=Span(len(reading), len(reading) + len(text))))
        reading += f"{text} "
    return Passage(chunk, number, run[0].start, run[-1].end, reading[:-1], tuple(units))


def _nearest(question: str, passages: Sequence[Passage], language: str) -> Sequence[Passage]:
    """The passages, at most `DEPTH`, that share most words with the question, in reading order."""
    if len(passages) <= DEPTH:
        return passages
    question_stems = frozenset(stems(question, language))
    shared = [-len(question_stems.intersection(stems(passage.reading, language))) for passage in passages]
    selected = sorted(range(len(passages)), key=lambda index: shared[index])[:DEPTH]
    return [passages[index] for index in sorted(selected)]


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
    """Sentences with their paragraphs, joined until there are at most `_MOST_UNITS`."""
    size = ceil(len(spans) / _MOST_UNITS) or 1
    runs = [spans[first : first + size] for first in range(0, len(spans), size)]
    return [(Span(run[0][0].start, run[-1][0].end), Span(run[0][1].start, run[-1][1].end)) for run in runs]


def _scores(cosine: float) -> Scores:
    return Scores(dense=cosine, sparse=None, fused=cosine)


def _lexicon(chunk: Chunk, language: str) -> Lexicon:
    """Word counts of the selection itself, by sentence."""
    counts = dict[str, int]()
    spans = sentences(chunk.text)
    for span in spans:
        for stem in set(stems(chunk.text[span.start : span.end], language)):
            counts[stem] = counts.get(stem, 0) + 1
    return Lexicon(language, max(len(spans), 1), counts)
