"""Recorded conversations about the sample book: what a reader asks, turn by turn, and what must be true of each reply.

What is asked of a reply outlives another training of the reader: the kind of outcome, words that any right answer has,
the page it stands on, and never how an answer is cut or how sure it is. A turn that is not yet answered as it should be
names its defect: it says what is right all the same, and is reported as an expected failure until it is mended.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import pytest
from pydantic import BaseModel, ConfigDict

from glossator.adapters.writers.extractive import ExtractiveWriter
from glossator.answer.digest import extract
from glossator.answer.pipeline import AnswerPipeline, AnswerTimeouts
from glossator.model import Answer, Citation, Exchange, Outcome, Question, Selection
from glossator.ports import Embedder, Reader
from glossator.settings import Settings
from glossator.wiring import index_of

RECORDED = Path(__file__).parent / "conversations"
BOOK = Path(__file__).parents[2] / "examples" / "physical-ai-book"


class Kind(StrEnum):
    ANSWERED = "answered"
    REFUSED = "refused"
    SMALL_TALK = "small_talk"


KINDS = {
    Outcome.ANSWERED: Kind.ANSWERED,
    Outcome.ANSWERED_WITH_CAUTION: Kind.ANSWERED,
    Outcome.NOT_IN_BOOK: Kind.REFUSED,
    Outcome.NOT_IN_SELECTION: Kind.REFUSED,
    Outcome.NEEDS_MORE_WORDS: Kind.REFUSED,
    Outcome.SMALL_TALK: Kind.SMALL_TALK,
}


class Recorded(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Words(Recorded):
    """Small and capital letters, line breaks and emphasis make no difference."""

    has: tuple[str, ...] = ()
    has_one_of: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()


class Reply(Recorded):
    outcome: Kind
    text: Words = Words()
    disclaimer: Words = Words()
    cites: str | None = None
    """A page that is among those cited."""
    is_new: bool = False
    """Whether it must differ from the reply before it."""
    is_rewritten: bool | None = None
    """Whether the question is read with the conversation around it."""
    defect: str | None = None
    """What is known to be wrong with it today; a misquoted book is never excused."""


class Marked(Recorded):
    text: str
    only: bool


class Turn(Recorded):
    question: str
    selection: Marked | None = None
    reply: Reply


class Conversation(Recorded):
    about: str
    turns: tuple[Turn, ...]


class Fault(NamedTuple):
    told: str
    defect: str | None


@pytest.fixture(scope="module")
def assistant(sample_home: Path, embedder: Embedder, reader: Reader) -> Iterator[AnswerPipeline]:
    with closing(index_of(Settings(home=sample_home), expects=embedder.identity)) as index:
        # However slow the machine is: what is measured here is not time.
        timeouts = AnswerTimeouts(search=60, write=120)
        yield AnswerPipeline(embedder, reader, index, ExtractiveWriter(extract), timeouts=timeouts)


@pytest.mark.parametrize("name", sorted(path.stem for path in RECORDED.glob("*.json")))
def test_a_recorded_conversation_goes_as_it_should(assistant: AnswerPipeline, name: str) -> None:
    conversation = Conversation.model_validate_json((RECORDED / f"{name}.json").read_bytes())
    faults = list(_faults_in(conversation, assistant))
    new = [fault.told for fault in faults if fault.defect is None]
    assert not new, "\n\n".join([conversation.about, *new])
    if faults:
        pytest.xfail("; ".join(fault.defect for fault in faults if fault.defect))


def _faults_in(conversation: Conversation, assistant: AnswerPipeline) -> Iterator[Fault]:
    """Of all turns: one that goes wrong does not end the conversation."""
    history = tuple[Exchange, ...]()
    for turn in conversation.turns:
        marked = turn.selection
        selection = Selection(marked.text, marked.only) if marked else None
        answer = asyncio.run(assistant.answer(Question(turn.question, selection, history=history)))
        before = history[-1].answer if history else None
        if misquoted := list(_misquoted(turn, answer)):
            yield Fault(_report(turn, answer, misquoted), None)
        if wrong := list(_wrong(turn.reply, answer, before)):
            yield Fault(_report(turn, answer, wrong), turn.reply.defect)
        elif turn.reply.defect:
            yield Fault(f"> {turn.question}\n- it has its defect no longer: remove it from the file", None)
        history = (*history, Exchange(turn.question, answer.text))


def _report(turn: Turn, answer: Answer, wrong: Sequence[str]) -> str:
    told = f"{answer.outcome}: {answer.text}\n({answer.disclaimer})"
    return "\n".join([f"> {turn.question}", *(f"- it {fault}" for fault in wrong), told])


def _wrong(reply: Reply, answer: Answer, before: str | None) -> Iterator[str]:
    if KINDS[answer.outcome] is not reply.outcome:
        yield f"is not {reply.outcome}"
    yield from _wrong_words("text", reply.text, answer.text)
    yield from _wrong_words("disclaimer", reply.disclaimer, answer.disclaimer or "")
    if reply.cites and reply.cites not in (pages := {citation.page for citation in answer.citations}):
        yield f"cites {sorted(pages)} and not {reply.cites}"
    if reply.is_new and answer.text == before:
        yield "is the reply before it once more"
    is_rewritten = any(step.name == "rewrite" for step in answer.trace)
    if reply.is_rewritten not in (None, is_rewritten):
        yield f"is {'rewritten' if is_rewritten else 'not rewritten'}"


def _wrong_words(where: str, words: Words, said: str) -> Iterator[str]:
    text = _plain(said)
    for phrase in words.has:
        if _plain(phrase) not in text:
            yield f"lacks in its {where}: “{phrase}”"
    if words.has_one_of and not any(_plain(phrase) in text for phrase in words.has_one_of):
        yield f"has in its {where} none of {list(words.has_one_of)}"
    for phrase in words.lacks:
        if _plain(phrase) in text:
            yield f"has in its {where}: “{phrase}”"


def _plain(text: str) -> str:
    return " ".join(text.replace("*", "").split()).casefold()


def _misquoted(turn: Turn, answer: Answer) -> Iterator[str]:
    """A quote is exactly its characters of the page or of the selection, and of a selection alone where it is alone."""
    for citation in answer.citations:
        if turn.selection and turn.selection.only and citation.page:
            yield f"cites {citation.page} beside the selection"
        elif _source(turn, citation)[citation.start : citation.end] != citation.quote:
            yield f"misquotes {citation.page or 'the selection'}: “{citation.quote}”"


def _source(turn: Turn, citation: Citation) -> str:
    if citation.page:
        return (BOOK / citation.page).read_text("utf-8")
    return turn.selection.text if turn.selection else ""
