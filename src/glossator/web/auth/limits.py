"""How often a caller may come: so many requests in any minute."""

from __future__ import annotations

import asyncio
import math
import time
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, cast

import structlog
from limits import RateLimitItem, RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage, RedisStorage
from limits.aio.strategies import MovingWindowRateLimiter, RateLimiter
from limits.errors import StorageError
from redis.asyncio import BlockingConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from starlette.types import Scope

from glossator.errors import SettingsError

Clock = Callable[[], float]

MOST_CALLERS = 20_000
"""That are counted in memory at once."""

_CONNECT_SECONDS = 2.0
"""Redis itself has longer, or one that is far away could never be connected to."""
_LEFT_ALONE_SECONDS = 5.0
"""After a failure, until Redis is tried again."""
_CONNECTIONS = 4
"""Few, and soon warm: a rush of readers must not begin with a rush of connections."""


@dataclass(frozen=True, slots=True)
class RateLimitStatus:
    """Of a caller, once a request is counted."""

    limit: int
    remaining: int
    reset_at: float
    """When the oldest request stops to count, in seconds since 1970."""
    reset_after: float
    """The same in seconds from now."""
    retry_after: float | None = None
    """In seconds; None where the request is within the limit."""


RateHeaders = Callable[[RateLimitStatus], Mapping[str, str]]


def rate_headers(status: RateLimitStatus) -> Mapping[str, str]:
    """With the reset in seconds from now, as the IETF's draft has it."""
    return {
        "RateLimit-Limit": str(status.limit),
        "RateLimit-Remaining": str(status.remaining),
        "RateLimit-Reset": str(math.ceil(status.reset_after)),
    }


def x_rate_headers(status: RateLimitStatus) -> Mapping[str, str]:
    """With the reset as a point in time, as is the custom with these names."""
    return {
        "X-RateLimit-Limit": str(status.limit),
        "X-RateLimit-Remaining": str(status.remaining),
        "X-RateLimit-Reset": str(math.ceil(status.reset_at)),
    }


def standing_of(scope: Scope) -> RateLimitStatus | None:
    """None where the request was not counted."""
    return scope.get("state", {}).get("status")


class RateLimits:
    """Counted here; by all servers together in Redis, as long as that answers."""

    def __init__(
        self,
        per_minute: int,
        redis_url: str | None = None,
        *,
        redis_seconds: float = 0.1,
        clock: Clock = time.time,
    ) -> None:
        """`redis_seconds`: longer than this no reader waits for Redis."""
        self._item = RateLimitItemPerMinute(per_minute)
        self._clock = clock
        self._memory = MovingWindowRateLimiter(BoundedMemory(clock))
        self._redis = _Redis(redis_url, redis_seconds, clock) if redis_url else None

    async def hit(self, who: str) -> RateLimitStatus:
        if self._redis is not None and self._redis.is_worth_a_try():
            with suppress(_NoAnswer):
                return await self._redis.count(self._item, who)
        return await _count(self._memory, self._item, who, self._clock)

    async def aclose(self) -> None:
        if self._redis is not None:
            await self._redis.aclose()


async def _count(limiter: RateLimiter, item: RateLimitItem, who: str, clock: Clock) -> RateLimitStatus:
    is_within = await limiter.hit(item, who)
    window = await limiter.get_window_stats(item, who)
    after = max(0.0, window.reset_time - clock())
    return RateLimitStatus(
        limit=item.amount,
        remaining=max(0, window.remaining) if is_within else 0,
        reset_at=window.reset_time,
        reset_after=after,
        retry_after=None if is_within else after,
    )


