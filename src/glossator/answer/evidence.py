"""Retrieves the numbered evidence for a question: from the book, the reader's selection, or both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import exp
from typing import NamedTuple, TypeVar

from glossator.answer.confidence import LIKELY, confidence_of, is_sure, unit_order_of
from glossator.answer.retrieve import READ, RankedPassages, ReadWindow, retrieve
from glossator.answer.route.broad import mentions_book
from glossator.answer.route.lean import needs_context
from glossator.answer.route.rewrite import Side, Standalone, comparison_sides, questions_in
from glossator.answer.route.route import is_about_whole, is_follow_up
from glossator.answer.select import select, select_whole
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
from glossator.text.words import stems

Result = TypeVar("Result")

_SELECTION_CHARACTERS = 400
"""Characters of the selection that are added to a question that names no subject."""


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """The evidence for a question, and how confident an answer from it would be."""

    hits: tuple[Hit, ...]
    evidence: tuple[Evidence, ...]
    confidence: Confidence
    lexicon: Lexicon
    index: BookIndex | None = None
    not_found: tuple[str, ...] = ()
    """The parts of a question with several parts that the book does not answer."""
    is_digest: bool = False
    """Whether the question is about the whole selection: then nothing is searched or scored."""
    windows_read: int = 0
    """Windows that the reader has scored."""


def retrieve_from_selection(
    question_text: str,
    selection: Selection,
    embedder: Embedder,
    reader: Reader,
    language: str,
    *,
    most_windows: int = READ,
) -> RetrievalResult:
    """Uses no index, so that nothing from the book can get into the answer."""
    if is_about_whole(question_text):
        evidence, lexicon = select_whole(selection, embedder, language=language)
        no_confidence = confidence_of((), None, Policy.CALIBRATED)
        return RetrievalResult((), (evidence,), no_confidence, lexicon, is_digest=True)
    result, lexicon = select(
        question_text, selection, embedder, reader, language=language, most_windows=most_windows
    )
    confidence = _confidence(result, Policy.CALIBRATED)
    evidence = tuple(gather(result))
    return RetrievalResult(result.hits, evidence, confidence, lexicon, windows_read=result.windows_read)


def retrieve_from_book(
    standalone: Standalone,
    question: Question,
    embedder: Embedder,
    reader: Reader,
    index: Index,
    policy: Policy,
    *,
    most_windows: int = READ,
) -> RetrievalResult:
    """Answers a question about the book itself from the opening pages alone, if they suffice."""
    if mentions_book(standalone.read) and question.filters == Filters():
        pages = without_unread_chapters(index.manifest(), question).pages[:OPENING_PAGES]
        opening = replace(question, filters=Filters(page=tuple(page.path for page in pages)))
        retrieval = _retrieve(standalone, opening, embedder, reader, index, policy, most_windows)
        if retrieval.confidence.should_answer:
            return retrieval
    return _retrieve(standalone, question, embedder, reader, index, policy, most_windows)


def _retrieve(
    standalone: Standalone,
    question: Question,
    embedder: Embedder,
    reader: Reader,
    index: Index,
    policy: Policy,
    most_windows: int,
) -> RetrievalResult:
    def search_all(manifest: Manifest) -> _Searches:
        filters = _filters(question, manifest)
        search = partial(_search, question, filters, embedder, reader, index, most_windows)
        whole, parts = search(standalone), _parts(standalone, question, search)
        sides = comparison_sides(question.text) if standalone.search == question.text and not parts else []
        return _Searches(whole, parts, _untold_sides(sides, whole, search, manifest.lexicon.language))

    manifest, (result, parts, sides) = read_generation(index, search_all)
    confidence = _confidence(result, policy)
    answered = {
        part: passages
        for part, passages in parts.items()
        if _is_answered(_confidence(passages, policy), confidence)
    }
    if answered and not confidence.should_answer:
        confidence = max(
            (_confidence(passages, policy) for passages in answered.values()),
            key=lambda confidence: confidence.score,
        )
    return RetrievalResult(
        hits=result.hits,
        evidence=tuple(gather(result, *answered.values(), *((result, *sides) if sides else ()))),
        confidence=confidence,
        lexicon=manifest.lexicon,
        index=BookIndex(manifest.generation, manifest.book),
        not_found=tuple(_missing(parts, policy)) if answered else (),
        windows_read=sum(passages.windows_read for passages in (result, *parts.values(), *sides)),
    )


class _Searches(NamedTuple):
    whole: RankedPassages
    parts: Mapping[str, RankedPassages]
    sides: Sequence[RankedPassages]


def _is_answered(part: Confidence, whole: Confidence) -> bool:
    """If the whole question has no answer, a part needs more than low confidence."""
    return part.should_answer and (whole.should_answer or part.level is not Level.LOW)


def _missing(parts: Mapping[str, RankedPassages], policy: Policy) -> Iterator[str]:
    """The parts that the book more likely lacks than not: the answer of another part may have them."""
    for number, (part, passages) in enumerate(parts.items()):
        confidence = _confidence(passages, policy)
        # "Who is it for?" was searched as it stands, which says nothing about the book.
        is_understood = number > 0 or not needs_context(part)
        if is_understood and not confidence.should_answer and confidence.score < LIKELY:
            yield part


def read_generation(index: Index, read: Callable[[Manifest], Result]) -> tuple[Manifest, Result]:
    """Reads again if a new generation was published meanwhile, so that manifest and result agree."""
    manifest = index.manifest()
    while True:
        result = read(manifest)
        before, manifest = manifest, index.manifest()
        if manifest.generation == before.generation:
            return manifest, result


def _search(
    question: Question,
    filters: Filters,
    embedder: Embedder,
    reader: Reader,
    index: Index,
    most_windows: int,
    standalone: Standalone,
) -> RankedPassages:
    passages = retrieve(
        standalone.search,
        embedder,
        reader,
        index,
        top_k=question.top_k,
        filters=filters,
        reads=standalone.readings,
        most_windows=most_windows,
    )
    return _above_threshold(question.threshold, passages)


def _parts(
    standalone: Standalone, question: Question, search: Callable[[Standalone], RankedPassages]
) -> dict[str, RankedPassages]:
    """Search results for each part of a question with several parts; otherwise empty.

    A part that needs context is searched together with the first part.
    """
    # The history in front of a rewritten follow-up is not a second question.
    parts = questions_in(standalone.search) if standalone.search == question.text else []
    if len(parts) < 2:
        return {}
    texts = [part if not is_follow_up(part) else f"{parts[0]} {part}" for part in parts]
    return {part: search(Standalone.of(text)) for part, text in zip(parts, texts, strict=True)}


def _untold_sides(
    sides: Sequence[Side],
    whole: RankedPassages,
    search: Callable[[Standalone], RankedPassages],
    language: str,
) -> list[RankedPassages]:
    """Of a comparison that is answered where only one side is named, the section of the other one."""
    if not sides or not whole.windows:
        return []
    leading = most_relevant(whole)[0].window
    told = f"{leading.passage.section.title} {' '.join(leading.texts)}"
    untold = [side for side in sides if not _has_words_of(told, side.name, language)]
    if len(untold) != 1:
        return []
    found = _titled(untold[0].name, search(Standalone.of(untold[0].question)), language)
    return [found] if found.hits and found.windows else []


def most_relevant(result: RankedPassages) -> tuple[ReadWindow, int]:
    """The window with the most relevant part, and the index of that part."""
    by_order = {
        unit_order_of(window.order, belongs, facts): (window, part)
        for window in result.windows
        for part, (belongs, facts) in enumerate(
            zip(window.reading.belongs, window.reading.facts, strict=True)
        )
    }
    return by_order[max(by_order)]


def _titled(name: str, result: RankedPassages, language: str) -> RankedPassages:
    """Only what stands in sections with the name in their title."""

    def is_about(passage: Passage) -> bool:
        return _has_words_of(passage.section.title, name, language)

    hits = tuple(hit for hit in result.hits if is_about(hit.passage))
    windows = tuple(window for window in result.windows if is_about(window.window.passage))
    return replace(result, hits=hits, windows=windows)


def _has_words_of(text: str, name: str, language: str) -> bool:
    return set(stems(text, language)) >= set(stems(name, language))


def retrieve_from_both(
    standalone: Standalone,
    question: Question,
    selection: Selection,
    embedder: Embedder,
    reader: Reader,
    index: Index,
    policy: Policy,
    *,
    most_windows: int = READ,
) -> RetrievalResult:
    """Evidence from the selection first, then from the book."""
    manifest = index.manifest()
    from_selection = retrieve_from_selection(
        standalone.read, selection, embedder, reader, manifest.lexicon.language, most_windows=most_windows
    )
    book_question = _with_selection_text(standalone.read, selection)
    from_book = retrieve_from_book(
        book_question, question, embedder, reader, index, policy, most_windows=most_windows
    )
    from_book = replace(from_book, windows_read=from_selection.windows_read + from_book.windows_read)
    if from_selection.is_digest:
        additional = _numbered_after(from_selection, from_book) if from_book.confidence.should_answer else ()
        return replace(from_book, evidence=from_selection.evidence + additional, is_digest=True)
    best = max(from_selection.confidence, from_book.confidence, key=lambda confidence: confidence.score)
    selected = from_selection.evidence
    if from_book.confidence.should_answer and not from_selection.confidence.should_answer:
        # The selection does not answer, but a language model should still see it.
        selected = tuple(map(_without_relevance, selected))
    return replace(from_book, evidence=selected + _numbered_after(from_selection, from_book), confidence=best)


def _without_relevance(evidence: Evidence) -> Evidence:
    return replace(evidence, units=tuple(replace(unit, relevance=0.0) for unit in evidence.units))


def _numbered_after(first: RetrievalResult, second: RetrievalResult) -> tuple[Evidence, ...]:
    return tuple(
        replace(evidence, number=evidence.number + len(first.evidence)) for evidence in second.evidence
    )


def retrieve_more(
    question_text: str,
    question: Question,
    embedder: Embedder,
    reader: Reader,
    index: Index,
    known: Sequence[Evidence],
    known_from: BookIndex | None,
) -> list[Evidence]:
    """New evidence from another search, numbered after the known evidence.

    None if a new generation was published meanwhile: an answer is made from one only.
    """
    retrieval = retrieve_from_book(
        Standalone.of(question_text), question, embedder, reader, index, Policy.CALIBRATED
    )
    if retrieval.index != known_from:
        return []
    chunks = {evidence.chunk.content_hash for evidence in known}
    new = [evidence for evidence in retrieval.evidence if evidence.chunk.content_hash not in chunks]
    return [replace(evidence, number=number) for number, evidence in enumerate(new, len(known) + 1)]


def _with_selection_text(question_text: str, selection: Selection) -> Standalone:
    """Adds the selection's text if the question names no subject."""
    return Standalone.of(
        f"{question_text}\n{selection.text[:_SELECTION_CHARACTERS]}"
        if needs_context(question_text)
        else question_text
    )


