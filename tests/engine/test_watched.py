"""The ports behind their breakers do what they did before, and fail at once when there is no point."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import aclosing

import pytest
from index_books import asking, publish, three_chapters
from writers_briefs import brief, collect

from glossator.adapters.writers.extractive import ExtractiveWriter
from glossator.adapters.writers.with_fallback import WithFallback
from glossator.engine.breaker import Breaker, State
from glossator.engine.dependency import Dependency
from glossator.engine.remote import Remote
from glossator.engine.watched import (
    WatchedEmbedder,
    WatchedIndex,
    WatchedRewriter,
    WatchedWriter,
    watched_records,
)
from glossator.errors import (
    EmbedderUnavailable,
    GlossatorError,
    IndexUnavailable,
    NoBookYet,
    RecordsUnavailable,
    SessionUnknown,
    WriterBroken,
    WriterError,
    WriterRefused,
    WriterUnavailable,
)
from glossator.model import Brief, Chunk, Embedding, Exchange, FoundPassage, IndexQuery
from glossator.ports import Closable, Signed
from glossator.testing import MemoryIndex, MemoryShelf, WordEmbedder

MOST = 3
SECONDS = 10.0


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


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


class Bench:
    def __init__(self, dependency: Dependency) -> None:
        self.clock = Clock()
        self.breaker = Breaker(dependency, failures=MOST, seconds=SECONDS, clock=self.clock)


class IndexBench(Bench):
    def __init__(self, *, tries: int) -> None:
        super().__init__(Dependency.INDEX)
        self.shelf = MemoryShelf()
        self.inner = ServerIndex(self.shelf)
        remote = Remote(IndexUnavailable, 60.0, tries=tries, first_wait=0.001)
        self.index = WatchedIndex(self.inner, self.breaker, remote)

    def ask(self) -> list[FoundPassage]:
        """As an answer does: the manifest first, then the search."""
        self.index.manifest()
        return self.index.search(asking("nodes"))


@pytest.fixture
def bench() -> IndexBench:
    made = IndexBench(tries=1)
    publish(made.shelf, three_chapters())
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
    publish(bench.shelf, three_chapters())
    bench.inner.failures = 1
    assert bench.ask()
    assert list(bench.index.chunks())
    bench.inner.failures = 2 * (MOST - 1)
    for _ in range(MOST - 1):
        with pytest.raises(IndexUnavailable):
            bench.ask()
    assert bench.breaker.state is State.CLOSED


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
    embedder = WatchedEmbedder(inner, bench.breaker, Remote(EmbedderUnavailable, 60.0))
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


class Model:
    """A language model that says so much, and then fails if it is told to."""

    name = "language_model"
    model = "some-model"

    def __init__(self, *pieces: str, failure: GlossatorError | None = None) -> None:
        self.pieces = pieces
        self.failure = failure
        self.asked = 0
        self.hung_up = 0

    async def write(self, brief: Brief) -> AsyncIterator[str]:
        self.asked += 1
        try:
            for piece in self.pieces:
                yield piece
            if self.failure:
                raise self.failure
        except GeneratorExit:
            self.hung_up += 1
            raise


def written(writer: WatchedWriter | WithFallback) -> str:
    return "".join(asyncio.run(collect(writer.write(brief()))))


def failing(*pieces: str, failure: GlossatorError, times: int = MOST) -> tuple[Bench, WatchedWriter, Model]:
    bench, model = Bench(Dependency.WRITER), Model(*pieces, failure=failure)
    writer = WatchedWriter(model, bench.breaker)
    for _ in range(times):
        with pytest.raises(type(failure)):
            written(writer)
    return bench, writer, model


def test_a_writer_says_what_it_said_without_a_breaker() -> None:
    writer = WatchedWriter(Model("Over ", "topics [1]."), Bench(Dependency.WRITER).breaker)
    assert written(writer) == "Over topics [1]."
    assert (writer.name, writer.model) == ("language_model", "some-model")


@pytest.mark.parametrize("pieces", [(), ("Over ",)], ids=["before a word", "after a word"])
def test_a_model_that_fails_is_left_alone_and_found_again(pieces: tuple[str, ...]) -> None:
    bench, writer, model = failing(*pieces, failure=WriterBroken())
    assert (bench.breaker.state, model.asked) == (State.OPEN, MOST)
    with pytest.raises(WriterUnavailable) as refused:
        written(writer)
    assert (refused.value.retry_after, model.asked) == (SECONDS, MOST)
    model.failure = None
    bench.clock.now += SECONDS
    assert written(writer) == "".join(pieces)
    assert bench.breaker.state is State.CLOSED


@pytest.mark.parametrize("failure", [WriterRefused(), IndexUnavailable()], ids=lambda one: type(one).__name__)
def test_a_wrong_key_or_a_book_that_cannot_be_searched_is_not_the_models_health(
    failure: GlossatorError,
) -> None:
    bench, _, _ = failing(failure=failure, times=2 * MOST)
    assert bench.breaker.state is State.CLOSED


def test_the_breaker_speaks_when_the_first_piece_is_asked_for() -> None:
    _, writer, _ = failing(failure=WriterUnavailable())
    pieces = writer.write(brief())

    async def first() -> str:
        return await anext(pieces)

    with pytest.raises(WriterUnavailable):
        asyncio.run(first())


def test_with_a_second_writer_a_model_that_is_left_alone_is_not_waited_for() -> None:
    _, writer, model = failing(failure=WriterUnavailable())
    pair = WithFallback(writer, ExtractiveWriter(lambda asked: ["From the book [1]."]))

    async def run() -> tuple[str, str]:
        pieces = pair.write(brief())
        text = "".join(await collect(pieces))
        return text, pieces.name

    assert asyncio.run(run()) == ("From the book [1].", "extractive")
    assert model.asked == MOST


def test_who_stops_listening_hangs_up_on_the_model_and_says_nothing_of_its_health() -> None:
    bench, writer, model = failing("Over ", failure=WriterUnavailable(), times=MOST - 1)

    async def leave() -> None:
        async with aclosing(writer.write(brief())) as pieces:
            assert await anext(pieces) == "Over "

    asyncio.run(leave())
    assert (model.hung_up, bench.breaker.state) == (1, State.CLOSED)
    with pytest.raises(WriterUnavailable):
        written(writer)
    assert bench.breaker.state is State.OPEN


def test_a_trial_that_is_hung_up_on_leaves_the_next_to_try() -> None:
    bench, writer, model = failing("Over ", failure=WriterUnavailable())
    bench.clock.now += SECONDS
    model.failure = None

    async def leave() -> None:
        async with aclosing(writer.write(brief())) as pieces:
            await anext(pieces)

    asyncio.run(leave())
    assert written(writer) == "Over "
    assert bench.breaker.state is State.CLOSED


def test_what_is_written_is_signed_by_whoever_wrote_it() -> None:
    pair = WithFallback(
        Model(failure=WriterUnavailable()), ExtractiveWriter(lambda asked: ["From the book [1]."])
    )
    writer = WatchedWriter(pair, Bench(Dependency.WRITER).breaker)

    async def run() -> tuple[str, str]:
        pieces = writer.write(brief())
        assert isinstance(pieces, Signed)
        assert isinstance(pieces, Closable)
        assert pieces.name == "language_model"
        await anext(pieces)
        signed = pieces.name, pieces.model
        await pieces.aclose()
        return signed

    assert asyncio.run(run()) == ("extractive", "extractive")


class Rewriter:
    def __init__(self) -> None:
        self.failure: WriterError | None = None

    async def rewrite(self, question: str, history: Sequence[Exchange]) -> str:
        if self.failure:
            raise self.failure
        return f"{question} of topics"


def test_a_rewriter_is_not_asked_when_its_model_does_not_write() -> None:
    bench, _, _ = failing(failure=WriterUnavailable())
    rewriter = WatchedRewriter(Rewriter(), bench.breaker)
    with pytest.raises(WriterUnavailable) as refused:
        asyncio.run(rewriter.rewrite("An example?", ()))
    assert refused.value.retry_after == SECONDS
    bench.clock.now += SECONDS
    assert asyncio.run(rewriter.rewrite("An example?", ())) == "An example? of topics"
    assert bench.breaker.state is State.CLOSED


class Sessions:
    """Of the records' ports, the part that these tests need."""

    def __init__(self) -> None:
        self.failure: GlossatorError | None = None
        self.asked = list[tuple[object, ...]]()

    async def delete(self, session_id: str, owner: str) -> str:
        self.asked.append((session_id, owner))
        if self.failure:
            raise self.failure
        return "deleted"

    async def sweep(self, now: int, *, dry_run: bool = False) -> bool:
        return dry_run


