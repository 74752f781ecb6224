"""Work in threads: shared fairly between callers, and broken off when nobody waits for it any more."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, partial
from threading import Event, Lock
from typing import Any, ParamSpec, TypeVar

Given = ParamSpec("Given")
Item = TypeVar("Item")
Result = TypeVar("Result")

CALLER: ContextVar[str] = ContextVar("glossator_caller", default="")
"""For whom the work is: a key, or an address where everybody has the same key."""

_UNWANTED: ContextVar[Event | None] = ContextVar("glossator_unwanted", default=None)


class BrokenOff(Exception):
    """Nobody waits for this work any more. None of our errors: it says nothing of any dependency."""


async def in_thread(work: Callable[Given, Result], *given: Given.args, **named: Given.kwargs) -> Result:
    """Whoever stops waiting, for a timeout or because the reader left, ends the work at its next step."""
    with _wanted():
        return await asyncio.to_thread(work, *given, **named)


@contextmanager
def _wanted() -> Generator[None]:
    unwanted = Event()
    before = _UNWANTED.set(unwanted)
    try:
        yield
    finally:
        unwanted.set()
        _UNWANTED.reset(before)


def next_step() -> None:
    """Between two steps of work that takes long. Raises BrokenOff."""
    unwanted = _UNWANTED.get()
    if unwanted is not None and unwanted.is_set():
        raise BrokenOff


def spread(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> list[Result]:
    """The results in order; over so many threads, which all who spread work share in turns."""
    unwanted = _UNWANTED.get()

    def one(item: Item) -> Result:
        if unwanted is not None and unwanted.is_set():
            raise BrokenOff
        return work(item)

    return list(_pool(threads).map(one, items))


@cache
def _pool(threads: int) -> FairThreads:
    return FairThreads(threads, threads)


class FairThreads(ThreadPoolExecutor):
    """Callers take turns, however much one of them brings; none has more than `most` threads at once."""

    def __init__(self, threads: int, most: int) -> None:
        super().__init__(threads, thread_name_prefix="glossator")
        self._most = most
        self._lock = Lock()
        self._waiting = OrderedDict[str, deque[Callable[[], None]]]()
        self._running = Counter[str]()

    def submit(
        self, fn: Callable[Given, Result], /, *args: Given.args, **kwargs: Given.kwargs
    ) -> Future[Result]:
        future = Future[Result]()
        with self._lock:
            jobs = self._waiting.setdefault(CALLER.get(), deque())
            jobs.append(partial(_fulfil, future, partial(fn, *args, **kwargs)))
        super().submit(self._work)
        return future

    def _work(self) -> None:
        """Until nobody waits who may have a thread: who has all theirs is served when one of them ends."""
        while (taken := self._take()) is not None:
            caller, job = taken
            try:
                job()
            finally:
                with self._lock:
                    self._running[caller] -= 1

    def _take(self) -> tuple[str, Callable[[], None]] | None:
        with self._lock:
            caller = next((one for one in self._waiting if self._running[one] < self._most), None)
            if caller is None:
                self._running = +self._running
                return None
            jobs = self._waiting[caller]
            job = jobs.popleft()
            self._waiting.move_to_end(caller)
            if not jobs:
                del self._waiting[caller]
            self._running[caller] += 1
            return caller, job


def _fulfil(future: Future[Any], work: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(work())
    except BaseException as failure:  # noqa: BLE001  it is raised where the result is waited for
        future.set_exception(failure)