def _confidence(result: RankedPassages, policy: Policy) -> Confidence:
    return confidence_of(result.hits, result.any_answers, policy, diversity=result.diversity)


def _above_threshold(threshold: float | None, result: RankedPassages) -> RankedPassages:
    if threshold is None:
        return result
    return replace(result, hits=tuple(hit for hit in result.hits if hit.similarity >= threshold))


def without_unread_chapters(manifest: Manifest, question: Question) -> Manifest:
    """Drops the pages of chapters that the reader has not reached."""
    chapters = _filters(question, manifest).chapter
    pages = tuple(page for page in manifest.pages if not chapters or page.chapter in chapters)
    return replace(manifest, pages=pages)


def _filters(question: Question, manifest: Manifest) -> Filters:
    """The question's filters, limited to the chapters that the reader has reached."""
    if question.through_chapter is None:
        return question.filters
    chapters = list(dict.fromkeys(page.chapter for page in manifest.pages))[: question.through_chapter]
    requested = question.filters.chapter
    allowed = tuple(chapter for chapter in chapters if not requested or chapter in requested)
    # An empty filter would allow every chapter.
    return replace(question.filters, chapter=allowed or ("",))


# From hits to numbered evidence.

_Key = tuple[str, int, Span]
"""Identifies a part: the hash of its chunk, the number of its passage, its span there."""


