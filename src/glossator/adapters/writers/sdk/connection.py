"""A line to a language model, open for one answer."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import cache
from ssl import SSLContext

import httpx2
from agents import Model, ModelSettings, OpenAIChatCompletionsModel, OpenAIResponsesModel

from glossator.adapters.writers.sdk.finished import FinishedOpenAI
from glossator.adapters.writers.sdk.watched_model import WatchedModel
from glossator.adapters.writers.service import Api, ModelService

_NO_KEY = "none"

# The client would add what it finds in the environment, and tell which machine it runs on.
_SENT = {
    "accept",
    "accept-encoding",
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "host",
    "user-agent",
    # A note of the client to itself, by which it knows how to read the reply.
    "x-stainless-raw-response",
}


@asynccontextmanager
async def connect(service: ModelService, timeout: float) -> AsyncGenerator[Model]:
    """Closed at the end whatever happened, because an event loop must not outlive its connections."""
    async with _http(timeout) as http:
        client = FinishedOpenAI(
            base_url=service.base_url,
            api_key=service.api_key or _NO_KEY,
            # Named here once more, because a header from the environment would win over the key.
            default_headers={"Authorization": f"Bearer {service.api_key or _NO_KEY}"},
            timeout=timeout,
            max_retries=0,
            http_client=http,
        )
        kind = OpenAIResponsesModel if service.api is Api.RESPONSES else OpenAIChatCompletionsModel
        yield WatchedModel(kind(service.model, client), service)


def settings_for(service: ModelService) -> ModelSettings:
    """Nothing that some service could refuse; only OpenAI is asked to keep no copy of a chat."""
    return ModelSettings(store=False if service.is_openai and service.api is Api.CHAT else None)


def _http(timeout: float) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        timeout=timeout,
        verify=_certificates(),
        follow_redirects=False,
        event_hooks={"request": [_send_only_ours]},
    )


async def _send_only_ours(request: httpx2.Request) -> None:
    for name in set(request.headers) - _SENT:
        del request.headers[name]
    if request.headers.get("Authorization") == f"Bearer {_NO_KEY}":
        del request.headers["Authorization"]


@cache
def _certificates() -> SSLContext:
    """Read once: it takes longer than everything else about a connection."""
    return httpx2.create_ssl_context()
