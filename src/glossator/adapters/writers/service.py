"""Where a language model is, and how it is asked."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import SplitResult, urlsplit

from glossator.errors import SettingsError


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
