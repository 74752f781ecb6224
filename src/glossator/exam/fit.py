"""Measures how well similarity scores are calibrated in this book."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest

from glossator.answer.retrieve import retrieve
from glossator.exam.measure import auroc, calibration_error, reliability
from glossator.exam.question import shuffle_key
from glossator.model import Hit
from glossator.model.search import Fit
from glossator.ports import Embedder, Index, Progress, Reader
from glossator.question_generation import (
    BookSections,
    GeneratedQuestion,
    SectionPlace,
    first_sentence,
    foreign_questions,
    merge_by_subject,
    questions_of_headings,
    subject_of,
)

_MOST = 60
"""Questions of each kind; few, since the dashboard waits for the result."""
_DEPTH = 40


@dataclass(frozen=True, slots=True)
class _FitQuestion:
    text: str
    places: tuple[SectionPlace, ...]
    """The sections whose passages are relevant; none for a question from outside the book."""


def measure_fit(embedder: Embedder, reader: Reader, index: Index, progress: Progress) -> Fit:
    manifest = index.manifest()
    questions = _questions(index)
    progress.start("Comparing", len(questions))
    scored = list[tuple[float, bool]]()
    for question in questions:
        hits = retrieve(question.text, embedder, reader, index, top_k=_DEPTH).hits
        scored += _scored(hits, question.places)
        progress.advance(1)
    progress.finish()
    bins = reliability(scored)
    return Fit(
        book=manifest.book,
        generation=manifest.generation,
        model=manifest.embedder.name,
        questions=len(questions),
        passages=len(scored),
        bearing=sum(is_relevant for _, is_relevant in scored),
        bins=bins,
        error=calibration_error(bins),
        auroc=auroc(scored),
    )


def _questions(index: Index) -> list[_FitQuestion]:
    lexicon, sections = index.manifest().lexicon, BookSections(index)
    headings = _merged_sample(questions_of_headings(sections, lexicon.language), lexicon.language)
    firsts = (
        _FitQuestion(text, (section.place,)) for section in sections if (text := first_sentence(section))
    )
    foreign = (_FitQuestion(text, ()) for text in foreign_questions(lexicon))
    return [question for kind in (headings, firsts, foreign) for question in _sample(kind)]


def _merged_sample(questions: Iterable[GeneratedQuestion], language: str) -> list[_FitQuestion]:
    """As if of all questions, merged by subject, without holding more than a sample of them."""
    chosen, seen = dict[Hashable, list[GeneratedQuestion]](), set[int]()
    for question in questions:
        subject = subject_of(question, language)
        if subject in chosen:
            chosen[subject].append(question)
        elif hash(subject) not in seen:
            # Its words would take ten times the memory.
            seen.add(hash(subject))
            chosen[subject] = [question]
        if len(chosen) > 2 * _MOST:
            chosen = dict(nsmallest(_MOST, chosen.items(), key=lambda pair: shuffle_key(pair[1][0].text)))
    merged = merge_by_subject((question for group in chosen.values() for question in group), language)
    return [_FitQuestion(question.text, question.places) for question in merged]


def _sample(questions: Iterable[_FitQuestion]) -> list[_FitQuestion]:
    return nsmallest(_MOST, questions, key=lambda question: shuffle_key(question.text))


def _scored(hits: Sequence[Hit], places: Sequence[SectionPlace]) -> Iterator[tuple[float, bool]]:
    """The best hit of the right section counts as relevant, the best hit of another page as irrelevant."""
    own = (hit for hit in hits if any(place.holds(hit.chunk.page, hit.passage.start) for place in places))
    other = (hit for hit in hits if all(place.page != hit.chunk.page for place in places))
    for best, is_relevant in ((next(own, None), True), (next(other, None), False)):
        if best is not None:
            yield best.similarity, is_relevant
