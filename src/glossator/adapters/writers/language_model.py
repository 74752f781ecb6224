"""A language model with OpenAI's API as writer and as rewriter of questions, and a fallback writer."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from glossator.adapters.writers.answer_text import AnswerText
from glossator.adapters.writers.prompt import Mark, rewrite_messages, rewriter_instructions
from glossator.adapters.writers.service import ModelService, ModelTimeouts, RetryableFailure, ready
from glossator.errors import WriterError
from glossator.model import Brief, Exchange
from glossator.ports import Writer

if TYPE_CHECKING:
    from glossator.adapters.writers.sdk.draft import Draft


class LanguageModelWriter:
    """Yields nothing if the model finds no answer in the evidence.

    A failed attempt is repeated while there is time, but never after a piece was yielded.
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
        from glossator.adapters.writers.sdk.speak import AgentRunner

        deadline = asyncio.get_running_loop().time() + self._timeouts.seconds
        async with connect(self._service, self._timeouts.seconds) as model:
            runner = AgentRunner(self._service, model, deadline, self._tracing)
            draft = Draft(runner, brief, may_search=self._may_search)
            async with aclosing(self._write_with_retries(draft, deadline)) as pieces:
                async for piece in pieces:
                    yield piece

    async def _write_with_retries(self, draft: Draft, deadline: float) -> AsyncGenerator[str]:
        for attempts in itertools.count(1):
            try:
                async with aclosing(draft.attempt()) as pieces:
                    async for piece in pieces:
                        yield piece
                break
            except RetryableFailure as failure:
                wait = self._wait(draft, attempts, failure, deadline)
                if wait is None:
                    raise failure.error from failure.__cause__
            await asyncio.sleep(wait)
        if draft.gave_up_tools:
            self._may_search = False

    def _wait(self, draft: Draft, attempts: int, failure: RetryableFailure, deadline: float) -> float | None:
        """Seconds until the next attempt; None if there is none."""
        if draft.has_begun:
            return None
        if failure.without_tools and draft.has_tools:
            draft.give_up_tools()
            return 0.0
        remaining = deadline - asyncio.get_running_loop().time()
        return self._timeouts.wait(attempts, failure, remaining)


class WithFallback:
    """Uses the second writer if the first fails before its first piece; a later error is raised.

    An answer must not mix two writers. The object that `write` returns names the writer, because
    two concurrent questions may get different ones.
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
    """The pieces of one answer; `name` and `model` are final once the first piece, or the end, has come."""

    def __init__(self, first: Writer, second: Writer, brief: Brief) -> None:
        self._writer = first
        self._second = second
        self._brief = brief
        self._pieces = first.write(brief)
        self._has_begun = False
        self.failure: WriterError | None = None
        """Why the first writer failed; None if it did not."""

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
            self._fall_back(failure)
            return await anext(self)
        self._has_begun = True
        return piece

    async def aclose(self) -> None:
        if isinstance(self._pieces, _Closable):
            await self._pieces.aclose()

    def _fall_back(self, failure: WriterError) -> None:
        self.failure = failure
        self._writer = self._second
        self._pieces = self._second.write(self._brief)


@runtime_checkable
class _Closable(Protocol):
    async def aclose(self) -> None: ...


_MAX_ADDED_CHARACTERS = 300


class LanguageModelRewriter:
    """Makes a follow-up question understandable alone.

    Tries once, with a short timeout: a question that is not rewritten is better than a late answer.
    """

    def __init__(self, service: ModelService, *, seconds: float = 5.0, tracing: bool = False) -> None:
        self._service = service
        self._seconds = seconds
        self._tracing = tracing

    async def rewrite(self, question: str, history: Sequence[Exchange]) -> str:
        """Returns the question unchanged if what the model writes cannot be a question."""
        if not history:
            return question
        try:
            text = await self._ask(question, history)
        except RetryableFailure as failure:
            raise failure.error from failure.__cause__
        rewritten = text.strip().strip('"“”').strip()
        is_question = "\n" not in rewritten and len(rewritten) <= len(question) + _MAX_ADDED_CHARACTERS
        return rewritten if rewritten and is_question else question

    async def _ask(self, question: str, history: Sequence[Exchange]) -> str:
        await ready()
        from glossator.adapters.writers.sdk.connection import connect
        from glossator.adapters.writers.sdk.speak import AgentRunner

        mark = Mark()
        deadline = asyncio.get_running_loop().time() + self._seconds
        async with connect(self._service, self._seconds) as model:
            runner = AgentRunner(self._service, model, deadline, self._tracing)
            messages = rewrite_messages(question, history, mark)
            output = await runner.complete(rewriter_instructions(mark.text), messages)
        text = AnswerText(mark.text)
        return text.feed(output) + text.end_turn() + text.end()