class BoundedMemory(MemoryStorage):
    """Windows in memory, as many as callers came in the last minute, and never more than `most_callers`.

    The library's own looks at every caller again on every request, each in another thread, and has no bound.
    """

    # Chosen here by its class: the library's registry keeps its own for the scheme.
    STORAGE_SCHEME = None

    def __init__(self, clock: Clock = time.time, *, most_callers: int = MOST_CALLERS) -> None:
        super().__init__()
        self._clock = clock
        self._most_callers = most_callers
        self._windows: OrderedDict[str, list[float]] = OrderedDict()
        """When each caller's requests were, oldest first; the callers by their last request."""

    def __len__(self) -> int:
        return len(self._windows)

    async def acquire_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        now = self._clock()
        window = self._window(key, now, expiry)
        if len(window) + amount > limit:
            return False
        window.extend([now] * amount)
        self._windows[key] = window
        self._windows.move_to_end(key)
        self._forget(since=now - expiry)
        return True

    async def get_moving_window(self, key: str, limit: int, expiry: int) -> tuple[float, int]:
        now = self._clock()
        window = self._window(key, now, expiry)
        return (window[0] if window else now), len(window)

    def _window(self, key: str, now: float, expiry: int) -> list[float]:
        """Those of the last minute; what lies ahead was counted before somebody set the clock back."""
        window = self._windows.get(key, [])
        del window[bisect_right(window, now) :]
        del window[: bisect_right(window, now - expiry)]
        return window

    def _forget(self, since: float) -> None:
        """Whoever was not here for a minute; and beyond the bound, whoever was not here for longest."""
        while self._windows:
            oldest = next(iter(self._windows.values()))
            if oldest and oldest[-1] > since and len(self._windows) <= self._most_callers:
                return
            self._windows.popitem(last=False)


class _NoAnswer(Exception):
    """Redis failed, or takes too long."""


class _Redis:
    """Left alone for a while after it failed, so that no reader waits for what is down."""

    def __init__(self, url: str, seconds: float, clock: Clock) -> None:
        self._seconds = seconds
        self._clock = clock
        self._pool = _pool(url)
        # The address is in the pool; this one only says which kind of storage it is.
        storage = RedisStorage(
            "async+redis://",
            wrap_exceptions=True,
            implementation="redispy",
            key_prefix="glossator",
            connection_pool=cast("Any", self._pool),
        )
        self._limiter = MovingWindowRateLimiter(storage)
        self._counting: set[asyncio.Task[RateLimitStatus]] = set()
        self._is_down = False
        self._try_again_at = 0.0

    def is_worth_a_try(self) -> bool:
        """While it is down, for one request every few seconds."""
        if not self._is_down:
            return True
        now = self._clock()
        if now < self._try_again_at <= now + _LEFT_ALONE_SECONDS:
            return False
        self._try_again_at = now + _LEFT_ALONE_SECONDS
        return True

    async def count(self, item: RateLimitItem, who: str) -> RateLimitStatus:
        """What takes too long goes on by itself: it may be the connection that the next one needs."""
        counting = asyncio.create_task(self._counted(item, who))
        self._counting.add(counting)
        counting.add_done_callback(self._done)
        await asyncio.wait({counting}, timeout=self._seconds)
        if not counting.done():
            self._went_down("slow")
            raise _NoAnswer
        status = counting.result()
        self._came_up()
        return status

    async def aclose(self) -> None:
        for counting in self._counting:
            counting.cancel()
        await asyncio.gather(*self._counting, return_exceptions=True)
        await self._pool.aclose()

    async def _counted(self, item: RateLimitItem, who: str) -> RateLimitStatus:
        with self._redis_errors():
            return await _count(self._limiter, item, who, self._clock)

    @contextmanager
    def _redis_errors(self) -> Generator[None]:
        try:
            yield
        # A server that is no Redis says what cannot be read as one's numbers.
        except (StorageError, OSError, ValueError, TypeError) as error:
            self._went_down(type(error.__cause__ or error).__name__)
            raise _NoAnswer from error

    def _done(self, counting: asyncio.Task[RateLimitStatus]) -> None:
        self._counting.discard(counting)
        if not counting.cancelled():
            counting.exception()

    def _went_down(self, reason: str) -> None:
        self._try_again_at = self._clock() + _LEFT_ALONE_SECONDS
        if not self._is_down:
            structlog.get_logger().warning("limits_not_shared", reason=reason)
        self._is_down = True

    def _came_up(self) -> None:
        if self._is_down:
            structlog.get_logger().info("limits_shared_again")
        self._is_down = False


def _pool(url: str) -> BlockingConnectionPool:
    # Its type says nothing of what it takes.
    from_url = cast("Any", BlockingConnectionPool).from_url
    try:
        return from_url(
            url,
            max_connections=_CONNECTIONS,
            timeout=_CONNECT_SECONDS,
            socket_timeout=_CONNECT_SECONDS,
            socket_connect_timeout=_CONNECT_SECONDS,
            retry=Retry(NoBackoff(), 0),
        )
    except ValueError as error:
        # Without the address: it may hold a password.
        raise SettingsError("The address of Redis is not one: write redis://host:6379/0.") from error
