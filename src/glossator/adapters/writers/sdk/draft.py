"""One answer in the making."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from agents import Tool

from glossator.adapters.writers.answer_text import AnswerText
from glossator.adapters.writers.prompt import Mark, converse, instruct_writer
from glossator.adapters.writers.sdk.search_tool import FurtherSearch, search_tool
from glossator.adapters.writers.sdk.speak import EndOfTurn, ModelSpeaker
from glossator.adapters.writers.service import RetryableFailure
from glossator.errors import WriterBroken
from glossator.model import Brief

_LONGEST_ANSWER = 20_000


class Draft:
    def __init__(self, speaker: ModelSpeaker, brief: Brief, *, may_search: bool) -> None:
        self._speaker = speaker
        self._brief = brief
        self._mark = Mark()
        self._search = FurtherSearch(brief.search if may_search else None, brief.evidence, self._mark)
        self._written = 0
        self.gave_up_tools = False

    @property
    def has_tools(self) -> bool:
        return self._search.is_possible and not self.gave_up_tools

    def give_up_tools(self) -> None:
        """For a service that does not know them."""
        self.gave_up_tools = True

    @property
    def has_begun(self) -> bool:
        """Whether the reader has seen any of it."""
        return self._written > 0

    async def attempt(self) -> AsyncGenerator[str]:
        """Pieces of the answer, none when the model finds none in the evidence; raises Stumbled."""
        text = AnswerText(self._mark.text)
        async with aclosing(self._speak()) as heard:
            async for words in heard:
                piece = text.end_turn() if isinstance(words, EndOfTurn) else text.hear(words)
                if piece:
                    yield self._write(piece)
        if text.is_empty:
            raise RetryableFailure(WriterBroken("The language model said nothing."))
        if rest := text.end():
            yield self._write(rest)

    def _speak(self) -> AsyncGenerator[str | EndOfTurn]:
        tools: list[Tool] = [search_tool(self._search)] if self.has_tools else []
        instructions = instruct_writer(self._mark.text, may_search=self.has_tools)
        messages = converse(self._brief, self._search.evidence, self._mark)
        return self._speaker.speak(instructions, messages, tools)

    def _write(self, piece: str) -> str:
        self._written += len(piece)
        if self._written > _LONGEST_ANSWER:
            raise RetryableFailure(WriterBroken("The language model did not come to an end."), again=False)
        return piece
