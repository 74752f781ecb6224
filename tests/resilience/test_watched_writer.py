"""A writer behind its breaker writes as it did, and is not waited for when there is no point."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing

import pytest

from glossator.adapters.writers.extractive import ExtractiveWriter
from glossator.adapters.writers.language_model import WithFallback
from glossator.errors import (
    GlossatorError,
    IndexUnavailable,
    WriterBroken,
    WriterError,
    WriterRefused,
    WriterUnavailable,
)
from glossator.model import Brief, Exchange
from glossator.ports import Closable, Signed
from glossator.resilience.circuit_breaker import Dependency, State
from glossator.resilience.watched import WatchedRewriter, WatchedWriter
from support.watched_bench import MOST, SECONDS, Bench
from support.writers_briefs import brief, collect


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


@pytest.mark.parametrize(
    "failure", [WriterRefused(), IndexUnavailable()], ids=lambda error: type(error).__name__
)
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

    assert asyncio.run(run()) == ("From the book [1].\n\n", "extractive")
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
