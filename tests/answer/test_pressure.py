"""When many questions are asked at once, the reader reads fewer windows, and the trace says so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from glossator.answer.retrieve import READ, SearchLoad, windows_to_read
from glossator.model import Answer, Brief, Question, Selection
from glossator.testing import QuotingWriter
from support.memory_book import WHEELS, MemoryBook

TURNING = "How many times a minute does wheel number 7 of the robot turn?"


@pytest.fixture
def book(tmp_path: Path) -> MemoryBook:
    book = MemoryBook(tmp_path / "book")
    book.write()
    return book


def retrieval(answer: Answer) -> Mapping[str, object]:
    return next(step.facts for step in answer.trace if step.name == "retrieve")


def test_for_a_question_a_core_all_windows_are_read_and_never_fewer_than_four():
    assert windows_to_read(0.5) == windows_to_read(1.0) == READ
    assert windows_to_read(5.0) == windows_to_read(64.0) == 4


def test_the_more_questions_the_fewer_are_read():
    numbers = [windows_to_read(questions / 8) for questions in range(65)]
    assert numbers == sorted(numbers, reverse=True)
    assert set(numbers) == set(range(4, READ + 1))


def test_questions_count_while_they_are_searched_for():
    load = SearchLoad(cores=1)
    with load.one_more():
        assert load.most_windows == READ
        with load.one_more(), load.one_more():
            assert load.most_windows == 7
    with pytest.raises(RuntimeError), load.one_more():
        raise RuntimeError
    assert load.searching == 0


@pytest.mark.parametrize(("others", "most"), [(0, READ), (2, 7), (63, 4)])
def test_an_answer_is_read_from_as_many_windows_as_the_load_allows(book: MemoryBook, others: int, most: int):
    load = SearchLoad(cores=1, searching=others)
    answer = asyncio.run(book.assistant(search_load=load).answer(Question(TURNING)))
    assert book.reader.calls == [most]
    assert (retrieval(answer)["windows_read"], retrieval(answer)["most_windows"]) == (most, most)


class WatchingWriter(QuotingWriter):
    def __init__(self, load: SearchLoad) -> None:
        super().__init__()
        self.load, self.seen = load, list[int]()

    async def write(self, brief: Brief) -> AsyncGenerator[str]:
        self.seen.append(self.load.searching)
        async for piece in super().write(brief):
            yield piece


def test_who_waits_for_the_writer_is_no_load(book: MemoryBook):
    load = SearchLoad(cores=1)
    writer = WatchingWriter(load)
    asyncio.run(replace(book.assistant(search_load=load), writer=writer).answer(Question(TURNING)))
    assert writer.seen == [0]


def test_so_is_an_answer_from_a_selection(book: MemoryBook):
    question = Question(TURNING, selection=Selection("\n\n".join([WHEELS] * 5), only=True))
    answer = asyncio.run(book.assistant(search_load=SearchLoad(cores=1, searching=63)).answer(question))
    assert retrieval(answer)["windows_read"] == 4


def test_windows_that_are_too_far_from_the_question_to_be_read_are_not_counted(book: MemoryBook):
    answer = asyncio.run(book.assistant().answer(Question("Who was the first king of France?")))
    assert retrieval(answer)["windows_read"] == sum(book.reader.calls)
