"""When many questions wait, the reader reads fewer windows, and the trace says so."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from glossator.answer.retrieve import READ, windows_to_read
from glossator.model import Answer, Question, Selection
from support.memory_book import WHEELS, MemoryBook

TURNING = "How many times a minute does wheel number 7 of the robot turn?"


@pytest.fixture
def book(tmp_path: Path) -> MemoryBook:
    book = MemoryBook(tmp_path / "book")
    book.write()
    return book


def retrieval(answer: Answer) -> Mapping[str, object]:
    return next(step.facts for step in answer.trace if step.name == "retrieve")


def test_while_nobody_waits_all_windows_are_read_and_never_fewer_than_four():
    assert windows_to_read(0.0) == READ
    assert windows_to_read(0.5) == windows_to_read(1.0) == 4


def test_the_more_wait_the_fewer_are_read():
    numbers = [windows_to_read(share / 256) for share in range(257)]
    assert numbers == sorted(numbers, reverse=True)
    assert set(numbers) == set(range(4, READ + 1))


@pytest.mark.parametrize(("load", "most"), [(0.0, READ), (0.25, 7), (1.0, 4)])
def test_an_answer_is_read_from_as_many_windows_as_the_load_allows(book: MemoryBook, load: float, most: int):
    answer = asyncio.run(book.assistant(queue_load=lambda: load).answer(Question(TURNING)))
    assert book.reader.calls == [most]
    assert (retrieval(answer)["windows_read"], retrieval(answer)["most_windows"]) == (most, most)


def test_so_is_an_answer_from_a_selection(book: MemoryBook):
    question = Question(TURNING, selection=Selection("\n\n".join([WHEELS] * 5), only=True))
    answer = asyncio.run(book.assistant(queue_load=lambda: 1.0).answer(question))
    assert retrieval(answer)["windows_read"] == 4


def test_windows_that_are_too_far_from_the_question_to_be_read_are_not_counted(book: MemoryBook):
    answer = asyncio.run(book.assistant().answer(Question("Who was the first king of France?")))
    assert retrieval(answer)["windows_read"] == sum(book.reader.calls)
