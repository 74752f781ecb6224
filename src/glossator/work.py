"""Work in threads, shared fairly between callers and cancelled when its caller stops waiting."""

from __future__ import annotations

import asyncio
import os
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, partial
from threading import Event, Lock
from typing import Any, ParamSpec, TypeVar

Params = ParamSpec("Params")
Item = TypeVar("Item")
Result = TypeVar("Result")

CALLER: ContextVar[str] = ContextVar("glossator_caller", default="")
"""The caller that the work is for: a key, or an address where all callers share one key."""

_CANCELLED: ContextVar[Event | None] = ContextVar("glossator_cancelled", default=None)


def available_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class WorkCancelled(Exception):
    """The caller of this work stopped waiting. No GlossatorError, because no dependency has failed."""


async def in_thread(work: Callable[Params, Result], *args: Params.args, **kwargs: Params.kwargs) -> Result:
    """Run `work` in a thread. When the caller is cancelled, the work ends at its next `check_cancelled`."""
    with _cancelled_on_exit():
        return await asyncio.to_thread(work, *args, **kwargs)


@contextmanager
def _cancelled_on_exit() -> Generator[None]:
    cancelled = Event()
    token = _CANCELLED.set(cancelled)
    try:
        yield
    finally:
        cancelled.set()
        _CANCELLED.reset(token)


def check_cancelled() -> None:
    """Call this between the steps of long work. Raises WorkCancelled."""
    cancelled = _CANCELLED.get()
    if cancelled is not None and cancelled.is_set():
        raise WorkCancelled


def map_in_threads(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> list[Result]:
    """The results in the order of the items. All calls with the same `threads` share one fair pool."""
    cancelled = _CANCELLED.get()

    def work_on(item: Item) -> Result:
        if cancelled is not None and cancelled.is_set():
            raise WorkCancelled
        return work(item)

    return list(_pool(threads).map(work_on, items))


@cache
def _pool(threads: int) -> FairThreads:
    return FairThreads(threads, threads)


class FairThreads(ThreadPoolExecutor):
    """A thread pool in which callers take turns, and each has at most `most` threads at once."""

    def __init__(self, threads: int, most: int) -> None:
        super().__init__(threads, thread_name_prefix="glossator")
        self._most = most
        self._lock = Lock()
        self._waiting = OrderedDict[str, deque[Callable[[], None]]]()
        self._running = Counter[str]()

    def submit(
        self, fn: Callable[Params, Result], /, *args: Params.args, **kwargs: Params.kwargs
    ) -> Future[Result]:
        future = Future[Result]()
        with self._lock:
            jobs = self._waiting.setdefault(CALLER.get(), deque())
            jobs.append(partial(_fulfil, future, partial(fn, *args, **kwargs)))
        super().submit(self._work)
        return future

    def _work(self) -> None:
        """Run jobs until no caller below its limit waits. A caller at its limit goes on when a job ends."""
        while (next_job := self._take()) is not None:
            caller, job = next_job
            try:
                job()
            finally:
                with self._lock:
                    self._running[caller] -= 1

    def _take(self) -> tuple[str, Callable[[], None]] | None:
        with self._lock:
            caller = next((name for name in self._waiting if self._running[name] < self._most), None)
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
    except BaseException as failure:  # noqa: BLE001  `result()` raises it
        future.set_exception(failure)
