"""Builds the final answer of a question, answered or refused, and the trace of its steps."""

from __future__ import annotations

import uuid
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter

from glossator.answer import wording
from glossator.answer.cite import place_of
from glossator.answer.confidence import LIKELY, below_answers, level_of, scaled_to_support
from glossator.answer.digest import stands_alone
from glossator.answer.evidence import RetrievalResult
from glossator.answer.outline import Outline, suggest
from glossator.answer.route.typos import is_other_language
from glossator.answer.stream import CheckedStream
from glossator.answer.summarize import Summary
from glossator.model import (
    Answer,
    BookIndex,
    Citation,
    Claim,
    Grounding,
    Level,
    Manifest,
    Outcome,
    PageRecord,
    ScoredUnit,
    Step,
    UnitKind,
    Verdict,
)
from glossator.ports import Index
from glossator.text.markdown import clean
from glossator.text.words import content_stems, stems

_LEAST_RELEVANCE = 0.5
"""A sentence is quoted as the nearest one only if it has this share of the best unit's relevance."""


def conclude(
    retrieval: RetrievalResult,
    stream: CheckedStream,
    trace: Trace,
    *,
    fell_back: bool,
    note: str | None = None,
) -> Answer:
    """`note` is a sentence about the question; it comes first in the disclaimer."""
    confidence = None if retrieval.is_digest else scaled_to_support(retrieval.confidence, stream.support)
    level = confidence.level if confidence else level_of(stream.support)
    is_unsure = level in (Level.LOW, Level.INSUFFICIENT)
    unsupported = tuple(
        claim.text.strip() for claim in stream.claims if claim.verdict is not Verdict.SUPPORTED
    )
    supported, written = len(stream.claims) - len(unsupported), len(stream.claims) + len(stream.dropped)
    in_book = retrieval.index is not None
    notes = [
        *([note] if note else []),
        *([wording.caution(in_book=in_book)] if is_unsure else []),
        *map(wording.part_not_found, retrieval.not_found),
        *([wording.sentences_that_stand(supported, written, in_book=in_book)] if supported < written else []),
        *([wording.fallback()] if fell_back else []),
    ]
    return Answer(
        id=str(uuid.uuid4()),
        outcome=Outcome.ANSWERED_WITH_CAUTION if is_unsure else Outcome.ANSWERED,
        text="".join(claim.text for claim in stream.claims),
        claims=tuple(stream.claims),
        citations=stream.citations.all(),
        confidence=confidence,
        grounding=Grounding(not unsupported and not stream.dropped, unsupported + tuple(stream.dropped)),
        suggestions=(),
        disclaimer=" ".join(notes) or None,
        writer=stream.writer,
        model=stream.model,
        index=retrieval.index,
        timings=trace.timings,
        trace=trace.steps,
    )


def refuse(
    retrieval: RetrievalResult,
    question: str,
    outcome: Outcome,
    trace: Trace,
    stream: CheckedStream | None = None,
    *,
    note: str | None = None,
) -> Answer:
    """Claims nothing; names the nearest sentence and sections as such."""
    dropped = tuple(stream.dropped) if stream else ()
    return Answer(
        id=str(uuid.uuid4()),
        outcome=outcome,
        text=_refusal(retrieval, question, outcome),
        claims=(),
        citations=(),
        confidence=below_answers(retrieval.confidence),
        grounding=Grounding(not dropped, dropped),
        suggestions=suggest(retrieval.hits) if retrieval.index else (),
        disclaimer=note,
        writer=stream.writer if stream else None,
        model=stream.model if stream else None,
        index=retrieval.index,
        timings=trace.timings,
        trace=trace.steps,
    )


def _refusal(retrieval: RetrievalResult, question: str, outcome: Outcome) -> str:
    book = retrieval.index.book if retrieval.index else ""
    match outcome:
        case Outcome.NOT_IN_SELECTION:
            return wording.not_in_selection()
        case Outcome.NEEDS_MORE_WORDS:
            return wording.needs_more_words(book)
        case _ if is_other_language(question, retrieval.lexicon):
            return f"{wording.not_in_book(book)} {wording.ask_in_its_language()}"
        case _:
            return "\n\n".join([wording.not_in_book(book), *_nearest(retrieval, question)])


def _nearest(retrieval: RetrievalResult, question: str) -> Iterator[str]:
    """A sentence that is no answer but near one.

    If some window more likely answers than not, it is the one that the reader finds best; otherwise the
    reader's order says little, and it is the one that shares the rarest words with the question.
    """
    lexicon = retrieval.lexicon
    question_stems = set(content_stems(question, lexicon.language))
    near = {suggestion.chunk_id for suggestion in suggest(retrieval.hits)}
    is_likely = retrieval.confidence.score >= LIKELY

    def nearness(scored: ScoredUnit) -> tuple[float, float]:
        is_best = is_likely and scored.relevance >= _LEAST_RELEVANCE
        shared = question_stems.intersection(stems(scored.text, lexicon.language))
        return scored.relevance if is_best else 0.0, sum(map(lexicon.rarity, sorted(shared)))

    candidates = [
        (nearness(scored), scored, evidence)
        for evidence in retrieval.evidence
        if evidence.chunk.chunk_id in near
        for scored in evidence.units
        if scored.unit.kind is UnitKind.PROSE and stands_alone(scored.text)
    ]
    best = max(candidates, key=lambda candidate: candidate[0], default=None)
    if best and any(best[0]):
        _, scored, evidence = best
        yield wording.nearest(place_of(evidence.chunk, scored.unit.start), clean(scored.text))


