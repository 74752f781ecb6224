"""A call over the network ends in time, whatever the other side does."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar

import pytest

from glossator.errors import IndexUnavailable, NoBookYet
from glossator.resilience.watched import RemoteCalls

LONG = 60.0


@pytest.fixture
def released() -> Iterator[threading.Event]:
    """For what hangs until the test is over."""
    event = threading.Event()
    yield event
    event.set()


class Service:
    """Does what it is told, one after the other; the last stays."""

    def __init__(self, *behaviours: Callable[[], str]) -> None:
        self._behaviours = list(behaviours)
        self.calls = 0

    def __call__(self) -> str:
        self.calls += 1
        return (self._behaviours.pop(0) if len(self._behaviours) > 1 else self._behaviours[0])()


def works() -> str:
    return "found"


def is_down() -> str:
    raise IndexUnavailable("down")


def is_empty() -> str:
    raise NoBookYet


def test_what_comes_back_is_passed_on() -> None:
    assert RemoteCalls(IndexUnavailable, LONG).call(works) == "found"


def test_what_was_bound_to_the_request_is_bound_there_too() -> None:
    trace = ContextVar[str]("trace")
    trace.set("of this request")
    assert RemoteCalls(IndexUnavailable, LONG).call(trace.get) == "of this request"


def test_what_never_comes_back_is_left_behind(released: threading.Event) -> None:
    came_back = threading.Event()

    def hang() -> str:
        released.wait(LONG)
        came_back.set()
        return "too late"

    service = Service(hang)
    with pytest.raises(IndexUnavailable):
        RemoteCalls(IndexUnavailable, 0.05, tries=2).call(service)
    assert not came_back.is_set()
    assert service.calls == 1, "there was no time for another try"


def test_a_failure_is_tried_again_once() -> None:
    service = Service(is_down, works)
    assert RemoteCalls(IndexUnavailable, LONG, tries=2, first_wait=0.001).call(service) == "found"
    service = Service(is_down)
    with pytest.raises(IndexUnavailable, match="down"):
        RemoteCalls(IndexUnavailable, LONG, tries=2, first_wait=0.001).call(service)
    assert service.calls == 2


def test_a_refusal_is_not_tried_again() -> None:
    service = Service(is_empty)
    with pytest.raises(NoBookYet):
        RemoteCalls(IndexUnavailable, LONG, tries=2).call(service)
    assert service.calls == 1


def test_there_is_no_other_try_when_the_wait_would_outlast_the_time() -> None:
    service = Service(is_down, works)
    with pytest.raises(IndexUnavailable):
        RemoteCalls(IndexUnavailable, 1.0, tries=2, first_wait=3.0).call(service)
    assert service.calls == 1


def test_a_timeout_of_the_call_itself_is_its_own() -> None:
    def times_out() -> str:
        raise TimeoutError("its own")

    with pytest.raises(TimeoutError, match="its own"):
        RemoteCalls(IndexUnavailable, LONG).call(times_out)


def test_only_so_many_are_left_behind(released: threading.Event) -> None:
    one = RemoteCalls(IndexUnavailable, 0.01, most_left_behind=2)
    service = Service(lambda: str(released.wait(LONG)))
    for _ in range(5):
        with pytest.raises(IndexUnavailable):
            one.call(service)
    assert service.calls == 2
    released.set()
    assert comes_true(lambda: one.call(works) == "found"), "when they end there is room again"


def comes_true(is_so: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            if is_so():
                return True
        except IndexUnavailable:
            threading.Event().wait(0.01)
    return False


def test_what_was_left_behind_does_not_keep_the_process_from_ending() -> None:
    program = """
import threading
from glossator.resilience.watched import RemoteCalls
from glossator.errors import IndexUnavailable
try:
    RemoteCalls(IndexUnavailable, 0.05).call(threading.Event().wait)
except IndexUnavailable:
    print("left behind")
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.stdout, ended.returncode) == ("left behind\n", 0), ended.stderr
