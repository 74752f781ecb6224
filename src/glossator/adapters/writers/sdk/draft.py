"""One answer of a language model, over all attempts to write it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from agents import Tool

from glossator.adapters.writers.answer_text import AnswerText
from glossator.adapters.writers.prompt import Mark, answer_messages, writer_instructions
from glossator.adapters.writers.sdk.search_tool import FurtherSearch, search_tool
from glossator.adapters.writers.sdk.speak import AgentRunner, EndOfTurn
from glossator.adapters.writers.service import RetryableFailure
from glossator.errors import WriterBroken
from glossator.model import Brief

_MAX_CHARACTERS = 20_000


class Draft:
    def __init__(self, runner: AgentRunner, brief: Brief, *, may_search: bool) -> None:
        self._runner = runner
        self._brief = brief
        self._mark = Mark()
        self._search = FurtherSearch(brief.search if may_search else None, brief.evidence, self._mark)
        self._written = 0
        self.gave_up_tools = False

    @property
    def has_tools(self) -> bool:
        return self._search.is_possible and not self.gave_up_tools

    def give_up_tools(self) -> None:
        """Goes on without tools, for a service that does not support them."""
        self.gave_up_tools = True

    @property
    def has_begun(self) -> bool:
        """Whether the reader has received any of it."""
        return self._written > 0

    async def attempt(self) -> AsyncGenerator[str]:
        """Yields the answer, or nothing if the evidence holds none. Raises RetryableFailure."""
        text = AnswerText(self._mark.text)
        async with aclosing(self._stream()) as events:
            async for event in events:
                piece = text.end_turn() if isinstance(event, EndOfTurn) else text.feed(event)
                if piece:
                    yield self._count(piece)
        if text.is_empty:
            raise RetryableFailure(WriterBroken("The language model said nothing."))
        if rest := text.end():
            yield self._count(rest)

    def _stream(self) -> AsyncGenerator[str | EndOfTurn]:
        tools: list[Tool] = [search_tool(self._search)] if self.has_tools else []
        instructions = writer_instructions(self._mark.text, may_search=self.has_tools)
        messages = answer_messages(self._brief, self._search.evidence, self._mark)
        return self._runner.stream(instructions, messages, tools)

    def _count(self, piece: str) -> str:
        self._written += len(piece)
        if self._written > _MAX_CHARACTERS:
            raise RetryableFailure(
                WriterBroken("The language model did not come to an end."), may_retry=False
            )
        return piece