def gather(result: RankedPassages, *parts: RankedPassages) -> list[Evidence]:
    """Returns one evidence for each hit, best first, with the relevance of each unit.

    For a question with several parts, the best hit of each part comes first.
    """
    best = [part.hits[0] for part in parts if part.hits]
    hits = list({hit.chunk.content_hash: hit for hit in (*best, *result.hits)}.values())
    results = parts or (result,)
    relevance = _highest([_relevance(ranked) for ranked in results])
    passages = [found.passage for ranked in (result, *parts) for found in ranked.found]
    # Of a question with several parts, the fact that one of them asks for is not the answer.
    facts = {} if parts else dict(_sure_fact(result))
    return [_evidence(number, hit, passages, relevance, facts) for number, hit in enumerate(hits, 1)]


def _highest(by_part: Sequence[Mapping[_Key, float]]) -> dict[_Key, float]:
    keys = dict.fromkeys(key for scores in by_part for key in scores)
    return {key: max(scores.get(key, 0.0) for scores in by_part) for key in keys}


def _evidence(
    number: int,
    hit: Hit,
    passages_found: Sequence[Passage],
    relevance: Mapping[_Key, float],
    facts: Mapping[_Key, str],
) -> Evidence:
    by_number = {passage.number: passage for passage in passages_found if passage.chunk == hit.chunk}
    passages = tuple(by_number[number_in_chunk] for number_in_chunk in sorted(by_number))
    units = tuple(unit for passage in passages for unit in _scored(passage, relevance, facts))
    return Evidence(number, hit.chunk, hit.passage.section, units, hit.similarity, passages)


