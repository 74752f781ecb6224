"""An index and an embedder behind their breakers do what they did, and fail at once when there is no point."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from glossator.errors import EmbedderUnavailable, IndexUnavailable, NoBookYet
from glossator.model import Chunk, Embedding, FoundPassage, IndexQuery
from glossator.resilience.circuit_breaker import Dependency, State
from glossator.resilience.watched import RemoteCalls, WatchedEmbedder, WatchedIndex
from glossator.testing import MemoryIndex, MemoryIndexStore, WordEmbedder
from support.index_books import asking, publish, three_chapters
from support.watched_bench import MOST, SECONDS, Bench


class ServerIndex(MemoryIndex):
    """Its manifest comes from memory; the rest fails as often as it is told to."""

    failures = 0
    calls = 0

    def search(self, query: IndexQuery) -> list[FoundPassage]:
        self._reach()
        return super().search(query)

    def chunks(self) -> Iterator[Chunk]:
        self._reach()
        return super().chunks()

    def _reach(self) -> None:
        self.calls += 1
        if self.failures:
            self.failures -= 1
            raise IndexUnavailable


class IndexBench(Bench):
    def __init__(self, *, tries: int) -> None:
        super().__init__(Dependency.INDEX)
        self.index_store = MemoryIndexStore()
        self.inner = ServerIndex(self.index_store)
        remote = RemoteCalls(IndexUnavailable, 60.0, tries=tries, first_wait=0.001)
        self.index = WatchedIndex(self.inner, self.breaker, remote)

    def ask(self) -> list[FoundPassage]:
        """As an answer does: the manifest first, then the search."""
        self.index.manifest()
        return self.index.search(asking("nodes"))


@pytest.fixture
def bench() -> IndexBench:
    made = IndexBench(tries=1)
    publish(made.index_store, three_chapters())
    return made


def test_an_index_is_read_as_without_a_breaker(bench: IndexBench) -> None:
    index, inner = bench.index, bench.inner
    assert index.manifest() == inner.manifest()
    assert index.search(asking("nodes")) == inner.search(asking("nodes"))
    chunks = list(inner.chunks())
    assert list(index.chunks()) == chunks
    assert index.chunk(chunks[0].chunk_id) == chunks[0]
    assert index.chunk("nowhere.md#0") is None


def test_an_index_that_is_down_is_left_alone_though_its_manifest_is_in_memory(bench: IndexBench) -> None:
    bench.inner.failures = 1000
    for _ in range(MOST):
        with pytest.raises(IndexUnavailable):
            bench.ask()
    assert bench.breaker.state is State.OPEN
    asked = bench.inner.calls
    with pytest.raises(IndexUnavailable) as refused:
        bench.ask()
    assert (refused.value.retry_after, bench.inner.calls) == (SECONDS, asked)


def test_an_index_that_is_back_is_used_again(bench: IndexBench) -> None:
    bench.inner.failures = MOST
    for _ in range(MOST):
        with pytest.raises(IndexUnavailable):
            bench.ask()
    bench.clock.now += SECONDS
    assert bench.ask()
    assert bench.breaker.state is State.CLOSED


def test_a_search_is_tried_again_and_is_one_failure_if_that_fails_too() -> None:
    bench = IndexBench(tries=2)
    publish(bench.index_store, three_chapters())
    bench.inner.failures = 1
    assert bench.ask()
    assert list(bench.index.chunks())
    bench.inner.failures = 2 * (MOST - 1)
    for _ in range(MOST - 1):
        with pytest.raises(IndexUnavailable):
            bench.ask()
    assert bench.breaker.state is State.CLOSED


class BreakingOff(MemoryIndex):
    """Lists one chunk, and then its server is gone."""

    def chunks(self) -> Iterator[Chunk]:
        yield next(super().chunks())
        raise IndexUnavailable


def test_chunks_are_handed_on_as_they_come_and_a_listing_that_breaks_off_is_a_failure() -> None:
    bench = IndexBench(tries=2)
    publish(bench.index_store, three_chapters())
    index = WatchedIndex(BreakingOff(bench.index_store), bench.breaker)
    for _ in range(MOST):
        listing = index.chunks()
        assert next(listing)
        with pytest.raises(IndexUnavailable):
            next(listing)
    assert bench.breaker.state is State.OPEN


def test_that_there_is_no_book_yet_is_no_failure_of_the_index() -> None:
    bench = IndexBench(tries=2)
    for _ in range(2 * MOST):
        with pytest.raises(NoBookYet):
            bench.ask()
        with pytest.raises(NoBookYet):
            bench.index.search(asking("nodes"))
    assert bench.breaker.state is State.CLOSED


class Service(WordEmbedder):
    is_down = False

    def embed_passages(self, texts: Sequence[str], *, states: bool = False) -> list[Embedding]:
        if self.is_down:
            raise EmbedderUnavailable
        return super().embed_passages(texts, states=states)

    def embed_query(self, text: str, *, states: bool = False) -> Embedding:
        return self.embed_passages([text], states=states)[0]


def test_an_embedder_that_is_down_is_left_alone_and_still_counts_tokens() -> None:
    bench, inner = Bench(Dependency.EMBEDDER), Service()
    embedder = WatchedEmbedder(inner, bench.breaker, RemoteCalls(EmbedderUnavailable, 60.0))
    assert embedder.identity == inner.identity
    assert (embedder.embed_query("a node").vector == inner.embed_query("a node").vector).all()
    inner.is_down = True
    for _ in range(MOST):
        with pytest.raises(EmbedderUnavailable):
            embedder.embed_query("a node")
    inner.is_down = False
    with pytest.raises(EmbedderUnavailable) as refused:
        embedder.embed_passages(["a node"])
    assert refused.value.retry_after == SECONDS
    assert embedder.count_tokens(["a node"]) == [2]
    bench.clock.now += SECONDS
    assert embedder.embed_passages(["a node", "a topic"], states=True)[1].states is not None
    assert bench.breaker.state is State.CLOSED
