"""A model of the SDK that composes instead of generating."""

from __future__ import annotations

import itertools
import time
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from agents import Model, ModelResponse, Usage
from agents.items import TResponseStreamEvent
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseContentPartAddedEvent,
    ResponseContentPartDoneEvent,
    ResponseCreatedEvent,
    ResponseOutputItemAddedEvent,
    ResponseOutputItemDoneEvent,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseTextDeltaEvent,
    ResponseTextDoneEvent,
    ResponseUsage,
)
from openai.types.responses.response_usage import InputTokensDetails, OutputTokensDetails

from glossator.model import Brief

NAME = "extractive"

_RESPONSE = "resp_extractive"
_MESSAGE = "msg_extractive"


class ExtractiveModel(Model):
    """Made for one question; what the runner hands it is not read, because the brief says more."""

    def __init__(self, compose: Callable[[Brief], Sequence[str]], brief: Brief) -> None:
        self._compose = compose
        self._brief = brief

    async def get_response(self, *args: Any, **request: Any) -> ModelResponse:
        message = _message([piece for piece in self._compose(self._brief) if piece])
        return ModelResponse(output=[message], usage=Usage(requests=1), response_id=_RESPONSE)

    async def stream_response(self, *args: Any, **request: Any) -> AsyncIterator[TResponseStreamEvent]:
        events = _Events()
        for event in events.begin():
            yield event
        pieces = [piece for piece in self._compose(self._brief) if piece]
        for piece in pieces:
            yield events.piece(piece)
        for event in events.end("".join(pieces)):
            yield event


class _Events:
    """The events of a response with one message of one part, in the order that OpenAI sends them."""

    def __init__(self) -> None:
        self._count = itertools.count()

    def begin(self) -> list[TResponseStreamEvent]:
        return [
            ResponseCreatedEvent(
                type="response.created", response=_response(), sequence_number=next(self._count)
            ),
            ResponseOutputItemAddedEvent(
                type="response.output_item.added",
                item=ResponseOutputMessage(
                    id=_MESSAGE, type="message", role="assistant", status="in_progress", content=[]
                ),
                output_index=0,
                sequence_number=next(self._count),
            ),
            ResponseContentPartAddedEvent(
                type="response.content_part.added", part=_part(""), **self._at_the_part()
            ),
        ]

    def piece(self, text: str) -> TResponseStreamEvent:
        return ResponseTextDeltaEvent(
            type="response.output_text.delta", delta=text, logprobs=[], **self._at_the_part()
        )

    def end(self, text: str) -> list[TResponseStreamEvent]:
        message = _message([text])
        return [
            ResponseTextDoneEvent(
                type="response.output_text.done", text=text, logprobs=[], **self._at_the_part()
            ),
            ResponseContentPartDoneEvent(
                type="response.content_part.done", part=_part(text), **self._at_the_part()
            ),
            ResponseOutputItemDoneEvent(
                type="response.output_item.done",
                item=message,
                output_index=0,
                sequence_number=next(self._count),
            ),
            ResponseCompletedEvent(
                type="response.completed", response=_response(message), sequence_number=next(self._count)
            ),
        ]

    def _at_the_part(self) -> dict[str, Any]:
        return {
            "item_id": _MESSAGE,
            "output_index": 0,
            "content_index": 0,
            "sequence_number": next(self._count),
        }


def _response(*output: ResponseOutputMessage) -> Response:
    return Response(
        id=_RESPONSE,
        created_at=time.time(),
        model=NAME,
        object="response",
        status="completed" if output else "in_progress",
        output=list(output),
        tool_choice="none",
        tools=[],
        parallel_tool_calls=False,
        usage=_NOTHING_SPENT if output else None,
    )


def _message(pieces: Sequence[str]) -> ResponseOutputMessage:
    return ResponseOutputMessage(
        id=_MESSAGE,
        type="message",
        role="assistant",
        status="completed",
        content=[_part(piece) for piece in pieces],
    )


def _part(text: str) -> ResponseOutputText:
    return ResponseOutputText(type="output_text", text=text, annotations=[])


_NOTHING_SPENT = ResponseUsage(
    input_tokens=0,
    input_tokens_details=InputTokensDetails(cache_write_tokens=0, cached_tokens=0),
    output_tokens=0,
    output_tokens_details=OutputTokensDetails(reasoning_tokens=0),
    total_tokens=0,
)
