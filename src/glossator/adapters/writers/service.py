"""Where a language model is, and how it is asked."""

from __future__ import annotations

import asyncio
import logging
import random
import re
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module
from urllib.parse import SplitResult, urlsplit

from glossator.errors import SettingsError, WriterError


class Api(StrEnum):
    CHAT = "chat"
    """Chat Completions, which everybody serves."""
    RESPONSES = "responses"


@dataclass(frozen=True, slots=True)
class ModelService:
    """OpenAI itself, Gemini, Groq, OpenRouter, Ollama, vLLM, LM Studio…"""

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
        # Such a key could not be sent, and the complaint would show it.
        if not re.fullmatch("[!-~]*", self.api_key or ""):
            raise SettingsError("The key of the language model has a character that no key has.")

    def __str__(self) -> str:
        """Only the host, because the rest of an address can hold a password."""
        return f"The language model at {_split(self.base_url).hostname}"

    @property
    def is_openai(self) -> bool:
        return _split(self.base_url).hostname == "api.openai.com"

    def hide_key(self, said: str) -> str:
        """Some services repeat the caller's own key when they refuse it."""
        return said.replace(self.api_key, "…") if self.api_key else said


def _split(base_url: str) -> SplitResult:
    try:
        address = urlsplit(base_url)
        _ = address.port
    except ValueError:
        raise SettingsError("The address of the language model is not a URL.") from None
    return address


# How long a language model may take, and how often it is asked.


class RetryableFailure(Exception):
    """A try that failed: the error to raise unless another one helps."""

    def __init__(
        self, error: WriterError, *, again: bool = True, after: float = 0.0, tools: bool = False
    ) -> None:
        super().__init__(str(error))
        self.error = error
        self.again = again
        """Whether the same request may yet succeed."""
        self.after = after
        """How many seconds the service wants to be left alone."""
        self.tools = tools
        """Whether it may succeed without tools."""


@dataclass(frozen=True, slots=True)
class ModelTimeouts:
    seconds: float = 25.0
    """In all: every try, every wait and every search between them."""
    tries: int = 3
    first_wait: float = 0.25
    chance: Callable[[], float] = random.random

    def wait(self, tried: int, stumble: RetryableFailure, left: float) -> float | None:
        """Seconds until the next try, after so many; None when there is no point in one."""
        if not stumble.again or tried >= self.tries:
            return None
        # Many askers that failed together must not all come back together.
        jitter = 0.5 + self.chance() / 2
        wait = max(stumble.after, self.first_wait * 2 ** (tried - 1) * jitter)
        return wait if wait < left else None


# Loading the agents SDK, which takes seconds, before the first question waits for it.

_HEAVY = "glossator.adapters.writers.sdk.draft"


def warm_up() -> threading.Thread:
    """Load it beside whatever else is being opened."""
    thread = threading.Thread(target=_load, name="warm-up", daemon=True)
    thread.start()
    return thread


async def ready() -> None:
    """Loaded when it returns; meanwhile the loop goes on with other questions."""
    if _HEAVY not in sys.modules:
        await asyncio.to_thread(_load)


def _load() -> None:
    # Without a handler of its own the SDK's complaints, which are our errors too, land on stderr.
    logging.getLogger("openai.agents").addHandler(logging.NullHandler())
    import_module(_HEAVY)