def _relevance(result: RankedPassages) -> dict[_Key, float]:
    """The odds of each part relative to the best one; a part in several windows counts by its best."""
    best = dict[_Key, float]()
    for read_window in result.windows:
        for part, belongs, facts in zip(
            read_window.window.parts, read_window.reading.belongs, read_window.reading.facts, strict=True
        ):
            key = _key(read_window.window.passage, part)
            order = unit_order_of(read_window.order, belongs, facts)
            best[key] = max(best.get(key, order), order)
    highest = max(best.values(), default=0.0)
    return {key: exp(order - highest) for key, order in best.items()}


def _sure_fact(result: RankedPassages) -> Iterator[tuple[_Key, str]]:
    """The fact in the most relevant part, if the reader is sure of it."""
    if not result.windows:
        return
    best, part = most_relevant(result)
    fact = best.reading.fact
    if fact and fact.part == part and is_sure(fact):
        yield _key(best.window.passage, best.window.parts[part]), best.window.texts[part][slice(*fact.span)]


def _key(passage: Passage, part: Part) -> _Key:
    return passage.chunk.content_hash, passage.number, part.reading


def _scored(
    passage: Passage, relevance: Mapping[_Key, float], facts: Mapping[_Key, str]
) -> Iterator[ScoredUnit]:
    """Scores each line of code by itself; other units stay whole."""
    parts = parts_of(passage)
    for part, span in zip(parts, source_spans(passage, parts), strict=True):
        unit = passage.units[part.unit]._replace(start=span.start, end=span.end, tokens=part.tokens)
        key = _key(passage, part)
        yield ScoredUnit(
            unit, unit_text(unit, passage.chunk), relevance.get(key, 0.0), fact=facts.get(key, "")
        )


def unit_text(unit: Unit, chunk: Chunk) -> str:
    return chunk.text[unit.start - chunk.start : unit.end - chunk.start]
