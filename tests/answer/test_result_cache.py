"""A question that repeats is read once; what it may not remember, the cache never holds."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from glossator.answer.pipeline import AnswerPipeline
from glossator.answer.result_cache import CacheKey, Codec, ResultCache, key_of, normalized
from glossator.answer.retrieve import SearchLoad
from glossator.answer.wording import ACCEPTED_LANGUAGES
from glossator.errors import IndexUnavailable, SearchTimeout
from glossator.model import (
    Answer,
    AnswerFinished,
    Event,
    Exchange,
    Filters,
    FoundPassage,
    IndexQuery,
    Outcome,
    Question,
    Selection,
)
from glossator.testing import MemoryIndex
from support.memory_book import PAGES, MemoryBook

TOPIC = Question("What is a topic of a robot?")
TOPICS = "01-topics.md"


@pytest.fixture
def book(tmp_path: Path) -> MemoryBook:
    book = MemoryBook(tmp_path / "book")
    book.write()
    return book


async def events(assistant: AnswerPipeline, question: Question, *, may_cache: bool = True) -> list[Event]:
    async with aclosing(assistant.stream(question, may_cache=may_cache)) as stream:
        return [event async for event in stream]


async def answered(assistant: AnswerPipeline, question: Question, **more: Any) -> Answer:
    last = (await events(assistant, question, **more))[-1]
    assert isinstance(last, AnswerFinished)
    return last.answer


def ask(assistant: AnswerPipeline, *questions: Question, **more: Any) -> list[Answer]:
    async def each() -> list[Answer]:
        return [await answered(assistant, question, **more) for question in questions]

    return asyncio.run(each())


def facts_of(answer: Answer) -> dict[str, object]:
    return {name: value for step in answer.trace for name, value in step.facts.items()}


# Through the pipeline.


def test_a_question_that_repeats_is_read_once_and_answered_alike(book: MemoryBook):
    cache = ResultCache()
    first, second = ask(book.assistant(cache=cache), TOPIC, TOPIC)
    assert len(book.reader.calls) == 1
    assert (first.text, first.claims, first.citations) == (second.text, second.claims, second.citations)
    assert first.outcome is second.outcome is Outcome.ANSWERED
    assert (first.confidence, first.index, first.writer) == (second.confidence, second.index, second.writer)
    assert [facts_of(answer)["cached"] for answer in (first, second)] == [False, True]
    assert (cache.hits, cache.misses, len(cache)) == (1, 1, 1)


def test_each_answer_is_one_of_its_own_and_streams_as_the_first_did(book: MemoryBook):
    async def streamed() -> list[list[Event]]:
        assistant = book.assistant(cache=ResultCache())
        return [await events(assistant, TOPIC) for _ in range(2)]

    first, second = asyncio.run(streamed())
    assert [type(event) for event in first] == [type(event) for event in second]
    assert first[:-1] == second[:-1]
    answers = [event.answer for event in (first[-1], second[-1]) if isinstance(event, AnswerFinished)]
    assert answers[0].id != answers[1].id
    assert answers[0].timings != answers[1].timings
    assert answers[0].timings.keys() == answers[1].timings.keys()


@pytest.mark.parametrize(
    "other",
    [
        replace(TOPIC, text="What  is a\ntopic of a robot? "),
        replace(TOPIC, history=(Exchange("How do wheels turn?", "Round."),)),
    ],
    ids=["blanks", "a session it does not lean on"],
)
def test_what_changes_nothing_of_the_search_is_the_same_question(book: MemoryBook, other: Question):
    ask(book.assistant(cache=ResultCache()), TOPIC, other)
    assert len(book.reader.calls) == 1


@pytest.mark.parametrize(
    "other",
    [
        replace(TOPIC, text="What is a Topic of a robot?"),
        replace(TOPIC, filters=Filters(page=(TOPICS,))),
        replace(TOPIC, through_chapter=1),
        replace(TOPIC, top_k=2),
        replace(TOPIC, threshold=0.1),
    ],
    ids=["letter case", "filters", "chapters", "top_k", "threshold"],
)
def test_what_may_change_the_search_is_another_question(book: MemoryBook, other: Question):
    ask(book.assistant(cache=ResultCache()), TOPIC, other)
    assert len(book.reader.calls) == 2


def test_accents_in_one_or_two_characters_are_the_same():
    assert normalized("Cafe\u0301  con\tleche ") == normalized("Caf\u00e9 con leche") == "Caf\u00e9 con leche"


@pytest.mark.parametrize(
    "question",
    [
        replace(TOPIC, selection=Selection("A topic is a stream.", only=True)),
        replace(TOPIC, selection=Selection("A topic is a stream.")),
        Question("and how does it turn?", history=(Exchange("What is a wheel of a robot?", "Round."),)),
        Question("What is a topic of a robot, and who was the first king of France?"),
        Question("hello"),
        Question("What is chapter 99 about?"),
    ],
    ids=["selection", "selection and book", "follow-up", "quotes itself", "small talk", "no such chapter"],
)
def test_what_leans_on_more_than_the_book_or_quotes_the_reader_is_never_put_in(
    book: MemoryBook, question: Question
):
    cache = ResultCache()
    ask(book.assistant(cache=cache), question)
    assert (len(cache), cache.size) == (0, 0)


def test_a_question_that_must_not_be_remembered_leaves_nothing_and_may_use_what_is_there(book: MemoryBook):
    cache = ResultCache()
    assistant = book.assistant(cache=cache)
    ask(assistant, TOPIC, TOPIC, may_cache=False)
    assert (len(book.reader.calls), len(cache)) == (2, 0)
    ask(assistant, TOPIC)
    [answer] = ask(assistant, TOPIC, may_cache=False)
    assert (len(book.reader.calls), facts_of(answer)["cached"]) == (3, True)


def test_without_being_told_that_it_may_the_pipeline_caches_nothing(book: MemoryBook):
    cache = ResultCache()
    asyncio.run(book.assistant(cache=cache).answer(TOPIC))
    assert len(cache) == 0


def test_no_word_of_a_question_is_in_the_cache(book: MemoryBook):
    cache = ResultCache()
    ask(
        book.assistant(cache=cache),
        Question("Which qzxv topic is a stream of messages for nodes of a robot?"),
    )
    assert len(cache) == 1
    assert "qzxv" not in repr(vars(cache))


def test_a_new_generation_is_read_anew_and_nothing_of_the_old_one_stays(book: MemoryBook):
    cache = ResultCache()
    assistant = book.assistant(cache=cache)
    ask(assistant, TOPIC)
    book.write({TOPICS: PAGES[TOPICS].replace("named stream", "numbered stream")})
    [answer] = ask(assistant, TOPIC)
    assert "numbered stream" in answer.text
    assert len(cache) == 1
    book.store.roll_back()
    [answer] = ask(assistant, TOPIC)
    assert " named stream" in answer.text
    assert (len(cache), cache.hits) == (1, 0)


def test_two_books_with_one_cache_do_not_mix(book: MemoryBook, tmp_path: Path):
    other = MemoryBook(tmp_path / "other")
    other.write({TOPICS: PAGES[TOPICS].replace("named", "secret")})
    cache = ResultCache()
    mine, theirs = book.assistant(cache=cache), other.assistant(cache=cache, book_name="other")
    assert " named " in ask(mine, TOPIC)[0].text
    assert " secret " in ask(theirs, TOPIC)[0].text
    assert (cache.hits, len(cache)) == (0, 2)
    cache.drop_book("other")
    assert len(cache) == 1


def test_what_was_read_in_a_hurry_is_read_again_in_peace_and_then_used_in_the_next_hurry(book: MemoryBook):
    cache, load = ResultCache(), SearchLoad(cores=1, searching=99)
    assistant = book.assistant(cache=cache, search_load=load)
    turning = Question("How many times a minute does wheel number 7 of the robot turn?")
    ask(assistant, turning, turning)
    load.searching = 0
    ask(assistant, turning)
    load.searching = 99
    [answer] = ask(assistant, turning)
    assert book.reader.calls == [4, 10]
    assert (facts_of(answer)["windows_read"], len(cache)) == (10, 1)


def test_what_the_book_is_about_is_read_once(book: MemoryBook):
    about = Question("What is this book about?")
    assistant = book.assistant(cache=ResultCache())
    [first] = ask(assistant, about)
    read = len(book.reader.calls)
    [second] = ask(assistant, about)
    assert first.outcome is Outcome.ANSWERED
    assert (first.text, first.claims, first.citations) == (second.text, second.claims, second.citations)
    assert first.id != second.id
    assert [facts_of(answer)["cached"] for answer in (first, second)] == [False, True]
    assert len(book.reader.calls) == read > 0


def test_what_has_our_own_sentences_in_it_is_cached_for_each_language(book: MemoryBook):
    assistant, chapters = book.assistant(cache=ResultCache()), Question("list chapters")
    [english] = ask(assistant, chapters)
    token = ACCEPTED_LANGUAGES.set("de")
    try:
        [german] = ask(assistant, chapters)
    finally:
        ACCEPTED_LANGUAGES.reset(token)
    assert english.text != german.text
    assert ask(assistant, chapters)[0].text == english.text


class LostIndex(MemoryIndex):
    """Knows which book it has, and cannot search it."""

    def search(self, query: IndexQuery) -> list[FoundPassage]:
        raise IndexUnavailable


def test_what_was_found_before_is_still_told_while_the_index_is_down(book: MemoryBook):
    assistant = book.assistant(cache=ResultCache())
    [before] = ask(assistant, TOPIC)
    lost = replace(assistant, index=LostIndex(book.store))
    assert ask(lost, TOPIC)[0].text == before.text
    with pytest.raises(IndexUnavailable):
        ask(lost, Question("What is a wheel of a robot?"))


# The cache itself.

TEXT: Codec[str] = Codec(str.encode, bytes.decode)


class Work:
    """Computes a text when it is let, and counts how often."""

    def __init__(self, text: str = "found") -> None:
        self.text = text
        self.begun = self.broken_off = 0
        self.go = asyncio.Event()

    async def __call__(self) -> str:
        self.begun += 1
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.broken_off += 1
            raise
        if self.text == "fails":
            raise SearchTimeout
        return self.text


def key(name: str, generation: str = "1") -> CacheKey:
    return CacheKey("book", generation, name.encode())


async def put(cache: ResultCache, name: str, text: str = "found") -> None:
    work = Work(text)
    work.go.set()
    await cache.get(key(name), work, TEXT, may_store=True)


def begin(cache: ResultCache, work: Callable[[], Awaitable[str]], **more: Any) -> asyncio.Task[Any]:
    return asyncio.create_task(cache.get(key("a"), work, TEXT, may_store=True, **more))


async def breathe() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_equal_questions_at_the_same_time_are_computed_once():
    async def story() -> None:
        cache, work = ResultCache(), Work()
        asking = [begin(cache, work) for _ in range(8)]
        await breathe()
        work.go.set()
        found = await asyncio.gather(*asking)
        assert [lookup.result for lookup in found] == ["found"] * 8
        assert (work.begun, cache.misses, cache.hits) == (1, 1, 7)

    asyncio.run(story())


def test_the_first_who_asked_may_leave_without_taking_the_result_along():
    async def story() -> None:
        cache, work = ResultCache(), Work()
        first, second = begin(cache, work), begin(cache, work)
        await breathe()
        first.cancel()
        await breathe()
        work.go.set()
        assert (await second).result == "found"
        assert (work.begun, len(cache)) == (1, 1)

    asyncio.run(story())


def test_when_everybody_has_left_the_work_ends_and_the_next_one_begins_anew():
    async def story() -> None:
        cache, work = ResultCache(), Work()
        leaving = [begin(cache, work) for _ in range(2)]
        await breathe()
        for task in leaving:
            task.cancel()
        third = begin(cache, work)
        await breathe()
        work.go.set()
        assert (await third).result == "found"
        assert (work.begun, work.broken_off) == (2, 1)

    asyncio.run(story())


def test_a_failure_reaches_all_who_wait_and_is_not_stored():
    async def story() -> None:
        cache, work = ResultCache(), Work("fails")
        asking = [begin(cache, work) for _ in range(3)]
        await breathe()
        work.go.set()
        failures = await asyncio.gather(*asking, return_exceptions=True)
        assert [type(failure) for failure in failures] == [SearchTimeout] * 3
        await put(cache, "a")
        assert (cache.misses, len(cache)) == (2, 1)

    asyncio.run(story())


def test_who_wants_more_windows_does_not_wait_for_a_computation_with_fewer():
    async def story() -> None:
        cache, hurried, thorough = ResultCache(), Work("few"), Work("many")
        first, second = begin(cache, hurried, windows=4), begin(cache, thorough, windows=10)
        await breathe()
        third = begin(cache, Work("none"), windows=4)
        await breathe()
        thorough.go.set()
        hurried.go.set()
        results = [(await task).result for task in (first, second, third)]
        assert results == ["few", "many", "many"]

    asyncio.run(story())


def test_it_holds_so_many_entries_and_drops_the_one_that_was_used_longest_ago():
    async def story() -> None:
        cache = ResultCache(most_entries=2)
        for name in ("a", "b", "a", "c", "a", "b"):
            await put(cache, name)
        assert (len(cache), cache.misses, cache.hits) == (2, 4, 2)

    asyncio.run(story())


def test_it_holds_so_many_bytes_and_what_is_larger_not_at_all():
    async def story() -> None:
        cache = ResultCache(most_bytes=10_000)
        await put(cache, "a", "x" * 4_000)
        await put(cache, "b", "x" * 4_000)
        assert (len(cache), 8_000 < cache.size <= 10_000) == (2, True)
        await put(cache, "c", "x" * 4_000)
        assert (len(cache), cache.size <= 10_000) == (2, True)
        await put(cache, "d", "x" * 10_000)
        assert (len(cache), cache.size <= 10_000) == (2, True)

    asyncio.run(story())


def test_a_question_that_must_not_be_remembered_does_not_even_change_the_order():
    async def story() -> None:
        cache, work = ResultCache(most_entries=2), Work()
        await put(cache, "a")
        await put(cache, "b")
        assert (await cache.get(key("a"), work, TEXT, may_store=False)).is_cached
        await put(cache, "c")
        work.go.set()
        assert not (await cache.get(key("a"), work, TEXT, may_store=False)).is_cached

    asyncio.run(story())


def test_a_generation_made_anew_under_the_same_number_is_another(book: MemoryBook):
    manifest = book.store.current()
    assert manifest is not None
    remade = replace(manifest, created_at="2030-01-01T00:00:00+00:00")
    assert key_of("", manifest, "retrieve", TOPIC) != key_of("", remade, "retrieve", TOPIC)
