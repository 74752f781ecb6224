"""Caches the results of the expensive steps for questions that repeat: in memory, bounded, for each worker.

What is cached is what was found, not what was written: retrieval with the reader's judgement, which is nearly
all that an answer costs, and answers that are read off the table of contents. A language model writes its
answer anew each time, because it need not write the same twice and may see the conversation.

Nothing of a reader stays in memory: a key is a digest, and results that repeat words of the question are not
stored. An entry is pickled, so that its size is known exactly.
"""

from __future__ import annotations

import asyncio
import pickle
import unicodedata
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, Generic, NamedTuple, TypeVar

from glossator.answer.evidence import RetrievalResult
from glossator.model import Answer, BookIndex, Lexicon, Manifest, Outcome, Question

Result = TypeVar("Result")

_ENTRY_BYTES = 512
"""The approximate size of an entry's key and of its place in the dictionary."""


@dataclass(frozen=True, slots=True)
class CacheKey:
    book: str
    """The name of the book; the titles of two books may be the same."""
    generation: str
    digest: bytes
    """A digest of all else that the result depends on. The server's settings never change while it runs."""


def key_of(book: str, manifest: Manifest, step: str, question: Question, language: str = "") -> CacheKey:
    """`language` is that of the fixed sentences, if the result has any."""
    # A number alone may come back with other pages: after a rollback, or when a book is removed and remade.
    generation = f"{manifest.generation} {manifest.content_hash} {manifest.created_at}"
    parts = (
        step,
        normalized(question.text),
        question.filters,
        question.through_chapter,
        question.top_k,
        question.threshold,
        language,
    )
    return CacheKey(book, generation, blake2b(repr(parts).encode(), digest_size=32).digest())


_LONGEST_WORD = 256
"""A longer word stays as it is: putting accents in order takes time in proportion to its length squared."""


def normalized(text: str) -> str:
    """The text in NFC with single blanks. Letter case stays: not every embedder ignores it."""
    return " ".join(
        unicodedata.normalize("NFC", word) if len(word) <= _LONGEST_WORD else word for word in text.split()
    )


class Lookup(NamedTuple, Generic[Result]):
    result: Result
    is_cached: bool


@dataclass(frozen=True, slots=True)
class Codec(Generic[Result]):
    encode: Callable[[Result], bytes | None]
    """None for a result that must not be stored."""
    decode: Callable[[bytes], Result]


@dataclass(frozen=True, slots=True)
class _Entry:
    data: bytes
    windows: int

    @property
    def size(self) -> int:
        return len(self.data) + _ENTRY_BYTES


@dataclass(slots=True)
class _Computation:
    task: asyncio.Task[Any]
    windows: int
    waiting: int = 0


class ResultCache:
    """Used in the event loop of its worker only, so it needs no lock."""

    def __init__(self, most_entries: int = 1000, most_bytes: int = 32 * 2**20) -> None:
        self._most_entries, self._most_bytes = most_entries, most_bytes
        self._entries = OrderedDict[CacheKey, _Entry]()
        self._running = dict[CacheKey, _Computation]()
        self._generations = dict[str, str]()
        self.size = 0
        """In bytes."""
        self.hits = 0
        self.misses = 0

    def __len__(self) -> int:
        return len(self._entries)

    async def get(
        self,
        key: CacheKey,
        compute: Callable[[], Awaitable[Result]],
        codec: Codec[Result],
        *,
        windows: int = 0,
        may_store: bool,
    ) -> Lookup[Result]:
        """The result of `compute`, or an earlier one for which at least as many windows were read.

        Equal questions at the same time are computed once. Without `may_store` nothing in here changes, not
        even the order in which entries are removed.
        """
        self._follow(key)
        data = self._find(key, windows, may_store)
        running = self._running.get(key) if may_store else None
        if data is not None:
            self.hits += 1
            return Lookup(codec.decode(data), True)
        if running is not None and running.windows >= windows:
            self.hits += 1
            return Lookup(await self._join(key, running), True)
        self.misses += 1
        if not may_store:
            return Lookup(await compute(), False)
        task = asyncio.create_task(self._compute(key, compute, codec, windows))
        running = self._running[key] = _Computation(task, windows)
        return Lookup(await self._join(key, running), False)

    def drop_book(self, book: str) -> None:
        self._generations.pop(book, None)
        self._drop(lambda key: key.book == book)

    async def _compute(
        self, key: CacheKey, compute: Callable[[], Awaitable[Result]], codec: Codec[Result], windows: int
    ) -> Result:
        result = await compute()
        data = codec.encode(result)
        if data is not None and self._generations.get(key.book) == key.generation:
            self._store(key, _Entry(data, windows))
        return result

    async def _join(self, key: CacheKey, running: _Computation) -> Any:
        """The computation goes on until its last caller leaves, whoever began it."""
        running.waiting += 1
        try:
            return await asyncio.shield(running.task)
        finally:
            running.waiting -= 1
            if not running.waiting:
                if self._running.get(key) is running:
                    del self._running[key]
                running.task.cancel()

    def _find(self, key: CacheKey, windows: int, may_store: bool) -> bytes | None:
        entry = self._entries.get(key)
        if entry is None or entry.windows < windows:
            return None
        if may_store:
            self._entries.move_to_end(key)
        return entry.data

    def _follow(self, key: CacheKey) -> None:
        """Drops what was found in other generations of the book."""
        if self._generations.get(key.book) != key.generation:
            self._drop(lambda other: other.book == key.book and other.generation != key.generation)
            self._generations[key.book] = key.generation

    def _drop(self, is_outdated: Callable[[CacheKey], bool]) -> None:
        for key in list(filter(is_outdated, self._entries)):
            self._remove(key)

    def _store(self, key: CacheKey, entry: _Entry) -> None:
        self._remove(key)
        if entry.size > self._most_bytes:
            return
        self._entries[key] = entry
        self.size += entry.size
        while len(self._entries) > self._most_entries or self.size > self._most_bytes:
            self._remove(next(iter(self._entries)))

    def _remove(self, key: CacheKey) -> None:
        if entry := self._entries.pop(key, None):
            self.size -= entry.size


# How results are stored.

_NO_LEXICON = Lexicon("", 0, {})


def retrieval_codec(manifest: Manifest) -> Codec[RetrievalResult]:
    """Leaves out the lexicon: it is that of the whole book, and the manifest has it."""
    index = BookIndex(manifest.generation, manifest.book)

    def encode(result: RetrievalResult) -> bytes | None:
        # `not_found` quotes the question. Another index means that a new generation came meanwhile.
        if result.not_found or result.index != index:
            return None
        return pickle.dumps(replace(result, lexicon=_NO_LEXICON), pickle.HIGHEST_PROTOCOL)

    def decode(data: bytes) -> RetrievalResult:
        return replace(pickle.loads(data), lexicon=manifest.lexicon)  # noqa: S301  written by `encode`

    return Codec(encode, decode)


def outline_codec(manifest: Manifest) -> Codec[Answer | None]:
    """Stores only answers: a refusal quotes the question, and None means that there is nothing to reuse."""
    index = BookIndex(manifest.generation, manifest.book)

    def encode(answer: Answer | None) -> bytes | None:
        if answer is None or answer.outcome is not Outcome.ANSWERED or answer.index != index:
            return None
        return pickle.dumps(replace(answer, timings={}, trace=()), pickle.HIGHEST_PROTOCOL)

    return Codec(encode, pickle.loads)
