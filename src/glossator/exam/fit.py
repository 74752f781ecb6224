"""Measures how well similarity scores are calibrated in this book."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from glossator.answer.retrieve import retrieve
from glossator.exam.measure import auroc, calibration_error, reliability
from glossator.exam.question import shuffle_key
from glossator.model import Hit
from glossator.model.search import Fit
from glossator.ports import Embedder, Index, Progress, Reader
from glossator.question_generation import (
    BookSection,
    SectionPlace,
    first_sentence,
    foreign_questions,
    heading_questions,
    sections_of,
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
    questions = _questions(sections_of(index.chunks()), index)
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


def _questions(sections: Sequence[BookSection], index: Index) -> list[_FitQuestion]:
    lexicon = index.manifest().lexicon
    headings = [
        _FitQuestion(heading.text, heading.places)
        for heading in heading_questions(sections, lexicon.language)
    ]
    firsts = [
        _FitQuestion(text, (section.place,)) for section in sections if (text := first_sentence(section))
    ]
    foreign = [_FitQuestion(text, ()) for text in foreign_questions(lexicon)]
    return [question for kind in (headings, firsts, foreign) for question in _sample(kind)]


def _sample(questions: Sequence[_FitQuestion]) -> list[_FitQuestion]:
    return sorted(questions, key=lambda question: shuffle_key(question.text))[:_MOST]


def _scored(hits: Sequence[Hit], places: Sequence[SectionPlace]) -> Iterator[tuple[float, bool]]:
    """The best hit of the right section counts as relevant, the best hit of another page as irrelevant."""
    own = (hit for hit in hits if any(place.holds(hit.chunk.page, hit.passage.start) for place in places))
    other = (hit for hit in hits if all(place.page != hit.chunk.page for place in places))
    for best, is_relevant in ((next(own, None), True), (next(other, None), False)):
        if best is not None:
            yield best.similarity, is_relevant
