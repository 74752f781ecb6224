"""A client of the `/embeddings` call that OpenAI defined and many services offer, with retries."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

import httpx2
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, FiniteFloat, TypeAdapter, ValidationError

from glossator.errors import EmbedderError, EmbedderUnavailable, SettingsError
from glossator.resilience.backoff import Chance, backoff

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EmbeddingService:
    """The address of the service, and what to request."""

    model: str
    base_url: str = "https://api.openai.com/v1"
    api_key: str | None = field(default=None, repr=False)
    dimensions: int | None = None
    """Requests shorter vectors than the model's own, if the model supports it."""
    timeout: float = 60.0

    def __str__(self) -> str:
        """Shows only the host, because the rest of an address can hold a password."""
        return f"The embedding service at {httpx2.URL(self.base_url).host}"


def connect(service: EmbeddingService, transport: httpx2.BaseTransport | None = None) -> httpx2.Client:
    _check_address(service.base_url)
    headers = {"Authorization": f"Bearer {service.api_key}"} if service.api_key else {}
    # httpx2 could not send such a key, and would show it in its error message.
    if not re.fullmatch("[!-~]*", service.api_key or ""):
        raise SettingsError("The key of the embedding service has an invalid character.")
    return httpx2.Client(
        base_url=service.base_url, headers=headers, timeout=service.timeout, transport=transport
    )


def _check_address(base_url: str) -> None:
    try:
        url = httpx2.URL(base_url)
    except httpx2.InvalidURL as problem:
        raise SettingsError("The address of the embedding service is not a URL.") from problem
    if url.scheme not in ("http", "https") or not url.host:
        raise SettingsError("The address of the embedding service must begin with http:// or https://.")


class _Item(BaseModel):
    index: int
    embedding: list[FiniteFloat]


class _Reply(BaseModel):
    data: list[_Item]


class _Fault(BaseModel):
    message: str


class _Refusal(BaseModel):
    error: _Fault


_REPLY = TypeAdapter(_Reply)
_REFUSAL = TypeAdapter(_Refusal)


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class EmbeddingsApi:
    service: EmbeddingService
    http: httpx2.Client
    now: Callable[[], datetime] = _utc_now

    def embed(self, texts: Sequence[str]) -> Vectors:
        """A vector of length one for each text; raises TryAgain when a repeated call may succeed."""
        body: dict[str, object] = {"model": self.service.model, "input": texts, "encoding_format": "float"}
        if self.service.dimensions is not None:
            body["dimensions"] = self.service.dimensions
        with self._http_errors():
            response = self.http.post("embeddings", json=body)
        if response.status_code != 200:
            raise self._refusal(response)
        return self._normalize(self._read(response.content, len(texts)))

    @contextmanager
    def _http_errors(self) -> Generator[None]:
        try:
            yield
        except httpx2.TimeoutException as problem:
            raise TryAgain(f"{self.service} is too slow.") from problem
        except httpx2.RequestError as problem:
            raise TryAgain(f"{self.service} cannot be reached.") from problem

    def _refusal(self, response: httpx2.Response) -> EmbedderError | SettingsError:
        status = response.status_code
        if status in (401, 403):
            return SettingsError(f"{self.service} refused the key ({status}).")
        answer = f"{self.service} answered {status}{self._reason(response)}"
        if status == 404:
            return SettingsError(f"{answer} Check its address and the model `{self.service.model}`.")
        if status == 429 or status >= 500:
            return TryAgain(answer, after=self._retry_after(response))
        return EmbedderError(answer)

    def _reason(self, response: httpx2.Response) -> str:
        """The message of the service, without our API key: some services repeat it."""
        try:
            message = _REFUSAL.validate_json(response.content).error.message
        except ValidationError:
            return "."
        key = self.service.api_key
        return f": {message.replace(key, '…') if key else message}"[:300]

    def _retry_after(self, response: httpx2.Response) -> float:
        """The seconds to wait; the header may hold seconds or a date."""
        value = response.headers.get("Retry-After", "")
        if re.fullmatch("[0-9]+", value):
            return float(value)
        try:
            return max(0.0, (parsedate_to_datetime(value) - self.now()).total_seconds())
        except (ValueError, TypeError):
            return 0.0

    def _read(self, content: bytes, expected: int) -> Vectors:
        try:
            items = sorted(_REPLY.validate_json(content).data, key=lambda item: item.index)
        except ValidationError as problem:
            raise EmbedderUnavailable(f"{self.service} sent something that is not embeddings.") from problem
        if [item.index for item in items] != list(range(expected)):
            raise EmbedderError(f"{self.service} did not send one vector for each text.")
        if len({len(item.embedding) for item in items}) != 1:
            raise EmbedderError(f"{self.service} sent vectors of several lengths.")
        return np.array([item.embedding for item in items], np.float32)

    def _normalize(self, vectors: Vectors) -> Vectors:
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.all(np.isfinite(lengths) & (lengths > 0)):
            raise EmbedderError(f"{self.service} sent a vector without a direction.")
        return vectors / lengths


T = TypeVar("T")


class TryAgain(EmbedderUnavailable):
    """The call failed, but may succeed later."""

    def __init__(self, message: str, after: float = 0.0) -> None:
        super().__init__(message)
        self.after = after
        """Seconds that the service asks callers to wait."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """Retries with exponential backoff and jitter."""

    attempts: int = 5
    first_wait: float = 0.5
    longest_wait: float = 30.0
    sleep: Callable[[float], None] = time.sleep
    chance: Chance = random.random

    def run(self, attempt: Callable[[], T]) -> T:
        """Raises TryAgain after the last attempt, or when the service asks for too long a wait."""
        for failures in range(1, self.attempts):
            try:
                return attempt()
            except TryAgain as refusal:
                if refusal.after > self.longest_wait:
                    raise
                self.sleep(max(refusal.after, self._wait(failures)))
        return attempt()

    def _wait(self, failures: int) -> float:
        return backoff(failures, self.first_wait, longest_wait=self.longest_wait, chance=self.chance)
