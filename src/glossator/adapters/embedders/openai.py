"""Embeds through any service with OpenAI's embeddings API: OpenAI itself, Ollama, vLLM, TEI, LM Studio…"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import httpx2

from glossator.adapters.embedders.embeddings_api import (
    Backoff,
    EmbeddingsApi,
    EmbeddingService,
    Vectors,
    connect,
)
from glossator.adapters.embedders.families import Prefixes, family_of, fingerprint, replace_lone_surrogates
from glossator.errors import EmbedderError
from glossator.model import EmbedderIdentity, Embedding, Span

DEFAULT_MODEL = "text-embedding-3-small"

# The smallest limit of the common servers (TEI), and a third of the largest request that OpenAI accepts.
_TEXTS_PER_CALL = 32
_TOKENS_PER_CALL = 100_000

_DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}


class OpenAIEmbedder:
    """Opened with `OpenAIEmbedder.open`; may be shared between threads."""

    def __init__(self, api: EmbeddingsApi, dimension: int, prefixes: Prefixes, backoff: Backoff) -> None:
        self._api = api
        self._prefixes = prefixes
        self._backoff = backoff
        self._identity = _identity(api.service.model, dimension, prefixes)

    @classmethod
    def open(
        cls,
        service: EmbeddingService,
        *,
        query_prefix: str | None = None,
        passage_prefix: str | None = None,
        backoff: Backoff | None = None,
        transport: httpx2.BaseTransport | None = None,
    ) -> OpenAIEmbedder:
        """Calls the service once if the dimension of the model's vectors is not known."""
        backoff = backoff or Backoff()
        api = EmbeddingsApi(service, connect(service, transport))
        dimension = service.dimensions or _DIMENSIONS.get(service.model) or _request_dimension(api, backoff)
        prefixes = family_of(service.model).prefixes.replaced(query_prefix, passage_prefix)
        return cls(api, dimension, prefixes, backoff)

    @property
    def identity(self) -> EmbedderIdentity:
        return self._identity

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """An estimate, rather too high than too low, because the services' tokenizers are not available."""
        return [len(approximate_tokens(text)) for text in texts]

    def embed_passages(
        self,
        texts: Sequence[str],
        *,
        states: bool = False,
    ) -> list[Embedding]:
        prepared = [self._prepare(self._prefixes.passage, text) for text in texts]
        return [embedding for batch in _batches(prepared) for embedding in self._embed(batch)]

    def embed_query(self, text: str, *, states: bool = False) -> Embedding:
        return self._embed([self._prepare(self._prefixes.query, text)])[0]

    def close(self) -> None:
        self._api.http.close()

    def _prepare(self, prefix: str, text: str) -> str:
        """Avoids empty and too long texts, which the services refuse instead of truncating."""
        tokens = approximate_tokens(text)
        if not tokens:
            return prefix + "."
        last = min(len(tokens), self._identity.window) - 1
        return prefix + replace_lone_surrogates(text[: tokens[last].end])

    def _embed(self, texts: Sequence[str]) -> list[Embedding]:
        vectors = self._backoff.run(lambda: self._api.embed(texts))
        self._check(vectors)
        return [Embedding(vector) for vector in vectors]

    def _check(self, vectors: Vectors) -> None:
        dimension = vectors.shape[1]
        if dimension != self._identity.dimension:
            expected = f"{self._identity.name} has {self._identity.dimension}"
            raise EmbedderError(f"{self._api.service} sent vectors of {dimension} numbers, but {expected}.")


def _identity(model: str, dimension: int, prefixes: Prefixes) -> EmbedderIdentity:
    # Without the address, because the same model may have another address on another machine.
    digest = fingerprint("openai", model, dimension, prefixes.query, prefixes.passage)
    return EmbedderIdentity(model, dimension, family_of(model).window, digest)


def _request_dimension(api: EmbeddingsApi, backoff: Backoff) -> int:
    return backoff.run(lambda: api.embed(["dimension"])).shape[1]


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    tokens = 0
    for text in texts:
        size = len(approximate_tokens(text))
        if batch and (len(batch) == _TEXTS_PER_CALL or tokens + size > _TOKENS_PER_CALL):
            yield batch
            batch, tokens = [], 0
        batch.append(text)
        tokens += size
    if batch:
        yield batch


_TOKEN = re.compile(r"[A-Za-z]{1,4}|[0-9]{1,3}|[^\sA-Za-z0-9]")


def approximate_tokens(text: str) -> list[Span]:
    """Rather too many than too few: commercial tokenizers make about one token of four English letters,
    and one of every letter of another script.
    """
    return [Span._make(match.span()) for match in _TOKEN.finditer(text)]
