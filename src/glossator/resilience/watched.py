"""Calls that block their thread and go over a network: each has an end, whatever the other side does."""

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
from glossator.resilience.circuit_breaker import Breaker

Result = TypeVar("Result")

_SHARE = 0.9
"""Of the time there is: whoever waits should hear what it was that failed before they give up themselves."""


@dataclass(slots=True)
class RemoteCalls:
    """A time limit of a network client is for each read, so one byte now and then keeps a call for ever.

    Such a call is left behind in a thread of its own, which does not keep the process from ending.
    """

    unavailable: type[GlossatorError]
    """What a failure worth another try is called, and a call that was left behind."""
    seconds: float
    """That whoever calls would wait, for every try and the wait between them."""
    tries: int = 1
    first_wait: float = 0.1
    most_left_behind: int = 32
    chance: Callable[[], float] = random.random
    _left_behind: int = field(default=0, init=False)
    _lock: Lock = field(default_factory=Lock, init=False)

    def call(self, work: Callable[[], Result]) -> Result:
        """Only for what may be asked twice."""
        ends = time.monotonic() + self.seconds * _SHARE
        for tried in count(1):
            try:
                return self._until(ends, work)
            except self.unavailable:
                # Many askers that failed together must not all come back together.
                wait = self.first_wait * (0.5 + self.chance() / 2)
                if tried >= self.tries or time.monotonic() + wait >= ends:
                    raise
            time.sleep(wait)
        raise AssertionError("the last try returns or raises")

    def _until(self, ends: float, work: Callable[[], Result]) -> Result:
        if self._left_behind >= self.most_left_behind:
            raise self.unavailable
        future = Future[Result]()
        Thread(target=copy_context().run, args=(_fulfil, future, work), daemon=True).start()
        try:
            return future.result(max(ends - time.monotonic(), 0.0))
        except TimeoutError as late:
            if future.done():
                return future.result()
            self._leave_behind(future)
            raise self.unavailable from late

    def _leave_behind(self, future: Future[Result]) -> None:
        self._add(1)
        future.add_done_callback(lambda ended: self._add(-1))

    def _add(self, calls: int) -> None:
        with self._lock:
            self._left_behind += calls


def _fulfil(future: Future[Result], work: Callable[[], Result]) -> None:
    try:
        future.set_result(work())
    except BaseException as failure:  # noqa: BLE001  it is raised where the result is waited for
        future.set_exception(failure)


# The ports with a breaker in front: what is known not to work fails at once, in the same words.

Port = TypeVar("Port")


class WatchedIndex:
    """With a `remote` where the index is on a server."""

    def __init__(self, index: Index, breaker: Breaker, remote: RemoteCalls | None = None) -> None:
        self._index = index
        self._breaker = breaker
        self._remote = remote

    def manifest(self) -> Manifest:
        # Most of the time from memory: that it is there does not say that a search would be answered.
        return self._ask(self._index.manifest, proves=False)

    def search(self, query: IndexQuery) -> list[FoundPassage]:
        return self._ask(lambda: self._index.search(query))

    def chunk(self, chunk_id: str) -> Chunk | None:
        return self._ask(lambda: self._index.chunk(chunk_id))

    def chunks(self) -> Iterator[Chunk]:
        """Read to the end first, because what was half told could not be asked for again."""
        return iter(self._ask(lambda: list(self._index.chunks())))

    def close(self) -> None:
        self._index.close()

    def _ask(self, work: Callable[[], Result], *, proves: bool = True) -> Result:
        with self._breaker.watch(proves=proves):
            return self._remote.call(work) if self._remote else work()


class WatchedEmbedder:
    """With a `remote` where the embedder is a service."""

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
        return self._ask(lambda: self._embedder.embed_passages(texts, states=states))

    def embed_query(self, text: str, *, states: bool = False) -> Embedding:
        return self._ask(lambda: self._embedder.embed_query(text, states=states))

    def _ask(self, work: Callable[[], Result]) -> Result:
        with self._breaker.watch():
            return self._remote.call(work) if self._remote else work()


class WatchedWriter:
    """Belongs around the language model itself: when that is left alone, a second writer steps in at once."""

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
    """Signed as the pieces themselves are; the breaker has its say when the first one is asked for."""

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
    """Shares the breaker of the writer, since it asks the same model."""

    def __init__(self, rewriter: Rewriter, breaker: Breaker) -> None:
        self._rewriter = rewriter
        self._breaker = breaker

    async def rewrite(self, question: str, history: Sequence[Exchange]) -> str:
        with self._breaker.watch():
            return await self._rewriter.rewrite(question, history)


def watched_records(port: Port, breaker: Breaker) -> Port:
    """Any of the ports to the records: each of their methods is one conversation with the same database."""
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
