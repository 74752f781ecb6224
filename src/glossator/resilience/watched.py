"""The ports behind a circuit breaker, and blocking network calls behind a deadline.

While a breaker is open, calls fail at once with the same error as a real failure.
"""

from __future__ import annotations

import random
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import Future
from contextvars import copy_context
from dataclasses import dataclass, field
from itertools import count
from threading import Lock, Thread
from typing import Any, TypeVar, cast

from glossator.errors import GlossatorError
from glossator.model import (
    Brief,
    Chunk,
    EmbedderIdentity,
    Embedding,
    Exchange,
    FoundPassage,
    IndexQuery,
    Manifest,
)
from glossator.ports import Closable, Embedder, Index, Loadable, Rewriter, Signed, Writer
from glossator.resilience.backoff import Chance, backoff
from glossator.resilience.circuit_breaker import Breaker

Result = TypeVar("Result")

_DEADLINE_SHARE = 0.9
"""Part of the caller's time limit, so that the caller gets this error before its own timeout."""


@dataclass(slots=True)
class RemoteCalls:
    """Calls with a deadline. A client's timeout is per read, so a slow server could hold a call for ever.

    A call that misses the deadline is abandoned in a daemon thread, which does not keep the process alive.
    """

    unavailable: type[GlossatorError]
    """The error that is retried, and that is raised for an abandoned call."""
    seconds: float
    """The caller's time limit, for all tries and the waits between them."""
    tries: int = 1
    first_wait: float = 0.1
    most_left_behind: int = 32
    chance: Chance = random.random
    _left_behind: int = field(default=0, init=False)
    _lock: Lock = field(default_factory=Lock, init=False)

    def call(self, work: Callable[[], Result]) -> Result:
        """Use only for idempotent work, since it may run twice."""
        deadline = time.monotonic() + self.seconds * _DEADLINE_SHARE
        for attempt in count(1):
            try:
                return self._run_until(deadline, work)
            except self.unavailable:
                wait = backoff(attempt, self.first_wait, chance=self.chance)
                if attempt >= self.tries or time.monotonic() + wait >= deadline:
                    raise
            time.sleep(wait)
        raise AssertionError("the last try returns or raises")

    def _run_until(self, deadline: float, work: Callable[[], Result]) -> Result:
        if self._left_behind >= self.most_left_behind:
            raise self.unavailable
        future = Future[Result]()
        Thread(target=copy_context().run, args=(_run_into, future, work), daemon=True).start()
        try:
            return future.result(max(deadline - time.monotonic(), 0.0))
        except TimeoutError as timeout:
            if future.done():
                return future.result()
            self._abandon(future)
            raise self.unavailable from timeout

    def _abandon(self, future: Future[Result]) -> None:
        self._add(1)
        future.add_done_callback(lambda ended: self._add(-1))

    def _add(self, calls: int) -> None:
        with self._lock:
            self._left_behind += calls


def _run_into(future: Future[Result], work: Callable[[], Result]) -> None:
    try:
        future.set_result(work())
    except BaseException as failure:  # noqa: BLE001  raised where the result is awaited
        future.set_exception(failure)


Port = TypeVar("Port")


class WatchedIndex:
    """Pass `remote` where the index is on a server."""

    def __init__(self, index: Index, breaker: Breaker, remote: RemoteCalls | None = None) -> None:
        self._index = index
        self._breaker = breaker
        self._remote = remote

    def manifest(self) -> Manifest:
        # Mostly served from a cache, so success does not prove that a search would work.
        return self._call(self._index.manifest, proves=False)

    def search(self, query: IndexQuery) -> list[FoundPassage]:
        return self._call(lambda: self._index.search(query))

    def chunk(self, chunk_id: str) -> Chunk | None:
        return self._call(lambda: self._index.chunk(chunk_id))

    def chunks(self) -> Iterator[Chunk]:
        """Not tried again, because whoever reads them has made use of the first ones already."""
        with self._breaker.watch():
            yield from self._index.chunks()

    def close(self) -> None:
        self._index.close()

    def _call(self, work: Callable[[], Result], *, proves: bool = True) -> Result:
        with self._breaker.watch(proves=proves):
            return self._remote.call(work) if self._remote else work()


class WatchedEmbedder:
    """Pass `remote` where the embedder is a service."""

    def __init__(self, embedder: Embedder, breaker: Breaker, remote: RemoteCalls | None = None) -> None:
        self._embedder = embedder
        self._breaker = breaker
        self._remote = remote

    @property
    def identity(self) -> EmbedderIdentity:
        return self._embedder.identity

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._embedder.count_tokens(texts)

    def load(self) -> None:
        if isinstance(self._embedder, Loadable):
            self._embedder.load()

    def embed_passages(self, texts: Sequence[str], *, states: bool = False) -> list[Embedding]:
        return self._call(lambda: self._embedder.embed_passages(texts, states=states))

    def embed_query(self, text: str, *, states: bool = False) -> Embedding:
        return self._call(lambda: self._embedder.embed_query(text, states=states))

    def _call(self, work: Callable[[], Result]) -> Result:
        with self._breaker.watch():
            return self._remote.call(work) if self._remote else work()


class WatchedWriter:
    """Wraps the language model itself, so that a fallback writer takes over while the breaker is open."""

    def __init__(self, writer: Writer, breaker: Breaker) -> None:
        self._writer = writer
        self._breaker = breaker

    @property
    def name(self) -> str:
        return self._writer.name

    @property
    def model(self) -> str:
        return self._writer.model

    def write(self, brief: Brief) -> WatchedPieces:
        return WatchedPieces(self._writer, brief, self._breaker)


class WatchedPieces(AsyncIterator[str]):
    """Named after the writer of the pieces; the breaker applies when the first piece is requested."""

    def __init__(self, writer: Writer, brief: Brief, breaker: Breaker) -> None:
        self._writer = writer
        self._pieces = writer.write(brief)
        self._watched = _watched(self._pieces, breaker)

    @property
    def name(self) -> str:
        return self._signature.name

    @property
    def model(self) -> str:
        return self._signature.model

    async def __anext__(self) -> str:
        return await anext(self._watched)

    async def aclose(self) -> None:
        await self._watched.aclose()
        if isinstance(self._pieces, Closable):
            await self._pieces.aclose()

    @property
    def _signature(self) -> Signed:
        return self._pieces if isinstance(self._pieces, Signed) else self._writer


async def _watched(pieces: AsyncIterator[str], breaker: Breaker) -> AsyncGenerator[str]:
    with breaker.watch():
        async for piece in pieces:
            yield piece


class WatchedRewriter:
    """Shares the writer's breaker, since it calls the same model."""

    def __init__(self, rewriter: Rewriter, breaker: Breaker) -> None:
        self._rewriter = rewriter
        self._breaker = breaker

    async def rewrite(self, question: str, history: Sequence[Exchange]) -> str:
        with self._breaker.watch():
            return await self._rewriter.rewrite(question, history)


def watched_records(port: Port, breaker: Breaker) -> Port:
    """Wraps any port to the records: each method is one exchange with the same database."""
    return cast("Port", _WatchedRecords(port, breaker))


class _WatchedRecords:
    def __init__(self, port: object, breaker: Breaker) -> None:
        self._port = port
        self._breaker = breaker

    def __getattr__(self, name: str) -> Callable[..., Coroutine[Any, Any, Any]]:
        method = getattr(self._port, name)

        async def call(*arguments: object, **named: object) -> Any:
            with self._breaker.watch():
                return await method(*arguments, **named)

        return call
