"""In-memory adapters of the ports for tests: an embedder, a reader, a cache, an index and a writer.

The library uses `SilentProgress` from here.

The ports of the records have theirs in `Database.in_memory`: SQLite itself, without a file.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import AsyncGenerator, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from glossator.errors import GenerationIncomplete, NoBookYet, NoEarlierGeneration
from glossator.model import (
    Brief,
    Chunk,
    EmbedderIdentity,
    Embedding,
    Exchange,
    FoundPassage,
    IndexQuery,
    Manifest,
    Passage,
    PassageEmbedding,
    Reading,
    Scores,
    Support,
    Vector,
    Window,
)

_WORD = re.compile(r"\w+|[^\w\s]")


class WordEmbedder:
    """Texts are similar when they share words, because every word has its own fixed direction."""

    def __init__(self, dimension: int = 64, window: int = 254) -> None:
        fingerprint = hashlib.sha256(f"words-{dimension}-{window}".encode()).hexdigest()
        self.identity = EmbedderIdentity("words", dimension, window, fingerprint)
        self.embedded = list[str]()
        """Every passage that was embedded, in order."""

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(_WORD.findall(text.lower())) for text in texts]

    def embed_passages(self, texts: Sequence[str], *, states: bool = False) -> list[Embedding]:
        self.embedded += texts
        return [self._embedding(text, states) for text in texts]

    def embed_query(self, text: str, *, states: bool = False) -> Embedding:
        return self._embedding(text, states)

    def _embedding(self, text: str, states: bool) -> Embedding:
        words = _WORD.findall(text.lower())[: self.identity.window]
        rows = np.stack([self._direction(word) for word in words or [""]])
        vector = _unit(rows.sum(axis=0))
        return Embedding(vector, rows[: len(words)], tuple(words)) if states else Embedding(vector)

    def _direction(self, word: str) -> Vector:
        seed = int.from_bytes(hashlib.sha256(word.encode(errors="surrogatepass")).digest()[:8])
        return _unit(np.random.default_rng(seed).normal(size=self.identity.dimension))


class WordReader:
    """A window answers a question by the words they share, and supports a claim whose words it contains."""

    def read(self, question: str, windows: Sequence[Window]) -> list[Reading]:
        question_words = _content_words(question)

        def logit(text: str) -> float:
            shared = len(question_words & _content_words(text)) / max(len(question_words), 1)
            return 10.0 * (shared - 0.45)

        return [
            Reading(
                logit(f"{window.heading} {' '.join(window.texts)}"),
                tuple(logit(f"{window.heading} {text}") for text in window.texts),
                tuple(logit(text) for text in window.texts),
            )
            for window in windows
        ]

    def check(self, claim: str, windows: Sequence[Window]) -> list[Support]:
        claim_words = _content_words(claim)
        shares = [
            len(claim_words & _content_words(f"{window.heading} {' '.join(window.texts)}"))
            / max(len(claim_words), 1)
            for window in windows
        ]
        return [Support(share**4, 0.0, 1.0 - share**4) for share in shares]


def _content_words(text: str) -> set[str]:
    """The first five letters of words of more than three letters."""
    return {word[:5] for word in _WORD.findall(text.lower()) if len(word) > 3}


def _unit(vector: np.ndarray) -> Vector:
    return (vector / (np.linalg.norm(vector) or 1.0)).astype(np.float32)


class QuotingWriter:
    """Writes down the evidence, piece by piece."""

    name = "quoting"
    model = "quoting"

    async def write(self, brief: Brief) -> AsyncGenerator[str]:
        for piece in brief.evidence:
            yield f"{piece.chunk.text} [{piece.number}]\n\n"


class JoiningRewriter:
    """Puts the last question before the new one."""

    async def rewrite(self, question: str, history: Sequence[Exchange]) -> str:
        return " ".join([*(exchange.question for exchange in history[-1:]), question])


class SilentProgress:
    """Shows nothing."""

    def start(self, what: str, total: int) -> None:
        return

    def advance(self, done: int) -> None:
        return

    def finish(self) -> None:
        return


@dataclass(slots=True)
class MemoryCache:
    values: dict[str, bytes] = field(default_factory=dict[str, bytes])

    def get(self, keys: Sequence[str]) -> Mapping[str, bytes]:
        return {key: self.values[key] for key in keys if key in self.values}

    def put(self, values: Mapping[str, bytes]) -> None:
        self.values |= values

    def keep_only(self, keys: Iterable[str]) -> None:
        wanted = set(keys)
        self.values = {key: value for key, value in self.values.items() if key in wanted}

    def is_empty(self) -> bool:
        return not self.values

    def remove(self, keys: Iterable[str]) -> None:
        for key in keys:
            self.values.pop(key, None)


@dataclass(slots=True)
class MemoryGeneration:
    number: int
    index_store: MemoryIndexStore
    base: Manifest | None = None
    pages: dict[str, list[tuple[Passage, PassageEmbedding]]] = field(
        default_factory=dict[str, list[tuple[Passage, PassageEmbedding]]]
    )
    manifest: Manifest | None = None

    @property
    def entries(self) -> Iterator[tuple[Passage, PassageEmbedding]]:
        return chain.from_iterable(self.pages.values())

    @property
    def passages(self) -> list[Passage]:
        return [passage for passage, _ in self.entries]

    def put(
        self, pages: Sequence[str], passages: Sequence[Passage], embeddings: Sequence[PassageEmbedding]
    ) -> None:
        for page in pages:
            self.pages.pop(page, None)
        for passage, embedding in zip(passages, embeddings, strict=True):
            self.pages.setdefault(passage.chunk.page, []).append((passage, embedding))

    def publish(self, manifest: Manifest) -> None:
        if len({passage.point_id for passage in self.passages}) != manifest.passages:
            raise GenerationIncomplete
        self.manifest = manifest
        self.index_store.before, self.index_store.serving = self.index_store.serving, self
        self.index_store.last = self.number


@dataclass(slots=True)
class MemoryIndexStore:
    serving: MemoryGeneration | None = None
    before: MemoryGeneration | None = None
    last: int = 0
    """The number of the newest generation."""

    def current(self) -> Manifest | None:
        return self.serving.manifest if self.serving else None

    def is_whole(self) -> bool:
        return self.serving is not None

    def roll_back(self) -> Manifest:
        if self.before is None or self.before.manifest is None:
            raise NoEarlierGeneration
        self.serving, self.before, manifest = self.before, None, self.before.manifest
        return manifest

    def remove(self) -> None:
        if self.serving is None:
            raise NoBookYet
        self.serving = self.before = None

    @contextmanager
    def build(self, identity: EmbedderIdentity, language: str) -> Generator[MemoryGeneration]:
        base, generation = self.current(), MemoryGeneration(self.last + 1, self)
        if self.serving and base and (base.embedder, base.lexicon.language) == (identity, language):
            generation.base, generation.pages = base, dict(self.serving.pages)
        yield generation


class MemoryIndex:
    """Searches the current generation of a MemoryIndexStore."""

    def __init__(self, index_store: MemoryIndexStore) -> None:
        self._index_store = index_store

    def manifest(self) -> Manifest:
        manifest = self._index_store.current()
        if manifest is None:
            raise NoBookYet
        return manifest

    def search(self, query: IndexQuery) -> list[FoundPassage]:
        generation = self._generation()
        weights = _rarities(generation.passages)
        hits = [
            FoundPassage(
                passage,
                _scores(query, passage, embedding.vector, weights),
                embedding.states.unpacked() if query.states and embedding.states else None,
            )
            for passage, embedding in generation.entries
            if _matches(passage, query)
        ]
        best_first = sorted(
            hits, key=lambda hit: (-hit.scores.fused, hit.passage.chunk.chunk_id, hit.passage.number)
        )
        return best_first[: query.limit]

    def chunk(self, chunk_id: str) -> Chunk | None:
        return next((chunk for chunk in self.chunks() if chunk.chunk_id == chunk_id), None)

    def chunks(self) -> Iterator[Chunk]:
        chunks = {passage.chunk.chunk_id: passage.chunk for passage in self._generation().passages}
        return iter(sorted(chunks.values(), key=lambda chunk: (chunk.page, chunk.index)))

    def close(self) -> None:
        return

    def _generation(self) -> MemoryGeneration:
        if self._index_store.serving is None:
            raise NoBookYet
        return self._index_store.serving


def _matches(passage: Passage, query: IndexQuery) -> bool:
    chunk = passage.chunk
    values = {
        "chapter": chunk.chapter,
        "section": passage.section.title,
        "page": chunk.page,
        "page_title": chunk.page_title,
        "url": passage.url,
    }
    return all(values[name] in allowed for name, allowed in query.filters.items())


def _rarities(passages: Sequence[Passage]) -> dict[str, float]:
    counts = Counter(word for passage in passages for word in set(_WORD.findall(passage.reading.lower())))
    return {word: math.log(1 + len(passages) / count) for word, count in counts.items()}


def _scores(query: IndexQuery, passage: Passage, vector: Vector, weights: Mapping[str, float]) -> Scores:
    dense = float(query.vector @ vector)
    shared = set(_WORD.findall(query.text.lower())) & set(_WORD.findall(passage.reading.lower()))
    sparse = sum(weights[word] for word in shared)
    return Scores(dense, sparse or None, dense + sparse)
