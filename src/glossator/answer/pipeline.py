"""Validate, route, retrieve, judge, write, verify: the way of a question.

There is one way: an answer is what is left when the stream of its events has ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TypeVar

from glossator.answer.conclude import Trace, conclude, refuse, repeat_nothing, say, say_outline, say_summary
from glossator.answer.confidence import LOW
from glossator.answer.evidence import (
    RetrievalResult,
    as_far_as_read,
    look_in_both,
    more_from_book,
    retrieve_from_book,
    retrieve_from_selection,
)
from glossator.answer.outline import outline
from glossator.answer.route import Standalone, rewrite, route
from glossator.answer.route.broad import (
    NamedPart,
    asks_for_contents,
    asks_where,
    names_the_book,
    naming_the_book,
)
from glossator.answer.route.courtesy import reply, without_courtesy
from glossator.answer.route.typos import is_foreign, mend
from glossator.answer.stream import CheckedStream, Unsupported
from glossator.answer.summarize import summarize, without_told
from glossator.answer.validate import LONGEST_QUESTION, validate
from glossator.answer.verify import Verifier
from glossator.answer.weigh import asked_for
from glossator.answer.wording import taken_as
from glossator.errors import SearchTimeout, WriterError
from glossator.model import (
    Answer,
    AnswerFinished,
    Brief,
    ClaimChecked,
    Event,
    Evidence,
    IndexQuery,
    Level,
    Outcome,
    PassagesFound,
    Policy,
    Question,
    Route,
    Stage,
    StageReached,
)
from glossator.ports import Embedder, Index, Loadable, Reader, Rewriter, Writer
from glossator.text.markdown import without_marks
from glossator.work import in_thread

Result = TypeVar("Result")

_AS_LIKELY = 0.5
"""Of the best relevance."""
_SMALL_TALK = (Route.GREETING, Route.THANKS, Route.ABILITIES)


@dataclass(frozen=True, slots=True)
class AnswerTimeouts:
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
    timeouts: AnswerTimeouts = AnswerTimeouts()
    longest: int = LONGEST_QUESTION
    least_confidence: float = LOW
    """The writer is not asked below it."""

    @property
    def _has_model(self) -> bool:
        return self.rewriter is not None

    async def answer(self, question: Question) -> Answer:
        async with aclosing(self.stream(question)) as events:
            async for event in events:
                if isinstance(event, AnswerFinished):
                    return event.answer
        raise AssertionError("every stream ends with its answer")

    async def stream(self, question: Question) -> AsyncGenerator[Event]:
        trace = Trace()
        question, way = await self._within_patience(self._routed, question, trace)
        if way not in _SMALL_TALK:
            await self.load()
        match way:
            case _ if way in _SMALL_TALK:
                yield AnswerFinished(say(reply(way, await self._book(question)), Outcome.SMALL_TALK, trace))
            case Route.OUTLINE if answer := await self._outlined(question, trace):
                yield StageReached(Stage.SEARCHING)
                yield AnswerFinished(answer)
            case _:
                async with aclosing(self._answered(question, way, trace)) as events:
                    async for event in events:
                        yield event

    def _routed(self, question: Question, trace: Trace) -> tuple[Question, Route]:
        with trace.step("validate"):
            question = validate(question, longest=self.longest)
            if not question.selection and all(
                names_the_book(turn.question) for turn in question.history[-1:]
            ):
                question = replace(question, text=naming_the_book(question.text))
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
            return await self._within_patience(self._outline, question, trace)

    def _outline(self, question: Question, trace: Trace) -> Answer | None:
        asked = without_courtesy(question.text)
        manifest = as_far_as_read(self.index.manifest(), question)
        told = outline(asked, manifest)
        if not asks_for_contents(asked) and (
            summary := summarize(told.asked, manifest, self.index, self.embedder, self.reader)
        ):
            return say_summary(summary, manifest, trace)
        if isinstance(told.asked, NamedPart) and not told.found:
            return None
        return say_outline(told, manifest, self.index, trace)

    async def _answered(self, question: Question, way: Route, trace: Trace) -> AsyncGenerator[Event]:
        yield StageReached(Stage.SEARCHING)
        question, note = await self._mended(question, way, trace)
        asked = await self._standing_alone(question, way, trace)
        with trace.step("retrieve") as facts:
            retrieval = await self._within_patience(self._look, asked, question, way)
            facts |= {
                "hits": [hit.chunk.chunk_id for hit in retrieval.hits],
                "confidence": retrieval.confidence.score,
            }
        yield PassagesFound(retrieval.hits)
        if not self._should_write(retrieval, question.text, way):
            yield AnswerFinished(refuse(retrieval, question.text, _refusal(way), trace, note=note))
            return
        async with aclosing(self._told(asked, question, way, retrieval, trace, note)) as events:
            async for event in events:
                yield event

    async def _mended(self, question: Question, way: Route, trace: Trace) -> tuple[Question, str | None]:
        """With the book's words for those that are misspelt, and a note that says so."""
        if way is Route.SELECTION:
            return question, None
        with trace.step("mend"):
            manifest = await self._within_patience(self.index.manifest)
            text = await self._within_patience(
                mend, question.text, manifest.lexicon, self.embedder.count_tokens, self._nearness
            )
        if text == question.text:
            return question, None
        return replace(question, text=text), taken_as(text)

    def _nearness(self, text: str) -> float:
        vector = self.embedder.embed_query(text).vector
        found = self.index.search(IndexQuery(text=text, vector=vector, limit=1, candidates=1))
        return max((one.scores.dense or 0.0 for one in found), default=0.0)

    async def _standing_alone(self, question: Question, way: Route, trace: Trace) -> Standalone:
        """A follow-up with the words it leans on; the model's rewriting where there is a model."""
        if way is not Route.FOLLOW_UP:
            return Standalone.of(question.text)
        with trace.step("rewrite") as facts:
            asked = await self._within_patience(rewrite, question.text, question.history)
            if self.rewriter is not None:
                try:
                    asked = Standalone.of(await self.rewriter.rewrite(question.text, question.history))
                except WriterError as error:
                    facts["failure"] = type(error).__name__
            facts["query"] = asked.search
        return asked

    def _look(self, asked: Standalone, question: Question, way: Route) -> RetrievalResult:
        selection = question.selection
        if way is Route.SELECTION and selection:
            return retrieve_from_selection(asked.read, selection, self.embedder, self.reader, self.language)
        if selection:
            return look_in_both(
                asked, question, selection, self.embedder, self.reader, self.index, self.policy
            )
        return retrieve_from_book(asked, question, self.embedder, self.reader, self.index, self.policy)

    async def _told(
        self,
        asked: Standalone,
        question: Question,
        way: Route,
        retrieval: RetrievalResult,
        trace: Trace,
        note: str | None,
    ) -> AsyncGenerator[Event]:
        yield StageReached(Stage.WRITING)
        last = question.history[-1].answer if way is Route.FOLLOW_UP else ""
        brief = self._brief(asked, question, way, retrieval)
        stream = self._telling(brief, question, retrieval)
        for rest in _in_turn(brief, last):
            stream = self._telling(rest, question, retrieval)
            async with aclosing(self._claimed(stream, last, trace)) as events:
                async for event in events:
                    yield event
            if stream.adds_to(last) or (rest is brief and not stream.claims):
                break
        if stream.adds_to(last) and stream.repeats(last):
            # What was held back until now is the part of the last answer that is asked for.
            yield StageReached(Stage.CHECKING)
            for claim in stream.claims:
                yield ClaimChecked(claim)
        yield AnswerFinished(self._concluded(stream, last, retrieval, question, way, trace, note))

    def _concluded(
        self,
        stream: CheckedStream,
        last: str,
        retrieval: RetrievalResult,
        question: Question,
        way: Route,
        trace: Trace,
        note: str | None,
    ) -> Answer:
        if stream.adds_to(last):
            return conclude(retrieval, stream, trace, fell_back=stream.writer != self.writer.name, note=note)
        if stream.claims:
            return repeat_nothing(retrieval, trace, stream)
        return refuse(retrieval, question.text, _refusal(way), trace, stream, note=note)

    def _telling(self, brief: Brief, question: Question, retrieval: RetrievalResult) -> CheckedStream:
        verifier = Verifier(self.reader, retrieval.lexicon.language)
        return CheckedStream(brief, verifier, self.unsupported, names_place=asks_where(question.text))

    async def _claimed(self, stream: CheckedStream, last: str, trace: Trace) -> AsyncGenerator[Event]:
        """What the last answer said is held back until something new is said."""
        shown = 0
        with trace.step("write") as facts:
            async with aclosing(stream.tell(self.writer, self.timeouts.write)) as claims:
                async for _ in claims:
                    if stream.repeats(last):
                        continue
                    if not shown:
                        yield StageReached(Stage.CHECKING)
                    for claim in stream.claims[shown:]:
                        yield ClaimChecked(claim)
                    shown = len(stream.claims)
            facts |= {"claims": len(stream.claims), "dropped": list(stream.dropped)}

    def _brief(self, asked: Standalone, question: Question, way: Route, retrieval: RetrievalResult) -> Brief:
        """What the writer may search for joins the evidence; a selection stays alone."""
        evidence = list(retrieval.evidence)

        async def search(query: str) -> Sequence[Evidence]:
            found = await self._within_patience(
                more_from_book, query, question, self.embedder, self.reader, self.index, tuple(evidence)
            )
            evidence.extend(found)
            return found

        return Brief(
            question=asked.search,
            evidence=evidence,
            history=question.history,
            summary=question.summary,
            search=None if way is Route.SELECTION else search,
            is_digest=retrieval.is_digest,
        )

    def _should_write(self, retrieval: RetrievalResult, asked: str, way: Route) -> bool:
        if not retrieval.hits and not retrieval.evidence:
            return False
        confidence = retrieval.confidence
        if way is not Route.SELECTION and not self._has_model and is_foreign(asked, retrieval.lexicon):
            # The reader knows one language, and takes another for anything.
            return False
        if retrieval.is_digest or (way is Route.SELECTION and self._has_model):
            # A model reads a selection whole, and what of its sentences stands there decides.
            return True
        if way is Route.OUTLINE and confidence.level is Level.LOW:
            # A chapter of a name that the book does not have is most likely another book's.
            return False
        is_enough = confidence.should_answer or (
            confidence.policy is Policy.CALIBRATED and confidence.score >= self.least_confidence
        )
        return is_enough or (way is Route.BARE_WORD and _knows(retrieval, asked))

    async def load(self) -> None:
        """Before the clock runs: to bring a model into memory is no part of a search."""
        for one in (self.embedder, self.reader):
            if isinstance(one, Loadable):
                await asyncio.to_thread(one.load)

    async def _within_patience(self, work: Callable[..., Result], *arguments: object) -> Result:
        """In a thread, so that nobody else waits for it."""
        try:
            async with asyncio.timeout(self.timeouts.search):
                return await in_thread(work, *arguments)
        except TimeoutError as error:
            raise SearchTimeout from error


