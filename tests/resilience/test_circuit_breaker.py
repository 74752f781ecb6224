"""A dependency that fails again and again is left alone, and found again when it is back."""

from __future__ import annotations

import asyncio

import pytest

from glossator.errors import (
    EmbedderError,
    EmbedderUnavailable,
    GlossatorError,
    IndexUnavailable,
    ModelMissing,
    NoBookYet,
    RecordsUnavailable,
    SessionBusy,
    SessionUnknown,
    WriterBroken,
    WriterRefused,
    WriterTimeout,
    WriterUnavailable,
)
from glossator.resilience.circuit_breaker import UNAVAILABLE_ERRORS, Breaker, Dependency, State, breakers
from support.watched_bench import MOST, SECONDS, Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breaker(clock: Clock) -> Breaker:
    return Breaker(Dependency.INDEX, failures=MOST, seconds=SECONDS, clock=clock)


def fail(breaker: Breaker, error: BaseException | None = None, *, proves: bool = True) -> None:
    error = error or IndexUnavailable("down")
    with pytest.raises(type(error)) as caught, breaker.watch(proves=proves):
        raise error
    assert caught.value is error, "the call was let through"


def succeed(breaker: Breaker, *, proves: bool = True) -> None:
    with breaker.watch(proves=proves):
        pass


def refused(breaker: Breaker, *, proves: bool = True) -> GlossatorError:
    with pytest.raises(GlossatorError) as caught, breaker.watch(proves=proves):
        pytest.fail("the call was let through")
    return caught.value


def opened(breaker: Breaker) -> None:
    for _ in range(MOST):
        fail(breaker)
    assert breaker.state is State.OPEN


def test_it_opens_after_so_many_failures_in_a_row(breaker: Breaker) -> None:
    for _ in range(MOST - 1):
        fail(breaker)
    assert breaker.state is State.CLOSED
    fail(breaker)
    assert breaker.state is State.OPEN


def test_a_success_between_begins_the_count_anew(breaker: Breaker) -> None:
    for _ in range(3 * MOST):
        fail(breaker)
        succeed(breaker)
    assert breaker.state is State.CLOSED


def test_while_it_is_open_callers_hear_at_once_when_to_come_back(breaker: Breaker, clock: Clock) -> None:
    opened(breaker)
    clock.now += 4
    said = refused(breaker)
    assert type(said) is IndexUnavailable
    assert said.retryable
    assert said.retry_after == SECONDS - 4


def test_after_its_time_one_call_tries_for_all(breaker: Breaker, clock: Clock) -> None:
    opened(breaker)
    clock.now += SECONDS
    assert breaker.state is State.HALF_OPEN
    with breaker.watch():
        assert breaker.state is State.HALF_OPEN
        assert refused(breaker).retry_after == 1.0
    assert breaker.state is State.CLOSED
    succeed(breaker)


def test_when_the_trial_fails_the_time_begins_anew(breaker: Breaker, clock: Clock) -> None:
    opened(breaker)
    clock.now += SECONDS
    fail(breaker)
    assert breaker.state is State.OPEN
    assert refused(breaker).retry_after == SECONDS
    clock.now += SECONDS
    succeed(breaker)
    assert breaker.state is State.CLOSED


def test_after_it_closed_it_takes_as_many_failures_as_ever(breaker: Breaker, clock: Clock) -> None:
    opened(breaker)
    clock.now += SECONDS
    succeed(breaker)
    for _ in range(MOST - 1):
        fail(breaker)
    assert breaker.state is State.CLOSED


@pytest.mark.parametrize("left", [asyncio.CancelledError(), GeneratorExit(), KeyboardInterrupt(), KeyError()])
def test_a_trial_that_was_broken_off_leaves_the_next_one_to_try(
    breaker: Breaker, clock: Clock, left: BaseException
) -> None:
    opened(breaker)
    clock.now += SECONDS
    fail(breaker, left)
    assert breaker.state is State.HALF_OPEN
    succeed(breaker)
    assert breaker.state is State.CLOSED


def test_a_reader_who_leaves_says_nothing_about_the_dependency(breaker: Breaker) -> None:
    for _ in range(3 * MOST):
        fail(breaker, asyncio.CancelledError())
    assert breaker.state is State.CLOSED
    for _ in range(MOST - 1):
        fail(breaker)
    fail(breaker, asyncio.CancelledError())
    fail(breaker)
    assert breaker.state is State.OPEN, "nor does it begin the count anew"


