"""What the core needs from outside, as small protocols."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, runtime_checkable

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
)


class Embedder(Protocol):
    """Turns text into vectors of one length that can be compared by cosine."""

    @property
    def identity(self) -> EmbedderIdentity: ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """How many word pieces each text has, without the model's own marks."""
        ...

    def embed_passages(self, texts: Sequence[str], *, states: bool = False) -> list[Embedding]:
        """In the order given; texts are batched by length inside."""
        ...

    def embed_query(self, text: str, *, states: bool = False) -> Embedding: ...


class Index(Protocol):
    """The current generation of the book, followed when it changes."""

    def manifest(self) -> Manifest:
        """Raises NoBookYet when nothing was ever ingested."""
        ...

    def search(self, query: IndexQuery) -> list[FoundPassage]:
        """Dense and sparse together, fused, best first; ties by chunk id and passage number."""
        ...

    def chunk(self, chunk_id: str) -> Chunk | None: ...

    def chunks(self) -> Iterator[Chunk]:
        """Every chunk once, in no particular order."""
        ...

    def close(self) -> None: ...


class Generation(Protocol):
    """A generation being built beside the one that serves."""

    @property
    def number(self) -> int: ...

    def add(self, passages: Sequence[Passage], embeddings: Sequence[Embedding]) -> None: ...

    def publish(self, manifest: Manifest) -> None:
        """Check that everything arrived, then make it current in one step."""
        ...


class Shelf(Protocol):
    """Where generations are kept."""

    @property
    def recipe(self) -> str:
        """What else decides how a passage is stored, such as the language of its words."""
        ...

    def current(self) -> Manifest | None: ...

    def is_whole(self) -> bool:
        """Whether the current generation can be read to its end."""
        ...

    def build(self, identity: EmbedderIdentity) -> AbstractContextManager[Generation]:
        """A new generation; what was not published is removed on the way out."""
        ...


class Cache(Protocol):
    """What was worked out before, by content, so that it never has to be again."""

    def get(self, keys: Sequence[str]) -> Mapping[str, bytes]: ...

    def put(self, values: Mapping[str, bytes]) -> None:
        """Durable when it returns."""
        ...

    def keep_only(self, keys: Sequence[str]) -> None: ...


class Progress(Protocol):
    """Told how far a long job is."""

    def start(self, what: str, total: int) -> None: ...

    def advance(self, done: int) -> None: ...

    def finish(self) -> None: ...


class Writer(Protocol):
    """Composes an answer from evidence."""

    @property
    def name(self) -> str:
        """Which kind of writer, such as `extractive`."""
        ...

    @property
    def model(self) -> str: ...

    def write(self, brief: Brief) -> AsyncIterator[str]:
        """Markdown, piece by piece as it comes, with `[n]` behind what rests on evidence number n."""
        ...


@runtime_checkable
class Signed(Protocol):
    """What `write` may return where who writes is known only then; right once the first piece came."""

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> str: ...


@runtime_checkable
class Closable(Protocol):
    async def aclose(self) -> None: ...


class Rewriter(Protocol):
    """Makes a question that leans on the conversation stand alone."""

    async def rewrite(self, question: str, history: Sequence[Exchange]) -> str: ...
