"""A language model that makes a follow-up question stand alone."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from glossator.adapters.writers.answer_text import AnswerText
from glossator.adapters.writers.instructions import instruct_rewriter
from glossator.adapters.writers.patience import Stumbled
from glossator.adapters.writers.prompt import Mark, converse_for_rewriting
from glossator.adapters.writers.service import ModelService
from glossator.adapters.writers.warm_up import ready
from glossator.model import Exchange

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
        except Stumbled as stumble:
            raise stumble.error from stumble.__cause__
        rewritten = said.strip().strip('"“”').strip()
        is_a_line = "\n" not in rewritten and len(rewritten) <= len(question) + _MUCH_LONGER
        return rewritten if rewritten and is_a_line else question

    async def _ask(self, question: str, history: Sequence[Exchange]) -> str:
        await ready()
        from glossator.adapters.writers.sdk.connection import connect
        from glossator.adapters.writers.sdk.speak import Speaker

        mark = Mark()
        ends = asyncio.get_running_loop().time() + self._seconds
        async with connect(self._service, self._seconds) as model:
            speaker = Speaker(self._service, model, ends, self._tracing)
            messages = converse_for_rewriting(question, history, mark)
            said = await speaker.say(instruct_rewriter(mark.text), messages)
        text = AnswerText(mark.text)
        return text.hear(said) + text.end_turn() + text.end()
