"""Asks the questions of an exam, one after the other, and notes what came."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter

from glossator.answer.ask_itself import Place
from glossator.answer.pipeline import Assistant
from glossator.answer.retrieve import retrieve
from glossator.exam.hide import IndexWithout
from glossator.exam.paper import Paper
from glossator.exam.question import Cited, ExamQuestion, Reply
from glossator.model import Answer, Citation, Hit, Question
from glossator.ports import Progress
from glossator.text.inline import plain
from glossator.text.words import stems

DEPTH = 10
"""Hits that are looked at for recall."""
_LONGEST_QUOTE = 240


async def sit(assistant: Assistant, paper: Paper, progress: Progress) -> list[Reply]:
    language = assistant.index.manifest().lexicon.language
    progress.start("Asking", len(paper.questions))
    replies = list[Reply]()
    for question in paper.questions:
        asked_of = assistant
        if question.without:
            asked_of = replace(assistant, index=IndexWithout(assistant.index, question.without, paper.words))
        replies.append(await _reply(asked_of, question, language))
        progress.advance(1)
    progress.finish()
    return replies


async def _reply(assistant: Assistant, question: ExamQuestion, language: str) -> Reply:
    started = perf_counter()
    answer = await assistant.answer(Question(question.text))
    milliseconds = (perf_counter() - started) * 1000
    hits = retrieve(question.text, assistant.embedder, assistant.reader, assistant.index, top_k=DEPTH).hits
    places = question.elsewhere or question.places
    return Reply(
        question=question,
        outcome=answer.outcome,
        confidence=answer.confidence.score if answer.confidence else None,
        text=answer.text,
        citations=tuple(_cited(citation, places) for citation in answer.citations),
        page_rank=_rank([_is_on_page(hit.chunk.page, places) for hit in hits]),
        section_rank=_rank([_is_in_section(hit, places) for hit in hits]),
        nearest=_nearest(hits[0], places) if hits else None,
        has_answer=_has(answer, question.answer, language),
        milliseconds=round(milliseconds, 2),
    )


def _cited(citation: Citation, places: Sequence[Place]) -> Cited:
    return Cited(
        page=citation.page,
        section=citation.section,
        url=citation.url,
        quote=_short(citation.quote),
        on_page=_is_on_page(citation.page, places),
        in_section=any(place.holds(citation.page, citation.start) for place in places),
    )


def _nearest(hit: Hit, places: Sequence[Place]) -> Cited:
    return Cited(
        page=hit.chunk.page,
        section=hit.passage.section.title,
        url=hit.passage.url,
        quote=_short(hit.passage.reading.partition("\n")[2]),
        on_page=_is_on_page(hit.chunk.page, places),
        in_section=_is_in_section(hit, places),
    )


def _short(quote: str) -> str:
    words = plain(quote)
    return words if len(words) <= _LONGEST_QUOTE else words[: _LONGEST_QUOTE - 1].rsplit(" ", 1)[0] + "…"


def _is_on_page(page: str, places: Sequence[Place]) -> bool:
    return any(place.page == page for place in places)


def _is_in_section(hit: Hit, places: Sequence[Place]) -> bool:
    """A chunk is what is cited, so it is right when any section of it is."""
    chunk = hit.chunk
    return any(
        place.page == chunk.page and chunk.start < place.end and place.start < chunk.end for place in places
    )


def _rank(right: Sequence[bool]) -> int | None:
    return right.index(True) + 1 if True in right else None


def _has(answer: Answer, wanted: str | None, language: str) -> bool | None:
    """Whether all its words stand in the answer one after the other, in any form."""
    if wanted is None:
        return None
    said, needed = stems(plain(answer.text), language), stems(wanted, language)
    return any(said[at : at + len(needed)] == needed for at in range(len(said) - len(needed) + 1))