def refuse_repetition(retrieval: RetrievalResult, trace: Trace, stream: CheckedStream) -> Answer:
    """Refuses a follow-up whose answer would only repeat the last one."""
    book = retrieval.index.book if retrieval.index else ""
    answer = refuse(retrieval, "", Outcome.NOT_IN_BOOK, trace, stream)
    return replace(answer, text=wording.no_more(book))


def fixed_answer(text: str, outcome: Outcome, trace: Trace) -> Answer:
    """A fixed sentence that claims nothing about the book."""
    return _unscored_answer(text, outcome, trace, claims=(), citations=(), index=None)


def outline_answer(outline: Outline, manifest: Manifest, index: Index, trace: Trace) -> Answer:
    pages = list(dict.fromkeys(page for piece in outline.pieces for page in piece.pages))
    citations = tuple(_citation(n, page, index) for n, page in enumerate(pages, 1))
    claims = tuple(_outline_claims(outline, pages))
    return _unscored_answer(
        "".join(claim.text for claim in claims),
        Outcome.ANSWERED if outline.found else Outcome.NOT_IN_BOOK,
        trace,
        claims=claims,
        citations=citations,
        index=BookIndex(manifest.generation, manifest.book),
    )


def repeat_answer(answer: Answer, trace: Trace) -> Answer:
    """The answer as a new one, with the steps of this question."""
    return replace(answer, id=str(uuid.uuid4()), timings=trace.timings, trace=trace.steps)


def summary_answer(summary: Summary, manifest: Manifest, trace: Trace) -> Answer:
    return _unscored_answer(
        "".join(claim.text for claim in summary.claims),
        Outcome.ANSWERED,
        trace,
        claims=summary.claims,
        citations=summary.citations,
        index=BookIndex(manifest.generation, manifest.book),
    )


def _unscored_answer(
    text: str,
    outcome: Outcome,
    trace: Trace,
    *,
    claims: tuple[Claim, ...],
    citations: tuple[Citation, ...],
    index: BookIndex | None,
) -> Answer:
    return Answer(
        id=str(uuid.uuid4()),
        outcome=outcome,
        text=text,
        claims=claims,
        citations=citations,
        confidence=None,
        grounding=Grounding(True),
        suggestions=(),
        disclaimer=None,
        writer=None,
        model=None,
        index=index,
        timings=trace.timings,
        trace=trace.steps,
    )


def _outline_claims(outline: Outline, pages: Sequence[PageRecord]) -> Iterator[Claim]:
    for piece in outline.pieces:
        numbers = tuple(pages.index(page) + 1 for page in piece.pages)
        marks = "".join(f" [{number}]" for number in numbers)
        yield Claim(piece.text + marks, Verdict.SUPPORTED, numbers)


def _citation(n: int, page: PageRecord, index: Index) -> Citation:
    """Quotes the page's title; if the page does not contain its title, cites the page without a quote."""
    chunk = index.chunk(f"{page.path}#0")
    offset = chunk.text.find(page.title) if chunk else -1
    start = chunk.start + max(offset, 0) if chunk else 0
    quote = page.title if offset >= 0 else ""
    return Citation(
        n=n,
        chunk_id=f"{page.path}#0",
        page=page.path,
        page_title=page.title,
        chapter=page.chapter,
        section=page.title,
        url=page.url,
        quote=quote,
        start=start,
        end=start + len(quote),
        similarity=1.0,
    )


class Trace:
    """Records what each step did and how long it took, for the answer's timings and trace."""

    def __init__(self) -> None:
        self._started = perf_counter()
        self._steps = list[Step]()

    @contextmanager
    def step(self, name: str) -> Generator[dict[str, object]]:
        """Yields a dictionary for the facts of the step."""
        started, facts = perf_counter(), dict[str, object]()
        try:
            yield facts
        finally:
            self._steps.append(Step(name, perf_counter() - started, facts))

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(self._steps)

    @property
    def timings(self) -> dict[str, float]:
        """Milliseconds for each step; repeated steps are added up."""
        sums = dict[str, float]()
        for step in self._steps:
            sums[step.name] = sums.get(step.name, 0.0) + step.seconds
        sums["total"] = perf_counter() - self._started
        return {name: round(seconds * 1000, 3) for name, seconds in sums.items()}