def test_a_trial_that_never_comes_back_does_not_lock_out_the_others(breaker: Breaker, clock: Clock) -> None:
    opened(breaker)
    clock.now += SECONDS
    lost = breaker.watch()
    lost.__enter__()
    refused(breaker)
    clock.now += SECONDS
    succeed(breaker)
    assert breaker.state is State.CLOSED
    late = IndexUnavailable()
    lost.__exit__(type(late), late, None)
    assert breaker.state is State.CLOSED


def test_calls_that_began_before_it_opened_do_not_close_it(breaker: Breaker, clock: Clock) -> None:
    with breaker.watch():
        opened(breaker)
    assert breaker.state is State.OPEN


def test_calls_that_began_before_it_opened_do_not_keep_it_open(breaker: Breaker, clock: Clock) -> None:
    old, failure = breaker.watch(), IndexUnavailable()
    old.__enter__()
    opened(breaker)
    clock.now += SECONDS - 1
    old.__exit__(type(failure), failure, None)
    assert refused(breaker).retry_after == 1.0


def test_what_may_come_from_memory_proves_nothing_by_its_success(breaker: Breaker, clock: Clock) -> None:
    for _ in range(MOST):
        succeed(breaker, proves=False)
        fail(breaker)
    assert breaker.state is State.OPEN
    refused(breaker, proves=False)
    clock.now += SECONDS
    succeed(breaker, proves=False)
    assert breaker.state is State.HALF_OPEN, "somebody else must try"
    succeed(breaker)
    assert breaker.state is State.CLOSED


def test_what_may_come_from_memory_says_something_by_its_failure(breaker: Breaker, clock: Clock) -> None:
    for _ in range(MOST):
        fail(breaker, proves=False)
    assert breaker.state is State.OPEN
    clock.now += SECONDS
    fail(breaker, proves=False)
    assert refused(breaker).retry_after == SECONDS


UNWELL = [(dependency, sign) for dependency, signs in UNAVAILABLE_ERRORS.items() for sign in signs]


@pytest.mark.parametrize(("dependency", "sign"), UNWELL)
def test_every_sign_of_bad_health_counts_and_is_worth_another_try(
    dependency: Dependency, sign: type[GlossatorError], clock: Clock
) -> None:
    breaker = Breaker(dependency, failures=1, clock=clock)
    fail(breaker, sign())
    assert breaker.state is State.OPEN
    said = refused(breaker)
    assert said.retryable
    assert said.retry_after


class Busy(EmbedderUnavailable):
    """As an adapter may call it."""


@pytest.mark.parametrize(
    ("dependency", "error", "is_well"),
    [
        (Dependency.INDEX, NoBookYet(), True),
        (Dependency.INDEX, WriterUnavailable(), True),
        (Dependency.WRITER, WriterRefused(), True),
        (Dependency.WRITER, IndexUnavailable(), True),
        (Dependency.WRITER, WriterBroken(), False),
        (Dependency.WRITER, WriterTimeout(), False),
        (Dependency.RECORDS, SessionUnknown(), True),
        (Dependency.RECORDS, SessionBusy(), True),
        (Dependency.RECORDS, RecordsUnavailable(), False),
        (Dependency.EMBEDDER, ModelMissing(), True),
        (Dependency.EMBEDDER, EmbedderError(), True),
        (Dependency.EMBEDDER, Busy(), False),
    ],
)
def test_who_refuses_a_request_has_answered(
    dependency: Dependency, error: GlossatorError, is_well: bool, clock: Clock
) -> None:
    breaker = Breaker(dependency, failures=2, clock=clock)
    fail(breaker, UNAVAILABLE_ERRORS[dependency][0]())
    fail(breaker, error)
    assert breaker.state is (State.CLOSED if is_well else State.OPEN)
    fail(breaker, UNAVAILABLE_ERRORS[dependency][0]()) if is_well else refused(breaker)
    assert breaker.state is (State.CLOSED if is_well else State.OPEN), "the count began anew"


def test_each_dependency_has_its_own() -> None:
    made = breakers(failures=1, seconds=SECONDS)
    fail(made[Dependency.WRITER], WriterUnavailable())
    assert {dependency: breaker.state for dependency, breaker in made.items()} == {
        Dependency.INDEX: State.CLOSED,
        Dependency.RECORDS: State.CLOSED,
        Dependency.WRITER: State.OPEN,
        Dependency.EMBEDDER: State.CLOSED,
    }


def test_the_database_is_tried_again_after_a_second_at_most() -> None:
    made = breakers(failures=1, seconds=SECONDS)
    fail(made[Dependency.RECORDS], RecordsUnavailable())
    waits = refused(made[Dependency.RECORDS]).retry_after
    assert waits is not None
    assert waits <= 1.0
