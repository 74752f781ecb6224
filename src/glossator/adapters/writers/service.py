"""Address of a language model, retries and timeouts of its requests, and early loading of the agents SDK."""

from __future__ import annotations

import asyncio
import logging
import random
import re
import sys
import threading
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module
from urllib.parse import SplitResult, urlsplit

from glossator.errors import SettingsError, WriterError
from glossator.resilience.backoff import Chance, backoff


class Api(StrEnum):
    CHAT = "chat"
    """Chat Completions, which every service offers."""
    RESPONSES = "responses"


@dataclass(frozen=True, slots=True)
class ModelService:
    """A service with OpenAI's API: OpenAI itself, Gemini, Groq, OpenRouter, Ollama, vLLM, LM Studio…"""

    model: str
    base_url: str = field(default="https://api.openai.com/v1", repr=False)
    api_key: str | None = field(default=None, repr=False)
    api: Api = Api.CHAT

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise SettingsError("The language model has no name.")
        address = _split(self.base_url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise SettingsError("The address of the language model must begin with http:// or https://.")
        # Such a key could not be sent, and the client's error message would show it.
        if not re.fullmatch("[!-~]*", self.api_key or ""):
            raise SettingsError("The key of the language model has an invalid character.")

    def __str__(self) -> str:
        """Shows only the host, because the rest of an address can hold a password."""
        return f"The language model at {_split(self.base_url).hostname}"

    @property
    def is_openai(self) -> bool:
        return _split(self.base_url).hostname == "api.openai.com"

    def hide_key(self, text: str) -> str:
        """Some services repeat the caller's key when they refuse it."""
        return text.replace(self.api_key, "…") if self.api_key else text


def _split(base_url: str) -> SplitResult:
    try:
        address = urlsplit(base_url)
        _ = address.port
    except ValueError:
        raise SettingsError("The address of the language model is not a URL.") from None
    return address


class RetryableFailure(Exception):
    """A failed attempt, with the error to raise if no other attempt succeeds."""

    def __init__(
        self,
        error: WriterError,
        *,
        may_retry: bool = True,
        retry_after: float = 0.0,
        without_tools: bool = False,
    ) -> None:
        super().__init__(str(error))
        self.error = error
        self.may_retry = may_retry
        """Whether the same request may succeed later."""
        self.retry_after = retry_after
        """Seconds that the service asks to wait before the next request."""
        self.without_tools = without_tools
        """Whether the request may succeed without tools."""


@dataclass(frozen=True, slots=True)
class ModelTimeouts:
    seconds: float = 25.0
    """The time limit of the whole answer: all attempts, the waits between them, and searches."""
    tries: int = 3
    first_wait: float = 0.25
    chance: Chance = random.random

    def wait(self, attempts: int, failure: RetryableFailure, remaining: float) -> float | None:
        """Seconds until the next attempt, after so many; None if there should be none."""
        if not failure.may_retry or attempts >= self.tries:
            return None
        wait = max(failure.retry_after, backoff(attempts, self.first_wait, chance=self.chance))
        return wait if wait < remaining else None


# Loads the agents SDK, which takes seconds.
_SDK_MODULE = "glossator.adapters.writers.sdk.draft"


def warm_up() -> threading.Thread:
    """Loads the agents SDK in the background, so that the first question does not wait for it."""
    thread = threading.Thread(target=_load, name="warm-up", daemon=True)
    thread.start()
    return thread


async def ready() -> None:
    """Returns when the agents SDK is loaded; the event loop serves other questions meanwhile."""
    if _SDK_MODULE not in sys.modules:
        await asyncio.to_thread(_load)


def _load() -> None:
    # Without a handler the SDK logs to stderr what we raise as errors anyway.
    logging.getLogger("openai.agents").addHandler(logging.NullHandler())
    import_module(_SDK_MODULE)
