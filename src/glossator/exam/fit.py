"""How well similarity keeps its word in this book."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from glossator.answer.question_generation import (
    BookSection,
    SectionPlace,
    first_sentence,
    foreign_questions,
    heading_questions,
    sections_of,
)
from glossator.answer.retrieve import retrieve
from glossator.exam.measure import auroc, calibration_error, reliability
from glossator.exam.question import by_chance
from glossator.model import Hit
from glossator.model.search import Fit
from glossator.ports import Embedder, Index, Progress, Reader

_MOST = 60
"""Questions of each kind: each is read like a reader's, and the desk waits for them."""
_DEPTH = 40


@dataclass(frozen=True, slots=True)
class _Asked:
    text: str
    places: tuple[SectionPlace, ...]
    """Whose passages bear on it; none do on a question from elsewhere."""


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
        bearing=sum(bears for _, bears in scored),
        bins=bins,
        error=calibration_error(bins),
        auroc=auroc(scored),
    )


def _questions(sections: Sequence[BookSection], index: Index) -> list[_Asked]:
    lexicon = index.manifest().lexicon
    headings = [_Asked(one.text, one.places) for one in heading_questions(sections, lexicon.language)]
    firsts = [_Asked(text, (one.place,)) for one in sections if (text := first_sentence(one))]
    foreign = [_Asked(text, ()) for text in foreign_questions(lexicon)]
    return [asked for some in (headings, firsts, foreign) for asked in _sample(some)]


def _sample(some: Sequence[_Asked]) -> list[_Asked]:
    return sorted(some, key=lambda asked: by_chance(asked.text))[:_MOST]


def _scored(hits: Sequence[Hit], places: Sequence[SectionPlace]) -> Iterator[tuple[float, bool]]:
    """The best of its own section bears on a question; the best of another page, nearly always, does not."""
    own = (hit for hit in hits if any(place.holds(hit.chunk.page, hit.passage.start) for place in places))
    other = (hit for hit in hits if all(place.page != hit.chunk.page for place in places))
    for best, bears in ((next(own, None), True), (next(other, None), False)):
        if best is not None:
            yield best.similarity, bears
