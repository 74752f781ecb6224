"""How well similarity keeps its word, measured once for all who ask."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event

import pytest

from glossator.answer.book import ServedBook
from glossator.errors import IndexUnavailable
from glossator.exam.fit import measure_fit
from glossator.insights.fit import BackgroundFit
from glossator.model.search import Fit
from glossator.ports import Embedder, Progress, Reader
from support.engine_parts import until
from support.insights_story import opened_book

FIT = Fit("book", 1, "model", 1, 1, 1, (), None, None)


@pytest.fixture
def small_book(home: Path, embedder: Embedder, reader: Reader) -> Iterator[ServedBook]:
    with opened_book(home, embedder, reader) as book:
        yield book


class Measuring:
    """Takes until it is let go."""

    def __init__(self) -> None:
        self.times = 0
        self.go_on = Event()
        self.fails = False
        self.was_stopped = False

    def __call__(self, progress: Progress) -> Fit:
        self.times += 1
        if self.fails:
            raise IndexUnavailable
        try:
            while not self.go_on.wait(0.005):
                progress.advance(1)
        except Exception:
            self.was_stopped = True
            raise
        return FIT


def test_all_who_ask_hear_of_one_measurement(small_book: ServedBook):
    async def story():
        look = Measuring()
        fitting = BackgroundFit(small_book, look)
        asking = [asyncio.create_task(fitting.current()) for _ in range(3)]
        await until(lambda: look.times)
        look.go_on.set()
        assert await asyncio.gather(*asking) == [FIT] * 3
        assert await fitting.current() is FIT
        assert look.times == 1

    asyncio.run(story())


def test_who_leaves_does_not_stop_it(small_book: ServedBook):
    async def story():
        look = Measuring()
        fitting = BackgroundFit(small_book, look)
        leaving = asyncio.create_task(fitting.current())
        await until(lambda: look.times)
        leaving.cancel()
        look.go_on.set()
        assert await fitting.current() is FIT
        assert look.times == 1

    asyncio.run(story())


def test_what_failed_is_tried_again(small_book: ServedBook):
    async def story():
        look = Measuring()
        look.fails = True
        look.go_on.set()
        fitting = BackgroundFit(small_book, look)
        with pytest.raises(IndexUnavailable):
            await fitting.current()
        look.fails = False
        assert await fitting.current() is FIT

    asyncio.run(story())


def test_a_server_that_stops_does_not_wait_for_it(small_book: ServedBook):
    look = Measuring()

    async def story():
        asking = asyncio.create_task(BackgroundFit(small_book, look).current())
        await until(lambda: look.times)
        asking.cancel()

    # Would not return: the loop waits for its threads.
    asyncio.run(story())
    assert look.was_stopped


def test_a_new_generation_is_measured_anew(small_book: ServedBook):
    async def story():
        look = Measuring()
        look.go_on.set()
        fitting = BackgroundFit(small_book, look)
        await fitting.current()
        assistant = small_book.assistant
        fitting.book = ServedBook(replace(assistant, index=NextGeneration(assistant.index)))
        await fitting.current()
        assert look.times == 2

    asyncio.run(story())


class NextGeneration:
    def __init__(self, index) -> None:
        self._index = index

    def manifest(self):
        manifest = self._index.manifest()
        return replace(manifest, generation=manifest.generation + 1)


def test_it_is_what_calibrate_shows(small_book: ServedBook):
    assistant = small_book.assistant
    look = partial(measure_fit, assistant.embedder, assistant.reader, assistant.index)
    fitting = BackgroundFit(small_book, look)
    fit = asyncio.run(fitting.current())
    assert (fit.book, fit.generation) == ("robots", 1)
    assert fit.passages == sum(bucket.count for bucket in fit.bins) > 0
