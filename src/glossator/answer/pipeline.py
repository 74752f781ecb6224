"""Validate, route, retrieve, judge, write, verify: the way of a question.

There is one way: an answer is what is left when the stream of its events has ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TypeVar

from glossator.answer.conclude import conclude, refuse, say, say_outline
from glossator.answer.confidence import LOW
from glossator.answer.look import Looked, look_in_book, look_in_both, look_in_selection, more_from_book
from glossator.answer.outline import outline
from glossator.answer.route import rewrite, route
from glossator.answer.route.broad import NamedPart
from glossator.answer.route.courtesy import without_courtesy
from glossator.answer.small_talk import reply
from glossator.answer.tell import Telling, Unsupported
from glossator.answer.trace import Trace
from glossator.answer.validate import LONGEST_QUESTION, validate
from glossator.answer.verify import Verifier
from glossator.answer.weigh import asked_for
from glossator.errors import SearchTimeout, WriterError
from glossator.model import (
    Answer,
    Answered,
    Brief,
    Claimed,
    Event,
    Evidence,
    Found,
    Outcome,
    Policy,
    Question,
    Reached,
    Route,
    Stage,
)
from glossator.ports import Embedder, Index, Reader, Rewriter, Writer
from glossator.work import in_thread

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds that each step may take."""

    search: float = 5.0
    write: float = 25.0