def _in_turn(brief: Brief, last: str) -> Iterator[Brief]:
    """What a writer gets; where that ends in the last answer again, the rest of it, or else its best part."""
    yield brief
    if last:
        rest = _without_told(brief, last)
        if rest.evidence:
            yield rest
        yield _best_of(brief)


def _without_told(brief: Brief, told: str) -> Brief:
    """The units that are left must be about as likely to belong to the answer as those that were told."""
    least = _AS_LIKELY * _best_relevance(brief)
    rest = [without_told(one, without_marks(told)) for one in brief.evidence]
    near = [one for one in rest if any(unit.relevance >= least for unit in one.units)]
    return replace(brief, evidence=near)


def _best_of(brief: Brief) -> Brief:
    """Only the units that most likely belong to the answer."""
    least = _AS_LIKELY * _best_relevance(brief)
    best = [
        replace(one, units=tuple(unit for unit in one.units if unit.relevance >= least))
        for one in brief.evidence
    ]
    return replace(brief, evidence=[one for one in best if one.units])


def _best_relevance(brief: Brief) -> float:
    return max((unit.relevance for one in brief.evidence for unit in one.units), default=0.0)


def _knows(retrieval: RetrievalResult, asked: str) -> bool:
    words = asked_for(asked, retrieval.lexicon.language)
    return bool(words) and all(word in retrieval.lexicon.counts for word in words)


def _refusal(way: Route) -> Outcome:
    match way:
        case Route.SELECTION:
            return Outcome.NOT_IN_SELECTION
        case Route.BARE_WORD:
            return Outcome.NEEDS_MORE_WORDS
        case _:
            return Outcome.NOT_IN_BOOK
