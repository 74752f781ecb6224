"""The steps that answer a question: validate, route, retrieve, judge, write, verify.

`answer()` runs `stream()` to its end, so both take the same path.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import ExitStack, aclosing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import TypeVar

from glossator.answer.conclude import (
    Trace,
    conclude,
    fixed_answer,
    outline_answer,
    refuse,
    refuse_repetition,
    repeat_answer,
    summary_answer,
)
from glossator.answer.confidence import LOW
from glossator.answer.digest import without_units_in
from glossator.answer.evidence import (
    RetrievalResult,
    read_generation,
    retrieve_from_book,
    retrieve_from_both,
    retrieve_from_selection,
    retrieve_more,
    without_unread_chapters,
)
from glossator.answer.outline import outline
from glossator.answer.result_cache import (
    Lookup,
    ResultCache,
    key_of,
    normalized,
    outline_codec,
    retrieval_codec,
)
from glossator.answer.retrieve import SearchLoad
from glossator.answer.route import Standalone, choose_route, rewrite
from glossator.answer.route.broad import (
    NamedPart,
    asks_for_contents,
    asks_where,
    mentions_book,
    resolve_book_pronoun,
)
from glossator.answer.route.courtesy import reply, without_courtesy
from glossator.answer.route.typos import correct_typos, is_other_language, is_other_spelling
from glossator.answer.stream import CheckedStream, Unsupported
from glossator.answer.summarize import summarize
from glossator.answer.validate import LONGEST_QUESTION, validate
from glossator.answer.verify import Verifier
from glossator.answer.wording import chosen_language, in_readers_language, taken_as
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
    Manifest,
    Outcome,
    PassagesFound,
    Policy,
    Question,
    Route,
    Stage,
    StageReached,
)
from glossator.ports import Embedder, Index, Loadable, Reader, Rewriter, Writer
from glossator.text.markdown import strip_citation_marks
from glossator.text.words import content_stems
from glossator.work import in_thread

Result = TypeVar("Result")

_LEAST_SHARE = 0.5
"""A second attempt leaves out units with a smaller share of the best relevance."""
_SMALL_TALK = (Route.GREETING, Route.THANKS, Route.ABILITIES)


@dataclass(frozen=True, slots=True)
class AnswerTimeouts:
    """Seconds that each step may take."""

    search: float = 5.0
    write: float = 25.0


@dataclass(frozen=True, slots=True)
class AnswerPipeline:
    """Answers questions to one book, without sessions. Fields named `assistant` hold one of these."""

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
    """A question with less confidence is refused without calling the writer."""
    search_load: SearchLoad = field(default_factory=SearchLoad)
    """The reader reads less when many questions are searched for at once."""
    cache: ResultCache | None = None
    book_name: str = ""
    """Keeps the books apart that share the cache."""

    @property
    def _has_model(self) -> bool:
        return self.rewriter is not None

    async def answer(self, question: Question) -> Answer:
        async with aclosing(self.stream(question)) as events:
            async for event in events:
                if isinstance(event, AnswerFinished):
                    return event.answer
        raise AssertionError("every stream ends with its answer")

    def stream(self, question: Question, *, may_cache: bool = False) -> AsyncGenerator[Event]:
        """`may_cache`: whether what is found may be cached for others who ask the same."""
        return in_readers_language(self._stream(question, may_cache), question.text)

    async def _stream(self, question: Question, may_cache: bool) -> AsyncGenerator[Event]:
        with ExitStack() as searching:
            searching.enter_context(self.search_load.one_more())
            async with aclosing(self._answer_in_steps(question, may_cache, searching)) as events:
                async for event in events:
                    yield event

    async def _answer_in_steps(
        self, question: Question, may_cache: bool, searching: ExitStack
    ) -> AsyncGenerator[Event]:
        """`searching` is closed when the search is over: who waits for a language model is no load."""
        trace = Trace()
        question, route = await self.in_time(self._validate_and_route, question, trace)
        if route not in _SMALL_TALK:
            await self.load()
        match route:
            case _ if route in _SMALL_TALK:
                yield AnswerFinished(
                    fixed_answer(reply(route, await self._book_title(question)), Outcome.SMALL_TALK, trace)
                )
            case Route.OUTLINE if answer := await self._try_outline(question, trace, may_cache):
                yield StageReached(Stage.SEARCHING)
                yield AnswerFinished(answer)
            case _:
                answer_events = self._answer_from_evidence(question, route, trace, may_cache, searching)
                async with aclosing(answer_events) as events:
                    async for event in events:
                        yield event

    def _validate_and_route(self, question: Question, trace: Trace) -> tuple[Question, Route]:
        with trace.step("validate"):
            question = validate(question, longest=self.longest)
            if not question.selection and all(mentions_book(turn.question) for turn in question.history[-1:]):
                question = replace(question, text=resolve_book_pronoun(question.text))
        with trace.step("route") as facts:
            route = facts["route"] = choose_route(question)
        return question, route

    async def _book_title(self, question: Question) -> str:
        """Empty for a question about a selection only: such a question never reads the index."""
        if question.selection and question.selection.only:
            return ""
        return (await self.in_time(self.index.manifest)).book

    async def _try_outline(self, question: Question, trace: Trace, may_cache: bool) -> Answer | None:
        """None if the book has no part of that name: then the name is a topic to search for."""
        with trace.step("outline") as facts:
            answer, facts["cached"] = await self._find_outline(question, trace, may_cache)
        return repeat_answer(answer, trace) if answer else None

    async def _find_outline(self, question: Question, trace: Trace, may_cache: bool) -> Lookup[Answer | None]:
        compute = partial(self.in_time, self._outline_answer, question, trace)
        if self.cache is None or question.selection:
            return Lookup(await compute(), False)
        manifest = await self.in_time(self.index.manifest)
        key = key_of(self.book_name, manifest, "outline", question, chosen_language())
        return await self.cache.get(key, compute, outline_codec(manifest), may_store=may_cache)

    def _outline_answer(self, question: Question, trace: Trace) -> Answer | None:
        return read_generation(self.index, partial(self._outline_from, question, trace))[1]

    def _outline_from(self, question: Question, trace: Trace, manifest: Manifest) -> Answer | None:
        text = without_courtesy(question.text)
        manifest = without_unread_chapters(manifest, question)
        contents = outline(text, manifest)
        if not asks_for_contents(text) and (
            summary := summarize(contents.asked, manifest, self.index, self.embedder, self.reader)
        ):
            return summary_answer(summary, manifest, trace)
        if isinstance(contents.asked, NamedPart) and not contents.found:
            return None
        return outline_answer(contents, manifest, self.index, trace)

    async def _answer_from_evidence(
        self, question: Question, route: Route, trace: Trace, may_cache: bool, searching: ExitStack
    ) -> AsyncGenerator[Event]:
        yield StageReached(Stage.SEARCHING)
        question, note = await self._corrected(question, route, trace)
        standalone = await self._standalone(question, route, trace)
        with trace.step("retrieve") as facts, searching:
            most_windows = self.search_load.most_windows
            retrieval, is_cached = await self._find_evidence(
                standalone, question, route, most_windows, may_cache
            )
            facts |= {
                "hits": [hit.chunk.chunk_id for hit in retrieval.hits],
                "confidence": retrieval.confidence.score,
                "windows_read": retrieval.windows_read,
                "most_windows": most_windows,
                "cached": is_cached,
            }
        yield PassagesFound(retrieval.hits)
        if not self._should_write(retrieval, question.text, route):
            yield AnswerFinished(refuse(retrieval, question.text, _refusal(route), trace, note=note))
            return
        async with aclosing(self._write(standalone, question, route, retrieval, trace, note)) as events:
            async for event in events:
                yield event

    async def _corrected(self, question: Question, route: Route, trace: Trace) -> tuple[Question, str | None]:
        """The question with its typos corrected, and a note that says so, if there were any."""
        if route is Route.SELECTION:
            return question, None
        with trace.step("typos"):
            manifest = await self.in_time(self.index.manifest)
            text = await self.in_time(
                correct_typos, question.text, manifest.lexicon, self.embedder.count_tokens, self._nearness
            )
        if text == question.text:
            return question, None
        note = None if is_other_spelling(question.text, text) else taken_as(text)
        return replace(question, text=text), note

    def _nearness(self, text: str) -> float:
        vector = self.embedder.embed_query(text).vector
        passages = self.index.search(IndexQuery(text=text, vector=vector, limit=1, candidates=1))
        return max((passage.scores.dense or 0.0 for passage in passages), default=0.0)

    async def _standalone(self, question: Question, route: Route, trace: Trace) -> Standalone:
        """A follow-up as a question that needs no history: rewritten by the model if there is one."""
        if route is not Route.FOLLOW_UP:
            return Standalone.of(question.text)
        with trace.step("rewrite") as facts:
            standalone = await self.in_time(rewrite, question.text, question.history)
            if self.rewriter is not None:
                try:
                    standalone = Standalone.of(await self.rewriter.rewrite(question.text, question.history))
                except WriterError as error:
                    facts["failure"] = type(error).__name__
            facts["query"] = standalone.search
        return standalone

    async def _find_evidence(
        self, standalone: Standalone, question: Question, route: Route, most_windows: int, may_cache: bool
    ) -> Lookup[RetrievalResult]:
        """Looks in the cache, unless the question depends on the conversation or on a selection."""
        if question.selection or route is Route.FOLLOW_UP:
            retrieval = await self.in_time(self._retrieve, standalone, question, route, most_windows)
            return Lookup(retrieval, False)
        # Searched as it is cached: one reader's spacing must not decide what others find.
        question = replace(question, text=normalized(question.text))
        standalone = Standalone.of(question.text)
        compute = partial(self.in_time, self._retrieve, standalone, question, route, most_windows)
        if self.cache is None:
            return Lookup(await compute(), False)
        manifest = await self.in_time(self.index.manifest)
        key = key_of(self.book_name, manifest, "retrieve", question)
        codec = retrieval_codec(manifest)
        return await self.cache.get(key, compute, codec, windows=most_windows, may_store=may_cache)

    def _retrieve(
        self, standalone: Standalone, question: Question, route: Route, most_windows: int
    ) -> RetrievalResult:
        embedder, reader, selection = self.embedder, self.reader, question.selection
        if route is Route.SELECTION and selection:
            return retrieve_from_selection(
                standalone.read, selection, embedder, reader, self.language, most_windows=most_windows
            )
        if selection:
            return retrieve_from_both(
                standalone,
                question,
                selection,
                embedder,
                reader,
                self.index,
                self.policy,
                most_windows=most_windows,
            )
        return retrieve_from_book(
            standalone, question, embedder, reader, self.index, self.policy, most_windows=most_windows
        )

    async def _write(
        self,
        standalone: Standalone,
        question: Question,
        route: Route,
        retrieval: RetrievalResult,
        trace: Trace,
        note: str | None,
    ) -> AsyncGenerator[Event]:
        yield StageReached(Stage.WRITING)
        last = await in_thread(_words, question.history[-1].answer) if route is Route.FOLLOW_UP else ""
        brief = self._brief(standalone, question, route, retrieval)
        stream = self._checked_stream(brief, question, retrieval, last)
        attempts = _attempts(brief, last)
        attempt = next(attempts, None)
        while attempt:
            stream = self._checked_stream(attempt, question, retrieval, last)
            async with aclosing(self._checked_claims(stream, trace)) as events:
                async for event in events:
                    yield event
            if stream.adds or (attempt is brief and not stream.claims):
                break
            attempt = await in_thread(next, attempts, None)
        if stream.adds and stream.repeats:
            # The new answer is a part of the last one, so its claims were held back until now.
            yield StageReached(Stage.CHECKING)
            for claim in stream.claims:
                yield ClaimChecked(claim)
        yield AnswerFinished(self._conclude(stream, retrieval, question, route, trace, note))

    def _conclude(
        self,
        stream: CheckedStream,
        retrieval: RetrievalResult,
        question: Question,
        route: Route,
        trace: Trace,
        note: str | None,
    ) -> Answer:
        if stream.adds:
            return conclude(retrieval, stream, trace, fell_back=stream.writer != self.writer.name, note=note)
        if stream.claims:
            return refuse_repetition(retrieval, trace, stream)
        return refuse(retrieval, question.text, _refusal(route), trace, stream, note=note)

    def _checked_stream(
        self, brief: Brief, question: Question, retrieval: RetrievalResult, last: str
    ) -> CheckedStream:
        verifier = Verifier(self.reader, retrieval.lexicon.language)
        return CheckedStream(
            brief, verifier, self.unsupported, names_place=asks_where(question.text), last=last
        )

    async def _checked_claims(self, stream: CheckedStream, trace: Trace) -> AsyncGenerator[Event]:
        """Claims that repeat the last answer are held back until a new one comes."""
        shown = 0
        with trace.step("write") as facts:
            async with aclosing(stream.tell(self.writer, self.timeouts.write)) as claims:
                async for _ in claims:
                    if stream.repeats:
                        continue
                    if not shown:
                        yield StageReached(Stage.CHECKING)
                    for claim in stream.claims[shown:]:
                        yield ClaimChecked(claim)
                    shown = len(stream.claims)
            facts |= {"claims": len(stream.claims), "dropped": list(stream.dropped)}

    def _brief(
        self, standalone: Standalone, question: Question, route: Route, retrieval: RetrievalResult
    ) -> Brief:
        """Adds to the evidence what the writer searches for; a selection allows no search."""
        evidence = list(retrieval.evidence)

        async def search(query: str) -> Sequence[Evidence]:
            more = await self.in_time(
                retrieve_more,
                query,
                question,
                self.embedder,
                self.reader,
                self.index,
                tuple(evidence),
                retrieval.index,
            )
            evidence.extend(more)
            return more

        return Brief(
            question=standalone.search,
            evidence=evidence,
            history=question.history,
            summary=question.summary,
            search=None if route is Route.SELECTION else search,
            is_digest=retrieval.is_digest,
        )

    def _should_write(self, retrieval: RetrievalResult, question: str, route: Route) -> bool:
        if not retrieval.hits and not retrieval.evidence:
            return False
        confidence = retrieval.confidence
        if (
            route is not Route.SELECTION
            and not self._has_model
            and is_other_language(question, retrieval.lexicon)
        ):
            # The reader model knows one language; its scores mean nothing in another.
            return False
        if retrieval.is_digest or (route is Route.SELECTION and self._has_model):
            # A language model gets the whole selection; the check of its sentences decides.
            return True
        if route is Route.OUTLINE and confidence.level is Level.LOW:
            # A chapter that this book does not have most likely belongs to another book.
            return False
        is_enough = confidence.should_answer or (
            confidence.policy is Policy.CALIBRATED and confidence.score >= self.least_confidence
        )
        return is_enough or (route is Route.BARE_WORD and _has_all_words(retrieval, question))

    async def load(self) -> None:
        """Loads the models outside of any timeout, because loading is not part of a search."""
        for model in (self.embedder, self.reader):
            if isinstance(model, Loadable):
                await asyncio.to_thread(model.load)

    async def in_time(self, work: Callable[..., Result], *arguments: object) -> Result:
        """Runs the work in a thread, so that it does not block the event loop. Raises SearchTimeout."""
        try:
            async with asyncio.timeout(self.timeouts.search):
                return await in_thread(work, *arguments)
        except TimeoutError as error:
            raise SearchTimeout from error


def _words(answer: str) -> str:
    return " ".join(strip_citation_marks(answer).split())


def _attempts(brief: Brief, last: str) -> Iterator[Brief]:
    """The briefs to try until an answer adds to the last one.

    First everything, then what the last answer did not use, the best blocks, the best units, the best one.
    """
    yield brief
    if last:
        rest = _without_repeated(brief, last)
        if rest.evidence:
            yield rest
        yield _best_of(brief, _best_blocks)
        yield _best_of(brief, _best_units)
        yield _best_of(brief, _best_units, least_share=1.0)


def _without_repeated(brief: Brief, last: str) -> Brief:
    """Evidence without what the last answer used, if some of the rest is still relevant."""
    least = _LEAST_SHARE * _best_relevance(brief)
    rest = [without_units_in(evidence, last) for evidence in brief.evidence]
    near = [evidence for evidence in rest if any(unit.relevance >= least for unit in evidence.units)]
    return replace(brief, evidence=near)


def _best_of(
    brief: Brief, best_in: Callable[[Evidence, float], Evidence], least_share: float = _LEAST_SHARE
) -> Brief:
    least = least_share * _best_relevance(brief)
    best = [best_in(evidence, least) for evidence in brief.evidence]
    return replace(brief, evidence=[evidence for evidence in best if evidence.units])


def _best_blocks(evidence: Evidence, least: float) -> Evidence:
    """The blocks with one of the most relevant units, and the block after each: authors go on there."""
    blocks = list(dict.fromkeys(unit.unit.block for unit in evidence.units))
    best = {unit.unit.block for unit in evidence.units if unit.relevance >= least}
    best |= {after for before, after in pairwise(blocks) if before in best}
    return replace(evidence, units=tuple(unit for unit in evidence.units if unit.unit.block in best))


def _best_units(evidence: Evidence, least: float) -> Evidence:
    return replace(evidence, units=tuple(unit for unit in evidence.units if unit.relevance >= least))


def _best_relevance(brief: Brief) -> float:
    return max((unit.relevance for evidence in brief.evidence for unit in evidence.units), default=0.0)


def _has_all_words(retrieval: RetrievalResult, question: str) -> bool:
    words = content_stems(question, retrieval.lexicon.language)
    return bool(words) and all(word in retrieval.lexicon.counts for word in words)


def _refusal(route: Route) -> Outcome:
    match route:
        case Route.SELECTION:
            return Outcome.NOT_IN_SELECTION
        case Route.BARE_WORD:
            return Outcome.NEEDS_MORE_WORDS
        case _:
            return Outcome.NOT_IN_BOOK
