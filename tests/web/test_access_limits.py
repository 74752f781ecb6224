"""How often a caller may come, counted in memory."""

from __future__ import annotations

import asyncio
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.web.auth.limits import (
    BoundedMemory,
    RateLimits,
    RateLimitStatus,
    rate_headers,
    rate_limit_status,
    x_rate_headers,
)
from support.access_app import Hands


def _hits(limits: RateLimits, who: str, times: int) -> list[RateLimitStatus]:
    async def hit() -> list[RateLimitStatus]:
        return [await limits.hit(who) for _ in range(times)]

    return asyncio.run(hit())


def test_a_caller_may_come_so_often_in_a_minute_and_no_more():
    standings = _hits(RateLimits(3, clock=Hands(1_000)), "a", 4)
    assert [status.remaining for status in standings] == [2, 1, 0, 0]
    assert [status.retry_after for status in standings] == [None, None, None, 60]
    assert {(status.limit, status.reset_at, status.reset_after) for status in standings} == {(3, 1_060, 60)}


def test_the_minute_moves_with_the_caller():
    hands = Hands(1_000)
    limits = RateLimits(2, clock=hands)
    _hits(limits, "a", 1)
    hands.time += 40
    _hits(limits, "a", 1)
    hands.time += 15
    (refused,) = _hits(limits, "a", 1)
    assert refused.retry_after == 5
    hands.time += 5
    (served,) = _hits(limits, "a", 1)
    assert (served.retry_after, served.remaining, served.reset_after) == (None, 0, 40)


def test_a_clock_that_is_set_back_locks_nobody_out():
    hands = Hands(10_000)
    limits = RateLimits(3, clock=hands)
    _hits(limits, "a", 3)
    hands.time = 1_000
    assert [status.retry_after for status in _hits(limits, "a", 4)] == [None, None, None, 60]


def test_who_waits_as_told_is_served():
    hands = Hands(1_000)
    limits = RateLimits(5, clock=hands)
    _hits(limits, "a", 5)
    for _ in range(3):
        (refused,) = _hits(limits, "a", 1)
        hands.time += refused.retry_after or 0
        assert _hits(limits, "a", 1)[0].retry_after is None


def test_a_refused_request_does_not_lengthen_the_wait():
    hands = Hands(1_000)
    limits = RateLimits(1, clock=hands)
    _hits(limits, "a", 50)
    hands.time += 60
    assert _hits(limits, "a", 1)[0].retry_after is None


def test_callers_are_counted_each_for_themselves():
    limits = RateLimits(1, clock=Hands())
    for who in ("a", "b", "a/b", "", "2001:db8::/64", "é\ud800"):
        first, second = _hits(limits, who, 2)
        assert (first.retry_after, second.retry_after) == (None, 60)


def test_many_at_once_get_no_more_than_the_limit():
    async def at_once() -> int:
        limits = RateLimits(10, clock=Hands())
        standings = await asyncio.gather(*(limits.hit("a") for _ in range(200)))
        return sum(status.retry_after is None for status in standings)

    assert asyncio.run(at_once()) == 10


@given(st.lists(st.floats(0, 100), max_size=60))
def test_no_minute_ever_has_more_than_the_limit(pauses: list[float]):
    async def served() -> list[float]:
        hands = Hands(0)
        limits, times = RateLimits(4, clock=hands), list[float]()
        for pause in pauses:
            hands.time += pause
            if (await limits.hit("a")).retry_after is None:
                times.append(hands.time)
        return times

    times = asyncio.run(served())
    assert all(later - earlier >= 60 for earlier, later in zip(times, times[4:], strict=False))


def test_who_was_not_here_for_a_minute_is_forgotten():
    async def forgotten() -> tuple[int, int]:
        hands = Hands()
        memory = BoundedMemory(hands)
        for number in range(1000):
            await memory.acquire_entry(f"caller {number}", 10, 60)
        before = len(memory)
        hands.time += 61
        await memory.acquire_entry("another", 10, 60)
        return before, len(memory)

    assert asyncio.run(forgotten()) == (1000, 1)


def test_beyond_the_bound_whoever_was_not_here_for_longest_is_forgotten_first():
    async def kept() -> list[int]:
        hands = Hands()
        memory = BoundedMemory(hands, most_callers=3)
        for who in "abcad":
            hands.time += 1
            await memory.acquire_entry(who, 10, 60)
        return [(await memory.get_moving_window(who, 10, 60))[1] for who in "abcd"]

    assert asyncio.run(kept()) == [2, 0, 1, 1]


def test_a_flood_of_addresses_does_not_fill_the_memory():
    async def flooded() -> tuple[int, int]:
        memory = BoundedMemory(Hands(), most_callers=500)
        for number in range(10_000):
            await memory.acquire_entry(f"caller {number}", 100, 60)
        _, newest = await memory.get_moving_window("caller 9999", 100, 60)
        return len(memory), newest

    tracemalloc.start()
    counted = asyncio.run(flooded())
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert counted == (500, 1)
    assert most < 2_000_000


def test_each_contract_says_it_in_its_own_form():
    standing = RateLimitStatus(limit=100, remaining=57, reset_at=1_760_000_012.2, reset_after=12.2)
    assert rate_headers(standing) == {
        "RateLimit-Limit": "100",
        "RateLimit-Remaining": "57",
        "RateLimit-Reset": "13",
    }
    assert x_rate_headers(standing) == {
        "X-RateLimit-Limit": "100",
        "X-RateLimit-Remaining": "57",
        "X-RateLimit-Reset": "1760000013",
    }


def test_what_was_not_counted_has_no_standing():
    assert rate_limit_status({"type": "http"}) is None


@pytest.mark.parametrize("amount", [1, 2])
def test_the_store_counts_as_the_library_asks_it_to(amount: int):
    async def asked() -> list[bool]:
        memory = BoundedMemory(Hands())
        return [await memory.acquire_entry("a", 4, 60, amount) for _ in range(6)]

    assert asyncio.run(asked()).count(True) == 4 // amount
