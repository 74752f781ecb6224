"""Asks the questions of an exam, one after the other, and notes what came."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from time import perf_counter

from glossator.answer.pipeline import AnswerTimeouts, Assistant
from glossator.answer.question_generation import SectionPlace
from glossator.answer.verify.plain import without_citations
from glossator.answer.weigh import asked_for
from glossator.exam.elsewhere import IndexWithout
from glossator.exam.question import CitedPlace, ExamQuestion, ExamReply
from glossator.exam.question_set import DEFAULT, ExamSizes, QuestionSet, set_paper
from glossator.exam.report import ExamReport, report_of
from glossator.exam.twins import CheckedTwin, check
from glossator.model import Answer, AnswerFinished, Citation, Exchange, Hit, PassagesFound, Question
from glossator.ports import Progress
from glossator.text.markdown import plain
from glossator.text.words import stems

_LONGEST_QUOTE = 240


async def run_questions(
    assistant: Assistant, question_set: QuestionSet, progress: Progress
) -> list[ExamReply]:
    language = assistant.index.manifest().lexicon.language
    progress.start("TurnRequest", len(question_set.questions))
    replies = list[ExamReply]()
    for question in question_set.questions:
        asked_of = assistant
        if question.without:
            asked_of = replace(
                assistant, index=IndexWithout(assistant.index, question.without, question_set.words)
            )
        replies.append(await _reply(asked_of, question, language))
        progress.advance(1)
    progress.finish()
    return replies


def check_twins(assistant: Assistant, question_set: QuestionSet, progress: Progress) -> list[CheckedTwin]:
    progress.start("Checking twins", len(question_set.twins))
    checked = list[CheckedTwin]()
    for twin in question_set.twins:
        checked.append(check(twin, assistant))
        progress.advance(1)
    progress.finish()
    return checked


async def _reply(assistant: Assistant, question: ExamQuestion, language: str) -> ExamReply:
    history = tuple([await _before(assistant, question.after)] if question.after else [])
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


async def _before(assistant: Assistant, question: str) -> Exchange:
    return Exchange(question, (await assistant.answer(Question(question))).text)


async def _ask(assistant: Assistant, question: Question) -> tuple[Sequence[Hit], Answer]:
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
    """Its words without markup, as many as fit into a cell of a report."""
    words = plain(quote)
    return words if len(words) <= _LONGEST_QUOTE else words[: _LONGEST_QUOTE - 1].rsplit(" ", 1)[0] + "…"


def _is_on_page(page: str, places: Sequence[SectionPlace]) -> bool:
    return any(place.page == page for place in places)


def _is_in_section(hit: Hit, places: Sequence[SectionPlace]) -> bool:
    """A chunk is what is cited, so it is right when any section of it is."""
    chunk = hit.chunk
    return any(
        place.page == chunk.page and chunk.start < place.end and place.start < chunk.end for place in places
    )


def _rank(right: Sequence[bool]) -> int | None:
    return right.index(True) + 1 if True in right else None


# Whether a reply says what carries the answer.

_FEW = 4
"""Words that must stand one after the other; more than so many may be said in another order."""
_MOST_OF_THEM = 0.75


def says_one_of(reply: str, facts: Sequence[str], question: str, language: str) -> bool | None:
    """None where no words are known that would carry the answer."""
    if not facts:
        return None
    said = stems(without_citations(reply)[0], language)
    return any(_says(said, fact, question, language) for fact in facts)


def _says(said: Sequence[str], fact: str, question: str, language: str) -> bool:
    """A short fact word for word, in any form; of a longer one three of four words that are not asked."""
    needed = stems(fact, language)
    if len(needed) <= _FEW:
        return any(said[at : at + len(needed)] == needed for at in range(len(said) - len(needed) + 1))
    telling = set(asked_for(fact, language)) - set(stems(question, language))
    return len(telling & set(said)) >= _MOST_OF_THEM * len(telling)


# Set the paper, sit it, mark it: an exam of the book's own assistant.

_PATIENT = 600.0
"""Seconds."""


async def examine(
    assistant: Assistant,
    progress: Progress,
    own: Sequence[ExamQuestion] = (),
    sizes: ExamSizes = DEFAULT,
) -> ExamReport:
    # Nobody waits for an answer here, so a busy machine fails no exam.
    assistant = replace(assistant, timeouts=AnswerTimeouts(search=_PATIENT, write=_PATIENT))
    started = perf_counter()
    question_set = set_paper(assistant.index, assistant.embedder, own, sizes)
    replies = await run_questions(assistant, question_set, progress)
    twins = check_twins(assistant, question_set, progress)
    return report_of(
        assistant.index.manifest(),
        len(question_set.sections),
        replies,
        twins,
        seconds=perf_counter() - started,
    )
