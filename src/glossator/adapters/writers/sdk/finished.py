"""Chat Completions that are not believed to be whole before they say so.

The SDK takes the end of a stream for the end of the answer, whatever it was that ended it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, cast

from openai import AsyncOpenAI, AsyncStream
from openai.resources.chat import AsyncChat, AsyncCompletions
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from glossator.adapters.writers.patience import Stumbled
from glossator.errors import WriterBroken


class FinishedOpenAI(AsyncOpenAI):
    @property
    def chat(self) -> AsyncChat:
        return _FinishedChat(self)


class _FinishedChat(AsyncChat):
    @property
    def completions(self) -> AsyncCompletions:
        return _FinishedCompletions(self._client)


class _FinishedCompletions(AsyncCompletions):
    async def create(self, *args: Any, **request: Any) -> Any:
        reply = cast(object, await super().create(*args, **request))
        if isinstance(reply, ChatCompletion):
            check_finish(reply.choices[0].finish_reason)
            return reply
        if isinstance(reply, AsyncStream):
            return _until_finished(cast("AsyncStream[ChatCompletionChunk]", reply))
        raise ValueError("The reply is neither a completion nor a stream.")


async def _until_finished(stream: AsyncStream[ChatCompletionChunk]) -> AsyncIterator[ChatCompletionChunk]:
    finish: str | None = None
    try:
        async for chunk in stream:
            finish = next(
                (choice.finish_reason for choice in chunk.choices or () if choice.finish_reason), finish
            )
            yield chunk
    finally:
        await stream.close()
    check_finish(finish)


def check_finish(reason: str | None) -> None:
    """Unknown reasons are taken for an end, because services have many words for it."""
    match reason:
        case None | "":
            raise Stumbled(WriterBroken("The language model broke off before its answer was whole."))
        case "length" | "max_tokens":
            raise Stumbled(WriterBroken("The language model's answer was too long for it."), again=False)
        case "content_filter":
            raise Stumbled(WriterBroken("The language model's service withheld the answer."), again=False)
        case "error":
            raise Stumbled(WriterBroken("The language model's service failed while it wrote."))
        case _:
            return
