"""Where the answer is looked for: in the book, in the reader's selection, or in both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp

from glossator.answer.confidence import confidence_of, unit_order_of
from glossator.answer.retrieve import RankedPassages, retrieve
from glossator.answer.route.broad import names_the_book
from glossator.answer.route.lean import leans
from glossator.answer.route.rewrite import Standalone, questions_in
from glossator.answer.route.route import is_about_whole, is_follow_up
from glossator.answer.select import select, whole
from glossator.answer.summarize import OPENING_PAGES
from glossator.answer.windows import parts_of, source_spans
from glossator.model import (
    BookIndex,
    Chunk,
    Confidence,
    Evidence,
    Filters,
    Hit,
    Level,
    Lexicon,
    Manifest,
    Part,
    Passage,
    Policy,
    Question,
    ScoredUnit,
    Selection,
    Span,
    Unit,
)
from glossator.ports import Embedder, Index, Reader

_WORDS_OF_SELECTION = 400
"""Characters of it that say what a question of few words is about."""


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """What was found for a question, and whether it carries an answer."""

    hits: tuple[Hit, ...]
    evidence: tuple[Evidence, ...]
    confidence: Confidence
    lexicon: Lexicon
    index: BookIndex | None = None
    not_found: tuple[str, ...] = ()
    """Of a question that asks for several things, those that the book does not answer."""
    is_digest: bool = False
    """Whether all of a selection is asked about: then nothing has to be found, and nothing is judged."""


def retrieve_from_selection(
    asked: str, selection: Selection, embedder: Embedder, reader: Reader, language: str
) -> RetrievalResult:
    """Nothing here can reach the book."""
    if is_about_whole(asked):
        evidence, lexicon = whole(selection, embedder, language=language)
        nothing = confidence_of((), None, Policy.CALIBRATED)
        return RetrievalResult((), (evidence,), nothing, lexicon, is_digest=True)
    result, lexicon = select(asked, selection, embedder, reader, language=language)
    confidence = _confidence(result, Policy.CALIBRATED)
    return RetrievalResult(result.hits, tuple(gather(result)), confidence, lexicon)


def retrieve_from_book(
    asked: Standalone,
    question: Question,
    embedder: Embedder,
    reader: Reader,
    index: Index,
    policy: Policy,
) -> RetrievalResult:
    """What a book says of itself stands on the pages that open it: they are read first for it, and alone."""
    if names_the_book(asked.read) and question.filters == Filters():
        pages = as_far_as_read(index.manifest(), question).pages[:OPENING_PAGES]
        opening = replace(question, filters=Filters(page=tuple(page.path for page in pages)))
        retrieval = _look(asked, opening, embedder, reader, index, policy)
        if retrieval.confidence.should_answer:
            return retrieval
    return _look(asked, question, embedder, reader, index, policy)


def _look(
    asked: Standalone, question: Question, embedder: Embedder, reader: Reader, index: Index, policy: Policy
) -> RetrievalResult:
    manifest, found = _found(asked, question, embedder, reader, index)
    result = _above(question.threshold, found)
    parts = _parts(asked, question, embedder, reader, index)
    confidence = _confidence(result, policy)
    carried = {part: one for part, one in parts.items() if _is_carried(_confidence(one, policy), confidence)}
    if carried and not confidence.should_answer:
        confidence = max((_confidence(one, policy) for one in carried.values()), key=lambda one: one.score)
    return RetrievalResult(
        hits=result.hits,
        evidence=tuple(gather(result, *carried.values())),
        confidence=confidence,
        lexicon=manifest.lexicon,
        index=BookIndex(manifest.generation, manifest.book),
        not_found=tuple(part for part in parts if part not in carried) if carried else (),
    )


def _is_carried(part: Confidence, whole: Confidence) -> bool:
    """Where the question as a whole finds no answer, a part of it must be sure to have one."""
    return part.should_answer and (whole.should_answer or part.level is not Level.LOW)


def _parts(
    asked: Standalone, question: Question, embedder: Embedder, reader: Reader, index: Index
) -> dict[str, RankedPassages]:
    """What is found for each thing that is asked for, where there are several.

    One that leans on the first stands behind it.
    """
    # What a follow-up leans on is no second question.
    parts = questions_in(asked.search) if asked.search == question.text else []
    if len(parts) < 2:
        return {}
    standing = [part if not is_follow_up(part) else f"{parts[0]} {part}" for part in parts]
    return {
        part: _above(question.threshold, _found(Standalone.of(text), question, embedder, reader, index)[1])
        for part, text in zip(parts, standing, strict=True)
    }


def _found(
    asked: Standalone, question: Question, embedder: Embedder, reader: Reader, index: Index
) -> tuple[Manifest, RankedPassages]:
    """Of one generation: where another became current meanwhile, it is looked up again there."""
    manifest = index.manifest()
    while True:
        filters = _filters(question, manifest)
        found = retrieve(
            asked.search, embedder, reader, index, top_k=question.top_k, filters=filters, reads=asked.read
        )
        before, manifest = manifest, index.manifest()
        if manifest.generation == before.generation:
            return manifest, found


def look_in_both(
    asked: Standalone,
    question: Question,
    selection: Selection,
    embedder: Embedder,
    reader: Reader,
    index: Index,
    policy: Policy,
) -> RetrievalResult:
    """The selection is the first evidence; what the book says to it comes behind."""
    manifest = index.manifest()
    here = retrieve_from_selection(asked.read, selection, embedder, reader, manifest.lexicon.language)
    about = _about(asked.read, selection)
    there = retrieve_from_book(about, question, embedder, reader, index, policy)
    if here.is_digest:
        more = _behind(here, there) if there.confidence.should_answer else ()
        return replace(there, evidence=here.evidence + more, is_digest=True)
    surer = max(here.confidence, there.confidence, key=lambda confidence: confidence.score)
    own = here.evidence
    if there.confidence.should_answer and not here.confidence.should_answer:
        # It stays for a language model to see; nothing in it answers the question.
        own = tuple(map(_irrelevant, own))
    return replace(there, evidence=own + _behind(here, there), confidence=surer)


def _irrelevant(evidence: Evidence) -> Evidence:
    return replace(evidence, units=tuple(replace(unit, relevance=0.0) for unit in evidence.units))


def _behind(here: RetrievalResult, there: RetrievalResult) -> tuple[Evidence, ...]:
    return tuple(replace(one, number=one.number + len(here.evidence)) for one in there.evidence)


def more_from_book(
    asked: str,
    question: Question,
    embedder: Embedder,
    reader: Reader,
    index: Index,
    known: Sequence[Evidence],
) -> list[Evidence]:
    """What a further search finds that was not there yet, numbered on."""
    retrieval = retrieve_from_book(Standalone.of(asked), question, embedder, reader, index, Policy.CALIBRATED)
    chunks = {one.chunk.content_hash for one in known}
    new = [one for one in retrieval.evidence if one.chunk.content_hash not in chunks]
    return [replace(one, number=number) for number, one in enumerate(new, len(known) + 1)]


def _about(asked: str, selection: Selection) -> Standalone:
    """With the words of the selection where the question names nothing itself."""
    return Standalone.of(f"{asked}\n{selection.text[:_WORDS_OF_SELECTION]}" if leans(asked) else asked)


def _confidence(result: RankedPassages, policy: Policy) -> Confidence:
    return confidence_of(result.hits, result.any_answers, policy, diversity=result.diversity)


def _above(threshold: float | None, result: RankedPassages) -> RankedPassages:
    if threshold is None:
        return result
    return replace(result, hits=tuple(hit for hit in result.hits if hit.similarity >= threshold))


def as_far_as_read(manifest: Manifest, question: Question) -> Manifest:
    """Without the pages of chapters that the reader has not come to."""
    chapters = _filters(question, manifest).chapter
    pages = tuple(page for page in manifest.pages if not chapters or page.chapter in chapters)
    return replace(manifest, pages=pages)


def _filters(question: Question, manifest: Manifest) -> Filters:
    """Those of the question, and no chapter further than the reader is."""
    if question.through_chapter is None:
        return question.filters
    chapters = list(dict.fromkeys(page.chapter for page in manifest.pages))[: question.through_chapter]
    wanted = question.filters.chapter
    allowed = tuple(chapter for chapter in chapters if not wanted or chapter in wanted)
    # A filter by no value at all would let every chapter pass.
    return replace(question.filters, chapter=allowed or ("",))


# Hits become the numbered evidence that an answer may rest on.

_Key = tuple[str, int, Span]
"""A part of a reading: its chunk, its passage and its place there."""


def gather(result: RankedPassages, *parts: RankedPassages) -> list[Evidence]:
    """One for each hit, best first, with its units and how much speaks for each.

    Of a question that asks for several things the best for each of its parts comes first.
    """
    best = [part.hits[0] for part in parts if part.hits]
    hits = list({hit.chunk.content_hash: hit for hit in (*best, *result.hits)}.values())
    results = parts or (result,)
    relevance = _highest([_relevance(one) for one in results])
    found = [one.passage for some in (result, *parts) for one in some.found]
    return [_evidence(number, hit, found, relevance) for number, hit in enumerate(hits, 1)]


def _highest(some: Sequence[Mapping[_Key, float]]) -> dict[_Key, float]:
    keys = dict.fromkeys(key for one in some for key in one)
    return {key: max(one.get(key, 0.0) for one in some) for key in keys}


def _evidence(
    number: int, hit: Hit, passages_found: Sequence[Passage], relevance: Mapping[_Key, float]
) -> Evidence:
    found = {one.number: one for one in passages_found if one.chunk == hit.chunk}
    passages = tuple(found[place] for place in sorted(found))
    units = tuple(unit for passage in passages for unit in _scored(passage, relevance))
    return Evidence(number, hit.chunk, hit.passage.section, units, hit.similarity, passages)


def _relevance(result: RankedPassages) -> dict[_Key, float]:
    """Of each part that was read its odds, beside the best part's; a part of several windows has its best."""
    best = dict[_Key, float]()
    for one in result.windows:
        for part, belongs, facts in zip(
            one.window.parts, one.reading.belongs, one.reading.facts, strict=True
        ):
            key, order = _key(one.window.passage, part), unit_order_of(one.order, belongs, facts)
            best[key] = max(best.get(key, order), order)
    most = max(best.values(), default=0.0)
    return {key: exp(order - most) for key, order in best.items()}


def _key(passage: Passage, part: Part) -> _Key:
    return passage.chunk.content_hash, passage.number, part.reading


def _scored(passage: Passage, relevance: Mapping[_Key, float]) -> Iterator[ScoredUnit]:
    """Code line by line, all else by its units."""
    parts = parts_of(passage)
    for part, span in zip(parts, source_spans(passage, parts), strict=True):
        unit = passage.units[part.unit]._replace(start=span.start, end=span.end, tokens=part.tokens)
        yield ScoredUnit(unit, words_of(unit, passage.chunk), relevance.get(_key(passage, part), 0.0))


def words_of(unit: Unit, chunk: Chunk) -> str:
    return chunk.text[unit.start - chunk.start : unit.end - chunk.start]
