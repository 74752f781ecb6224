"""Threads are shared by turns, and work that nobody waits for ends at its next step."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from contextvars import copy_context
from threading import Event

import pytest

from glossator.work import CALLER, FairThreads, WorkCancelled, check_cancelled, in_thread, map_in_threads


def submit(threads: FairThreads, caller: str, work: Callable[..., object], *given: object) -> Future[object]:
    def submitted() -> Future[object]:
        CALLER.set(caller)
        return threads.submit(work, *given)

    return copy_context().run(submitted)


def test_callers_take_turns_however_much_one_of_them_brings():
    done, go_on = list[str](), Event()
    with FairThreads(1, 1) as threads:
        first = submit(threads, "many", go_on.wait)
        many = [submit(threads, "many", done.append, "many") for _ in range(4)]
        one = submit(threads, "one", done.append, "one")
        go_on.set()
        for each in (first, *many, one):
            each.result(5)
    assert done == ["many", "one", "many", "many", "many"]


def test_a_caller_leaves_a_thread_to_the_others():
    go_on = Event()
    with FairThreads(3, 2) as threads:
        many = [submit(threads, "many", go_on.wait, 5) for _ in range(9)]
        assert submit(threads, "one", lambda: "at once").result(5) == "at once"
        assert not any(future.done() for future in many)
        go_on.set()
        assert all(future.result(5) for future in many), "whoever had no thread gets one later"


def test_what_raises_or_was_cancelled_holds_no_thread():
    def fail() -> None:
        raise ZeroDivisionError

    go_on = Event()
    with FairThreads(1, 1) as threads:
        first = submit(threads, "a", go_on.wait)
        failing, cancelled = submit(threads, "a", fail), submit(threads, "a", fail)
        assert cancelled.cancel()
        go_on.set()
        assert first.result(5)
        with pytest.raises(ZeroDivisionError):
            failing.result(5)
        assert submit(threads, "a", lambda: 1).result(5) == 1


def test_work_that_timed_out_is_broken_off_at_its_next_step():
    waits, ended = Event(), Event()
    met = list[type[BaseException]]()

    def work() -> None:
        try:
            check_cancelled()
            waits.wait(5)
            check_cancelled()
        except BaseException as error:
            met.append(type(error))
            raise
        finally:
            ended.set()

    async def story() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await in_thread(work)
        waits.set()
        await asyncio.to_thread(ended.wait, 5)

    asyncio.run(story())
    assert met == [WorkCancelled]


def test_work_that_was_spread_is_broken_off_between_two_items():
    begun, go_on, ended = list[int](), Event(), Event()

    def item(number: int) -> None:
        begun.append(number)
        go_on.wait(5)

    def work() -> None:
        with suppress(WorkCancelled):
            map_in_threads(item, range(50), 2)
        ended.set()

    async def story() -> None:
        reading = asyncio.create_task(in_thread(work))
        while len(begun) < 2:
            await asyncio.sleep(0.001)
        reading.cancel()
        await asyncio.wait({reading})
        go_on.set()
        await asyncio.to_thread(ended.wait, 5)

    asyncio.run(story())
    assert sorted(begun) == [0, 1]


def test_what_is_spread_comes_back_in_order():
    assert map_in_threads(lambda number: number * number, range(9), 3) == [
        number * number for number in range(9)
    ]
