"""Runs an exam: builds the question set, asks each question, and reports on the replies."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from time import perf_counter

from glossator.answer.pipeline import AnswerPipeline, AnswerTimeouts
from glossator.answer.verify.plain import without_citations
from glossator.exam.elsewhere import IndexWithout
from glossator.exam.question import CitedPlace, ExamQuestion, ExamReply
from glossator.exam.question_set import DEFAULT, ExamSizes, QuestionSet, build_question_set
from glossator.exam.report import ExamReport, report_of
from glossator.exam.twins import CheckedTwin, check
from glossator.model import Answer, AnswerFinished, Citation, Exchange, Hit, PassagesFound, Question
from glossator.ports import Progress
from glossator.question_generation import SectionPlace
from glossator.text.markdown import plain
from glossator.text.words import content_stems, stems

_LONGEST_QUOTE = 240
_TIMEOUT_SECONDS = 600.0


async def examine(
    assistant: AnswerPipeline,
    progress: Progress,
    author_questions: Sequence[ExamQuestion] = (),
    sizes: ExamSizes = DEFAULT,
) -> ExamReport:
    # Generous, so that a busy machine does not fail the exam.
    assistant = replace(assistant, timeouts=AnswerTimeouts(search=_TIMEOUT_SECONDS, write=_TIMEOUT_SECONDS))
    started = perf_counter()
    question_set = build_question_set(assistant.index, assistant.embedder, author_questions, sizes)
    replies = await run_questions(assistant, question_set, progress)
    twins = check_twins(assistant, question_set, progress)
    return report_of(
        assistant.index.manifest(),
        len(question_set.sections),
        replies,
        twins,
        seconds=perf_counter() - started,
    )


async def run_questions(
    assistant: AnswerPipeline, question_set: QuestionSet, progress: Progress
) -> list[ExamReply]:
    language = assistant.index.manifest().lexicon.language
    progress.start("Asking", len(question_set.questions))
    replies = list[ExamReply]()
    for question in question_set.questions:
        examinee = assistant
        if question.without:
            examinee = replace(
                assistant, index=IndexWithout(assistant.index, question.without, question_set.words)
            )
        replies.append(await _reply(examinee, question, language))
        progress.advance(1)
    progress.finish()
    return replies


def check_twins(
    assistant: AnswerPipeline, question_set: QuestionSet, progress: Progress
) -> list[CheckedTwin]:
    progress.start("Checking twins", len(question_set.twins))
    checked = list[CheckedTwin]()
    for twin in question_set.twins:
        checked.append(check(twin, assistant))
        progress.advance(1)
    progress.finish()
    return checked


async def _reply(assistant: AnswerPipeline, question: ExamQuestion, language: str) -> ExamReply:
    history = tuple([await _previous_exchange(assistant, question.after)] if question.after else [])
    started = perf_counter()
    hits, answer = await _ask(assistant, Question(question.text, history=history))
    milliseconds = (perf_counter() - started) * 1000
    places = question.elsewhere or question.places
    return ExamReply(
        question=question,
        outcome=answer.outcome,
        confidence=answer.confidence.score if answer.confidence else None,
        text=answer.text,
        citations=tuple(_cited(citation, places) for citation in answer.citations),
        page_rank=_rank([_is_on_page(hit.chunk.page, places) for hit in hits]),
        section_rank=_rank([_is_in_section(hit, places) for hit in hits]),
        nearest=_nearest(hits[0], places) if hits else None,
        has_fact=says_one_of(answer.text, question.facts, question.text, language),
        milliseconds=round(milliseconds, 2),
    )


async def _previous_exchange(assistant: AnswerPipeline, question: str) -> Exchange:
    return Exchange(question, (await assistant.answer(Question(question))).text)


async def _ask(assistant: AnswerPipeline, question: Question) -> tuple[Sequence[Hit], Answer]:
    """The answer, and the hits that it was written from."""
    hits: Sequence[Hit] = ()
    async with aclosing(assistant.stream(question)) as events:
        async for event in events:
            match event:
                case PassagesFound(found):
                    hits = found
                case AnswerFinished(answer):
                    return hits, answer
                case _:
                    continue
    raise AssertionError("every stream ends with its answer")


def _cited(citation: Citation, places: Sequence[SectionPlace]) -> CitedPlace:
    return CitedPlace(
        page=citation.page,
        section=citation.section,
        url=citation.url,
        quote=shortened(citation.quote),
        on_page=_is_on_page(citation.page, places),
        in_section=any(place.holds(citation.page, citation.start) for place in places),
    )


def _nearest(hit: Hit, places: Sequence[SectionPlace]) -> CitedPlace:
    return CitedPlace(
        page=hit.chunk.page,
        section=hit.passage.section.title,
        url=hit.passage.url,
        quote=shortened(hit.passage.reading.partition("\n")[2]),
        on_page=_is_on_page(hit.chunk.page, places),
        in_section=_is_in_section(hit, places),
    )


def shortened(quote: str) -> str:
    """Plain text without markup, cut to fit into a cell of the report."""
    words = plain(quote)
    return words if len(words) <= _LONGEST_QUOTE else words[: _LONGEST_QUOTE - 1].rsplit(" ", 1)[0] + "…"


def _is_on_page(page: str, places: Sequence[SectionPlace]) -> bool:
    return any(place.page == page for place in places)


def _is_in_section(hit: Hit, places: Sequence[SectionPlace]) -> bool:
    """Citations name a chunk, so it is right if any of its sections is."""
    chunk = hit.chunk
    return any(
        place.page == chunk.page and chunk.start < place.end and place.start < chunk.end for place in places
    )


def _rank(right: Sequence[bool]) -> int | None:
    return right.index(True) + 1 if True in right else None


_MAX_EXACT_WORDS = 4
"""A fact of so many words must occur word for word; a longer one may be rephrased."""
_LEAST_SHARE = 0.75


def says_one_of(reply: str, facts: Sequence[str], question: str, language: str) -> bool | None:
    """Whether the reply states one of the facts; None if there are none."""
    if not facts:
        return None
    reply_stems = stems(without_citations(reply)[0], language)
    return any(_states(reply_stems, fact, question, language) for fact in facts)


def _states(reply: Sequence[str], fact: str, question: str, language: str) -> bool:
    """A short fact word for word, by stems; of a longer one three of four words that the question lacks."""
    fact_stems = stems(fact, language)
    if len(fact_stems) <= _MAX_EXACT_WORDS:
        last = len(reply) - len(fact_stems)
        return any(reply[start : start + len(fact_stems)] == fact_stems for start in range(last + 1))
    new = set(content_stems(fact, language)) - set(stems(question, language))
    return len(new & set(reply)) >= _LEAST_SHARE * len(new)
