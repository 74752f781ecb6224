"""A model of the SDK whose failures are ours."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any, cast

from agents import Model, ModelResponse
from agents.items import TResponseStreamEvent
from openai.types.responses import (
    ResponseCompletedEvent,
    ResponseErrorEvent,
    ResponseFailedEvent,
    ResponseIncompleteEvent,
    ResponseRefusalDeltaEvent,
)

from glossator.adapters.writers.patience import Stumbled
from glossator.adapters.writers.sdk.faults import service_errors
from glossator.adapters.writers.sdk.finished import check_finish
from glossator.adapters.writers.service import ModelService
from glossator.errors import WriterBroken


class WatchedModel(Model):
    def __init__(self, model: Model, service: ModelService) -> None:
        self._model = model
        self._service = service

    async def get_response(self, *args: Any, **request: Any) -> ModelResponse:
        with service_errors(self._service):
            return await self._model.get_response(*args, **request)

    async def stream_response(self, *args: Any, **request: Any) -> AsyncIterator[TResponseStreamEvent]:
        with service_errors(self._service) as call:
            events = cast(
                "AsyncGenerator[TResponseStreamEvent]", self._model.stream_response(*args, **request)
            )
            async with aclosing(events):
                is_whole = False
                async for event in events:
                    call.has_begun = True
                    self._check(event)
                    is_whole = is_whole or isinstance(event, ResponseCompletedEvent)
                    yield event
                check_finish("stop" if is_whole else None)

    def _check(self, event: TResponseStreamEvent) -> None:
        match event:
            case ResponseRefusalDeltaEvent():
                raise Stumbled(WriterBroken(f"{self._service} declined to answer."), again=False)
            case ResponseIncompleteEvent(response=response):
                details = response.incomplete_details
                check_finish("content_filter" if details and details.reason == "content_filter" else "length")
            case ResponseFailedEvent() | ResponseErrorEvent():
                check_finish("error")
            case _:
                return
