"""The connection to a language model for one answer, which fails if the reply is incomplete."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from functools import cache
from ssl import SSLContext
from typing import Any, cast

import httpx2
from agents import Model, ModelResponse, ModelSettings, OpenAIChatCompletionsModel, OpenAIResponsesModel
from agents.items import TResponseStreamEvent
from openai import AsyncOpenAI, AsyncStream
from openai.resources.chat import AsyncChat, AsyncCompletions
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import (
    ResponseCompletedEvent,
    ResponseErrorEvent,
    ResponseFailedEvent,
    ResponseIncompleteEvent,
    ResponseRefusalDeltaEvent,
)

from glossator.adapters.writers.sdk.faults import service_errors
from glossator.adapters.writers.service import Api, ModelService, RetryableFailure
from glossator.errors import WriterBroken

_NO_KEY = "none"

# All other headers are removed: the client adds some from the environment and some about the machine.
_ALLOWED_HEADERS = {
    "accept",
    "accept-encoding",
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "host",
    "user-agent",
    # The client itself reads this one to know how to parse the reply.
    "x-stainless-raw-response",
}


@asynccontextmanager
async def connect(service: ModelService, timeout: float) -> AsyncGenerator[Model]:
    """Closed in any case, because connections must not outlive their event loop."""
    async with _http(timeout) as http:
        client = FinishedOpenAI(
            base_url=service.base_url,
            api_key=service.api_key or _NO_KEY,
            # Set here too, because a header from the environment would override the key.
            default_headers={"Authorization": f"Bearer {service.api_key or _NO_KEY}"},
            timeout=timeout,
            max_retries=0,
            http_client=http,
        )
        kind = OpenAIResponsesModel if service.api is Api.RESPONSES else OpenAIChatCompletionsModel
        yield WatchedModel(kind(service.model, client), service)


def settings_for(service: ModelService) -> ModelSettings:
    """Nothing that a service might refuse; only OpenAI is asked not to store the chat."""
    return ModelSettings(store=False if service.is_openai and service.api is Api.CHAT else None)


def _http(timeout: float) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        timeout=timeout,
        verify=_certificates(),
        follow_redirects=False,
        event_hooks={"request": [_remove_headers]},
    )


async def _remove_headers(request: httpx2.Request) -> None:
    for name in set(request.headers) - _ALLOWED_HEADERS:
        del request.headers[name]
    if request.headers.get("Authorization") == f"Bearer {_NO_KEY}":
        del request.headers["Authorization"]


@cache
def _certificates() -> SSLContext:
    """Cached, because loading the certificates takes longer than the rest of a connection."""
    return httpx2.create_ssl_context()


class WatchedModel(Model):
    """A model of the SDK that raises our errors, also if its reply is incomplete."""

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
                is_complete = False
                async for event in events:
                    call.has_begun = True
                    self._check(event)
                    is_complete = is_complete or isinstance(event, ResponseCompletedEvent)
                    yield event
                check_finish("stop" if is_complete else None)

    def _check(self, event: TResponseStreamEvent) -> None:
        match event:
            case ResponseRefusalDeltaEvent():
                raise RetryableFailure(WriterBroken(f"{self._service} declined to answer."), may_retry=False)
            case ResponseIncompleteEvent(response=response):
                details = response.incomplete_details
                check_finish("content_filter" if details and details.reason == "content_filter" else "length")
            case ResponseFailedEvent() | ResponseErrorEvent():
                check_finish("error")
            case _:
                return


class FinishedOpenAI(AsyncOpenAI):
    """Fails if a chat completion ends without a finish reason.

    The SDK takes the end of a stream for the end of the answer, even if the connection was cut.
    """

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
    """Accepts unknown reasons, because services name a normal end in many ways."""
    match reason:
        case None | "":
            raise RetryableFailure(WriterBroken("The language model broke off before its answer was whole."))
        case "length" | "max_tokens":
            raise RetryableFailure(
                WriterBroken("The language model's answer was too long for it."), may_retry=False
            )
        case "content_filter":
            raise RetryableFailure(
                WriterBroken("The language model's service withheld the answer."), may_retry=False
            )
        case "error":
            raise RetryableFailure(WriterBroken("The language model's service failed while it wrote."))
        case _:
            return
