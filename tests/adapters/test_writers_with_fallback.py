"""A second writer for when the first cannot write."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import aclosing

import pytest

from glossator.adapters.writers.extractive import ExtractiveWriter
from glossator.adapters.writers.language_model import WithFallback, WriterPieces
from glossator.adapters.writers.service import Api
from glossator.errors import IndexUnavailable, WriterBroken, WriterError, WriterUnavailable
from glossator.model import Brief, Evidence
from glossator.ports import Writer
from support.writers_bench import Bench, writers_bench
from support.writers_briefs import brief, collect
from support.writers_server import (
    Answer,
    cut_after,
    hang_up,
    keeps_talking,
    say_nothing,
    says,
    searches,
    status,
)


@pytest.fixture
def bench() -> Iterator[Bench]:
    with writers_bench(Api.CHAT) as made:
        yield made


def pair(bench: Bench, *answers: Answer) -> WithFallback:
    bench.server.will(*answers)
    return WithFallback(bench.writer(), ExtractiveWriter(lambda asked: ["From the book [1]."]))


def written(writer: WithFallback, asked: Brief | None = None) -> tuple[str, WriterPieces]:
    async def run() -> tuple[str, WriterPieces]:
        pieces = writer.write(asked or brief())
        return "".join(await collect(pieces)), pieces

    return asyncio.run(run())


def test_the_first_writes_when_it_can(bench: Bench) -> None:
    text, pieces = written(pair(bench, says("Over topics [1].")))
    assert (text, pieces.name, pieces.model) == ("Over topics [1].", "language_model", "some-model")
    assert pieces.failure is None


@pytest.mark.parametrize("failure", [status(401), status(503), hang_up, cut_after(), say_nothing, says()])
def test_the_second_steps_in_when_the_first_fails_before_a_word(bench: Bench, failure: Answer) -> None:
    bench.hurry(1)
    text, pieces = written(pair(bench, failure))
    assert (text, pieces.name, pieces.model) == ("From the book [1].\n\n", "extractive", "extractive")
    assert isinstance(pieces.failure, WriterError)


def test_after_a_word_the_error_travels(bench: Bench) -> None:
    async def hear_two() -> None:
        pieces = pair(bench, cut_after("Over top")).write(brief())
        assert await anext(pieces) == "Over top"
        with pytest.raises(WriterBroken):
            await anext(pieces)

    asyncio.run(hear_two())


def test_no_answer_in_the_evidence_is_no_failure(bench: Bench) -> None:
    text, pieces = written(pair(bench, says("NOT IN THE BOOK")))
    assert (text, pieces.name) == ("", "language_model")


def test_a_book_that_cannot_be_searched_is_not_the_writers_failure(bench: Bench) -> None:
    async def fail(query: str) -> list[Evidence]:
        raise IndexUnavailable

    with pytest.raises(IndexUnavailable):
        written(pair(bench, searches("services")), brief(search=fail))


def test_when_both_fail_the_second_is_the_one_that_is_heard(bench: Bench) -> None:
    bench.server.will(status(401), status(503))
    with pytest.raises(WriterUnavailable):
        written(WithFallback(bench.writer(), bench.writer()))


def test_two_questions_at_once_may_have_two_writers(bench: Bench) -> None:
    writer = pair(bench, status(401), says("Over topics [1]."))

    async def ask_both() -> tuple[str, str]:
        first, second = writer.write(brief()), writer.write(brief())
        await collect(first)
        await collect(second)
        return first.name, second.name

    assert asyncio.run(ask_both()) == ("extractive", "language_model")


def test_whoever_stops_listening_hangs_up(bench: Bench) -> None:
    writer = pair(bench, keeps_talking("Over "))

    async def leave() -> None:
        async with asyncio.timeout(10), aclosing(writer.write(brief())) as pieces:
            await anext(pieces)

    asyncio.run(leave())
    assert bench.server.script.was_hung_up.wait(timeout=10)


def test_before_anything_is_written_it_is_called_by_its_first(bench: Bench) -> None:
    writer: Writer = pair(bench, says("Over topics [1]."))
    assert (writer.name, writer.model) == ("language_model", "some-model")
