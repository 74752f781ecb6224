"""Any service that speaks OpenAI's embeddings API: OpenAI itself, Ollama, vLLM, TEI, LM Studio…"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import httpx

from glossator.adapters.embedders.embeddings_api import (
    Backoff,
    EmbeddingsApi,
    EmbeddingService,
    Vectors,
    connect,
)
from glossator.adapters.embedders.families import Prefixes, family_of, fingerprint, whole_characters
from glossator.errors import EmbedderError
from glossator.model import EmbedderIdentity, Embedding, Span

DEFAULT_MODEL = "text-embedding-3-small"

# The smallest limit of the common servers (TEI), and a third of the largest request OpenAI takes.
_TEXTS_A_CALL = 32
_TOKENS_A_CALL = 100_000

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
        transport: httpx.BaseTransport | None = None,
    ) -> OpenAIEmbedder:
        """Calls the service once when the length of the model's vectors is not known."""
        backoff = backoff or Backoff()
        api = EmbeddingsApi(service, connect(service, transport))
        dimension = service.dimensions or _DIMENSIONS.get(service.model) or _ask_dimension(api, backoff)
        prefixes = family_of(service.model).prefixes.replaced(query_prefix, passage_prefix)
        return cls(api, dimension, prefixes, backoff)

    @property
    def identity(self) -> EmbedderIdentity:
        return self._identity

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Rather too many than too few, because the services keep their tokenizers to themselves."""
        return [len(word_parts(text)) for text in texts]

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
        """The services refuse a text that is empty or too long instead of reading what they can."""
        parts = word_parts(text)
        if not parts:
            return prefix + "."
        last = min(len(parts), self._identity.window) - 1
        return prefix + whole_characters(text[: parts[last].end])

    def _embed(self, texts: Sequence[str]) -> list[Embedding]:
        vectors = self._backoff.run(lambda: self._api.embed(texts))
        self._check(vectors)
        return [Embedding(vector) for vector in vectors]

    def _check(self, vectors: Vectors) -> None:
        found = vectors.shape[1]
        if found != self._identity.dimension:
            expected = f"{self._identity.name} has {self._identity.dimension}"
            raise EmbedderError(f"{self._api.service} sent vectors of {found} numbers, but {expected}.")


def _identity(model: str, dimension: int, prefixes: Prefixes) -> EmbedderIdentity:
    # The address does not count: the same model may be called differently from another machine.
    mark = fingerprint("openai", model, dimension, prefixes.query, prefixes.passage)
    return EmbedderIdentity(model, dimension, family_of(model).window, mark)


def _ask_dimension(api: EmbeddingsApi, backoff: Backoff) -> int:
    return backoff.run(lambda: api.embed(["dimension"])).shape[1]


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    tokens = 0
    for text in texts:
        size = len(word_parts(text))
        if batch and (len(batch) == _TEXTS_A_CALL or tokens + size > _TOKENS_A_CALL):
            yield batch
            batch, tokens = [], 0
        batch.append(text)
        tokens += size
    if batch:
        yield batch


# Where the tokens of a text may stand when the model's own tokenizer is out of reach.
#
# Made for sizes only. Commercial tokenizers make about a token of four English letters and of every
# letter of another script, so these parts are rather too many than too few.

_PART = re.compile(r"[A-Za-z]{1,4}|[0-9]{1,3}|[^\sA-Za-z0-9]")


def word_parts(text: str) -> list[Span]:
    return [Span._make(match.span()) for match in _PART.finditer(text)]
