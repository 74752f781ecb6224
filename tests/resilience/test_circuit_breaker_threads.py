"""A breaker that many threads use at once neither loses a failure nor lets two try."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from glossator.errors import IndexUnavailable
from glossator.resilience.circuit_breaker import Breaker, Dependency, State
from support.watched_bench import MOST, SECONDS, Bench

THREADS = 8


def together(work: Callable[[], bool]) -> list[bool]:
    """By many threads, which begin at the same moment."""
    start = threading.Barrier(THREADS)

    def run() -> bool:
        start.wait(timeout=10)
        return work()

    with ThreadPoolExecutor(THREADS) as pool:
        return [future.result() for future in [pool.submit(run) for _ in range(THREADS)]]


def fail(breaker: Breaker) -> None:
    with pytest.raises(IndexUnavailable), breaker.watch():
        raise IndexUnavailable


def test_of_many_threads_exactly_one_tries() -> None:
    bench = Bench(Dependency.INDEX)
    breaker, clock = bench.breaker, bench.clock
    met = threading.Barrier(THREADS)

    def call() -> bool:
        try:
            with breaker.watch():
                met.wait(timeout=10)
                return True
        except IndexUnavailable:
            met.wait(timeout=10)
            return False

    for _ in range(20):
        for _ in range(MOST):
            fail(breaker)
        clock.now += SECONDS
        assert sum(together(call)) == 1
        assert breaker.state is State.CLOSED


def test_no_failure_of_any_thread_is_lost() -> None:
    each = 500
    breaker = Breaker(Dependency.INDEX, failures=THREADS * each)

    def call() -> bool:
        for _ in range(each):
            fail(breaker)
        return True

    together(call)
    assert breaker.state is State.OPEN