def test_records_are_kept_as_without_a_breaker() -> None:
    inner = Sessions()
    records = watched_records(inner, Bench(Dependency.RECORDS).breaker)
    assert asyncio.run(records.delete("s", owner="o")) == "deleted"
    assert asyncio.run(records.sweep(0, dry_run=True)) is True
    assert inner.asked == [("s", "o")]


def test_records_that_are_down_are_left_alone_by_all_their_ports() -> None:
    bench, inner = Bench(Dependency.RECORDS), Sessions()
    sessions, keeper = watched_records(inner, bench.breaker), watched_records(Sessions(), bench.breaker)
    inner.failure = RecordsUnavailable()
    for _ in range(MOST):
        with pytest.raises(RecordsUnavailable):
            asyncio.run(sessions.delete("s", "o"))
    with pytest.raises(RecordsUnavailable) as refused:
        asyncio.run(keeper.sweep(0))
    assert (refused.value.retry_after, len(inner.asked)) == (SECONDS, MOST)
    bench.clock.now += SECONDS
    assert asyncio.run(keeper.sweep(0)) is False
    assert bench.breaker.state is State.CLOSED


def test_a_session_that_nobody_knows_is_no_failure_of_the_records() -> None:
    bench, inner = Bench(Dependency.RECORDS), Sessions()
    inner.failure = SessionUnknown()
    for _ in range(2 * MOST):
        with pytest.raises(SessionUnknown):
            asyncio.run(watched_records(inner, bench.breaker).delete("s", "o"))
    assert bench.breaker.state is State.CLOSED