@dataclass(frozen=True, slots=True)
class Assistant:
    embedder: Embedder
    reader: Reader
    index: Index
    writer: Writer
    language: str = "english"
    rewriter: Rewriter | None = None
    policy: Policy = Policy.CALIBRATED
    unsupported: Unsupported = Unsupported.DROP
    patience: Patience = Patience()
    longest: int = LONGEST_QUESTION
    least_confidence: float = LOW
    """The writer is not asked below it."""

    async def answer(self, question: Question) -> Answer:
        async with aclosing(self.stream(question)) as events:
            async for event in events:
                if isinstance(event, Answered):
                    return event.answer
        raise AssertionError("every stream ends with its answer")

    async def stream(self, question: Question) -> AsyncGenerator[Event]:
        trace = Trace()
        question, way = await self._within_patience(self._routed, question, trace)
        match way:
            case Route.GREETING | Route.THANKS:
                yield Answered(say(reply(way, await self._book(question)), Outcome.SMALL_TALK, trace))
            case Route.OUTLINE if answer := await self._outlined(question, trace):
                yield Reached(Stage.SEARCHING)
                yield Answered(answer)
            case _:
                async with aclosing(self._answered(question, way, trace)) as events:
                    async for event in events:
                        yield event

    def _routed(self, question: Question, trace: Trace) -> tuple[Question, Route]:
        with trace.step("validate"):
            question = validate(question, longest=self.longest)
        with trace.step("route") as facts:
            way = facts["route"] = route(question)
        return question, way

    async def _book(self, question: Question) -> str:
        """What it is called; a question about a selection alone does not reach the book even for that."""
        if question.selection and question.selection.only:
            return ""
        return (await self._within_patience(self.index.manifest)).book

    async def _outlined(self, question: Question, trace: Trace) -> Answer | None:
        """None where what sounds like a part of the book is none: then it is something the book speaks of."""
        with trace.step("outline"):
            manifest = await self._within_patience(self.index.manifest)
            told = await self._within_patience(outline, without_courtesy(question.text), manifest)
            if isinstance(told.asked, NamedPart) and not told.found:
                return None
            return await self._within_patience(say_outline, told, manifest, self.index, trace)

    async def _answered(self, question: Question, way: Route, trace: Trace) -> AsyncGenerator[Event]:
        yield Reached(Stage.SEARCHING)
        asked = await self._standing_alone(question, way, trace)
        with trace.step("retrieve") as facts:
            looked = await self._within_patience(self._look, asked, question, way)
            facts |= {
                "hits": [hit.chunk.chunk_id for hit in looked.hits],
                "confidence": looked.confidence.score,
            }
        yield Found(looked.hits)
        if not self._should_write(looked, asked, way):
            yield Answered(refuse(looked, _refusal(way), trace))
            return
        async with aclosing(self._told(asked, question, way, looked, trace)) as events:
            async for event in events:
                yield event

    async def _standing_alone(self, question: Question, way: Route, trace: Trace) -> str:
        """A follow-up with the words it leans on; the model's rewriting where there is a model."""
        if way is not Route.FOLLOW_UP:
            return question.text
        with trace.step("rewrite") as facts:
            lexicon = (await self._within_patience(self.index.manifest)).lexicon
            asked = await self._within_patience(
                rewrite, question.text, question.history, lexicon.rarity, lexicon.language
            )
            if self.rewriter is not None:
                try:
                    asked = await self.rewriter.rewrite(question.text, question.history)
                except WriterError as error:
                    facts["failure"] = type(error).__name__
            facts["query"] = asked
        return asked

    def _look(self, asked: str, question: Question, way: Route) -> Looked:
        selection = question.selection
        if way is Route.SELECTION and selection:
            return look_in_selection(asked, selection, self.embedder, self.reader, self.language)
        if selection:
            return look_in_both(
                asked, question, selection, self.embedder, self.reader, self.index, self.policy
            )
        return look_in_book(asked, question, self.embedder, self.reader, self.index, self.policy)

    async def _told(
        self, asked: str, question: Question, way: Route, looked: Looked, trace: Trace
    ) -> AsyncGenerator[Event]:
        yield Reached(Stage.WRITING)
        brief = self._brief(asked, question, way, looked)
        verifier = Verifier(self.reader, looked.lexicon.language)
        telling = Telling(brief, verifier, self.unsupported)
        with trace.step("write") as facts:
            async with aclosing(telling.tell(self.writer, self.patience.write)) as claims:
                async for claim in claims:
                    if len(telling.claims) == 1:
                        yield Reached(Stage.CHECKING)
                    yield Claimed(claim)
            facts |= {"claims": len(telling.claims), "dropped": list(telling.dropped)}
        if telling.claims:
            yield Answered(conclude(looked, telling, trace, fell_back=telling.writer != self.writer.name))
        else:
            yield Answered(refuse(looked, _refusal(way), trace, telling))

    def _brief(self, asked: str, question: Question, way: Route, looked: Looked) -> Brief:
        """What the writer may search for joins the evidence; a selection stays alone."""
        evidence = list(looked.evidence)

        async def search(query: str) -> Sequence[Evidence]:
            found = await self._within_patience(
                more_from_book, query, question, self.embedder, self.reader, self.index, tuple(evidence)
            )
            evidence.extend(found)
            return found

        return Brief(
            question=asked,
            evidence=evidence,
            history=question.history,
            summary=question.summary,
            search=None if way is Route.SELECTION else search,
        )

    def _should_write(self, looked: Looked, asked: str, way: Route) -> bool:
        if not looked.hits and not looked.evidence:
            return False
        confidence = looked.confidence
        is_enough = confidence.should_answer or (
            confidence.policy is Policy.CALIBRATED and confidence.score >= self.least_confidence
        )
        return is_enough or (way is Route.BARE_WORD and _knows(looked, asked))

    async def _within_patience(self, work: Callable[..., Result], *arguments: object) -> Result:
        """In a thread, so that nobody else waits for it."""
        try:
            async with asyncio.timeout(self.patience.search):
                return await in_thread(work, *arguments)
        except TimeoutError as error:
            raise SearchTimeout from error


def _knows(looked: Looked, asked: str) -> bool:
    words = asked_for(asked, looked.lexicon.language)
    return bool(words) and all(word in looked.lexicon.counts for word in words)


def _refusal(way: Route) -> Outcome:
    match way:
        case Route.SELECTION:
            return Outcome.NOT_IN_SELECTION
        case Route.BARE_WORD:
            return Outcome.NEEDS_MORE_WORDS
        case _:
            return Outcome.NOT_IN_BOOK
