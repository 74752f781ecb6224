"""Calls that block their thread and go over a network: each has an end, whatever the other side does."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from dataclasses import dataclass, field
from itertools import count
from threading import Lock, Thread
from typing import TypeVar

from glossator.errors import GlossatorError

Result = TypeVar("Result")

_SHARE = 0.9
"""Of the time there is: whoever waits should hear what it was that failed before they give up themselves."""


@dataclass(slots=True)
class Remote:
    """A time limit of a network client is for each read, so one byte now and then keeps a call for ever.

    Such a call is left behind in a thread of its own, which does not keep the process from ending.
    """

    unavailable: type[GlossatorError]
    """What a failure worth another try is called, and a call that was left behind."""
    seconds: float
    """That whoever calls would wait, for every try and the wait between them."""
    tries: int = 1
    first_wait: float = 0.1
    most_left_behind: int = 32
    chance: Callable[[], float] = random.random
    _left_behind: int = field(default=0, init=False)
    _lock: Lock = field(default_factory=Lock, init=False)

    def call(self, work: Callable[[], Result]) -> Result:
        """Only for what may be asked twice."""
        ends = time.monotonic() + self.seconds * _SHARE
        for tried in count(1):
            try:
                return self._until(ends, work)
            except self.unavailable:
                # Many askers that failed together must not all come back together.
                wait = self.first_wait * (0.5 + self.chance() / 2)
                if tried >= self.tries or time.monotonic() + wait >= ends:
                    raise
            time.sleep(wait)
        raise AssertionError("the last try returns or raises")

    def _until(self, ends: float, work: Callable[[], Result]) -> Result:
        if self._left_behind >= self.most_left_behind:
            raise self.unavailable
        future = Future[Result]()
        Thread(target=copy_context().run, args=(_fulfil, future, work), daemon=True).start()
        try:
            return future.result(max(ends - time.monotonic(), 0.0))
        except TimeoutError as late:
            if future.done():
                return future.result()
            self._leave_behind(future)
            raise self.unavailable from late

    def _leave_behind(self, future: Future[Result]) -> None:
        self._add(1)
        future.add_done_callback(lambda ended: self._add(-1))

    def _add(self, calls: int) -> None:
        with self._lock:
            self._left_behind += calls


def _fulfil(future: Future[Result], work: Callable[[], Result]) -> None:
    try:
        future.set_result(work())
    except BaseException as failure:  # noqa: BLE001  it is raised where the result is waited for
        future.set_exception(failure)
