"""Any language model that speaks OpenAI's API, as a writer."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from glossator.adapters.writers.answer_text import AnswerText
from glossator.adapters.writers.prompt import Mark, converse_for_rewriting, instruct_rewriter
from glossator.adapters.writers.service import ModelService, ModelTimeouts, RetryableFailure, ready
from glossator.errors import WriterError
from glossator.model import Brief, Exchange
from glossator.ports import Writer

if TYPE_CHECKING:
    from glossator.adapters.writers.sdk.draft import Draft


class LanguageModelWriter:
    """Ends without a piece when the model finds no answer in the evidence.

    A try that fails is repeated as long as nothing of it was yielded and there is time, never after.
    """

    name = "language_model"

    def __init__(
        self,
        service: ModelService,
        *,
        timeouts: ModelTimeouts | None = None,
        may_search: bool = True,
        tracing: bool = False,
    ) -> None:
        self._service = service
        self._timeouts = timeouts or ModelTimeouts()
        self._may_search = may_search
        self._tracing = tracing

    @property
    def model(self) -> str:
        return self._service.model

    async def write(self, brief: Brief) -> AsyncGenerator[str]:
        await ready()
        from glossator.adapters.writers.sdk.connection import connect
        from glossator.adapters.writers.sdk.draft import Draft
        from glossator.adapters.writers.sdk.speak import ModelSpeaker

        ends = asyncio.get_running_loop().time() + self._timeouts.seconds
        async with connect(self._service, self._timeouts.seconds) as model:
            speaker = ModelSpeaker(self._service, model, ends, self._tracing)
            draft = Draft(speaker, brief, may_search=self._may_search)
            async with aclosing(self._insist(draft, ends)) as pieces:
                async for piece in pieces:
                    yield piece

    async def _insist(self, draft: Draft, ends: float) -> AsyncGenerator[str]:
        for tried in itertools.count(1):
            try:
                async with aclosing(draft.attempt()) as pieces:
                    async for piece in pieces:
                        yield piece
                break
            except RetryableFailure as stumble:
                wait = self._wait(draft, tried, stumble, ends)
                if wait is None:
                    raise stumble.error from stumble.__cause__
            await asyncio.sleep(wait)
        if draft.gave_up_tools:
            self._may_search = False

    def _wait(self, draft: Draft, tried: int, stumble: RetryableFailure, ends: float) -> float | None:
        """Seconds until the next try; None when there is none."""
        if draft.has_begun:
            return None
        if stumble.tools and draft.has_tools:
            draft.give_up_tools()
            return 0.0
        return self._timeouts.wait(tried, stumble, left=ends - asyncio.get_running_loop().time())


# A second writer for when the first cannot write.


class WithFallback:
    """Hands over when the first writer fails before its first piece; later its error travels.

    Half an answer of one writer and half of another would be nobody's. Who wrote is told by what
    `write` returns, because two questions at once may get two different writers.
    """

    def __init__(self, first: Writer, second: Writer) -> None:
        self._first = first
        self._second = second

    @property
    def name(self) -> str:
        return self._first.name

    @property
    def model(self) -> str:
        return self._first.model

    def write(self, brief: Brief) -> WriterPieces:
        return WriterPieces(self._first, self._second, brief)


class WriterPieces(AsyncIterator[str]):
    """The pieces of one answer; `name` and `model` are its writer's from the first piece, or the end, on."""

    def __init__(self, first: Writer, second: Writer, brief: Brief) -> None:
        self._writer = first
        self._second = second
        self._brief = brief
        self._pieces = first.write(brief)
        self._has_begun = False
        self.failure: WriterError | None = None
        """Why the first writer did not write."""

    @property
    def name(self) -> str:
        return self._writer.name

    @property
    def model(self) -> str:
        return self._writer.model

    async def __anext__(self) -> str:
        try:
            piece = await anext(self._pieces)
        except WriterError as failure:
            if self._has_begun or self.failure:
                raise
            self._hand_over(failure)
            return await anext(self)
        self._has_begun = True
        return piece

    async def aclose(self) -> None:
        if isinstance(self._pieces, _Closable):
            await self._pieces.aclose()

    def _hand_over(self, failure: WriterError) -> None:
        self.failure = failure
        self._writer = self._second
        self._pieces = self._second.write(self._brief)


@runtime_checkable
class _Closable(Protocol):
    async def aclose(self) -> None: ...


# A language model that makes a follow-up question stand alone.

_MUCH_LONGER = 300


class LanguageModelRewriter:
    """Asks once and not for long: a question that was not rewritten is better than a late one."""

    def __init__(self, service: ModelService, *, seconds: float = 5.0, tracing: bool = False) -> None:
        self._service = service
        self._seconds = seconds
        self._tracing = tracing

    async def rewrite(self, question: str, history: Sequence[Exchange]) -> str:
        """The question itself when the model makes nothing of it that is a question."""
        if not history:
            return question
        try:
            said = await self._ask(question, history)
        except RetryableFailure as stumble:
            raise stumble.error from stumble.__cause__
        rewritten = said.strip().strip('"“”').strip()
        is_a_line = "\n" not in rewritten and len(rewritten) <= len(question) + _MUCH_LONGER
        return rewritten if rewritten and is_a_line else question

    async def _ask(self, question: str, history: Sequence[Exchange]) -> str:
        await ready()
        from glossator.adapters.writers.sdk.connection import connect
        from glossator.adapters.writers.sdk.speak import ModelSpeaker

        mark = Mark()
        ends = asyncio.get_running_loop().time() + self._seconds
        async with connect(self._service, self._seconds) as model:
            speaker = ModelSpeaker(self._service, model, ends, self._tracing)
            messages = converse_for_rewriting(question, history, mark)
            said = await speaker.say(instruct_rewriter(mark.text), messages)
        text = AnswerText(mark.text)
        return text.hear(said) + text.end_turn() + text.end()
