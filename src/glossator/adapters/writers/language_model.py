"""Any language model that speaks OpenAI's API, as a writer."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING

from glossator.adapters.writers.patience import Patience, Stumbled
from glossator.adapters.writers.service import ModelService
from glossator.adapters.writers.warm_up import ready
from glossator.model import Brief

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
        patience: Patience | None = None,
        may_search: bool = True,
        tracing: bool = False,
    ) -> None:
        self._service = service
        self._patience = patience or Patience()
        self._may_search = may_search
        self._tracing = tracing

    @property
    def model(self) -> str:
        return self._service.model

    async def write(self, brief: Brief) -> AsyncGenerator[str]:
        await ready()
        from glossator.adapters.writers.sdk.connection import connect
        from glossator.adapters.writers.sdk.draft import Draft
        from glossator.adapters.writers.sdk.speak import Speaker

        ends = asyncio.get_running_loop().time() + self._patience.seconds
        async with connect(self._service, self._patience.seconds) as model:
            speaker = Speaker(self._service, model, ends, self._tracing)
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
            except Stumbled as stumble:
                wait = self._wait(draft, tried, stumble, ends)
                if wait is None:
                    raise stumble.error from stumble.__cause__
            await asyncio.sleep(wait)
        if draft.gave_up_tools:
            self._may_search = False

    def _wait(self, draft: Draft, tried: int, stumble: Stumbled, ends: float) -> float | None:
        """Seconds until the next try; None when there is none."""
        if draft.has_begun:
            return None
        if stumble.tools and draft.has_tools:
            draft.give_up_tools()
            return 0.0
        return self._patience.wait(tried, stumble, left=ends - asyncio.get_running_loop().time())
