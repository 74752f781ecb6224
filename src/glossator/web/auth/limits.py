"""Rate limits: requests per minute in a moving window, counted in Redis or in memory."""

from __future__ import annotations

import asyncio
import math
import time
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import structlog
from limits import RateLimitItem, RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage, RedisStorage
from limits.aio.strategies import MovingWindowRateLimiter, RateLimiter
from limits.errors import StorageError
from starlette.types import Scope

from glossator.errors import SettingsError
from glossator.extras import need_extra

if TYPE_CHECKING:
    from redis.asyncio import BlockingConnectionPool

Clock = Callable[[], float]

MOST_CALLERS = 20_000
"""How many callers are counted in memory at once."""

_CONNECT_SECONDS = 2.0
"""Longer than a request waits for Redis, or a distant Redis could never be connected to."""
_RETRY_SECONDS = 5.0
"""The pause after a failure before Redis is tried again."""
_CONNECTIONS = 4
"""Few, so that a burst of requests does not open a burst of connections."""


@dataclass(frozen=True, slots=True)
class RateLimitStatus:
    """How many requests a caller has left, once this one is counted."""

    limit: int
    remaining: int
    reset_at: float
    """When the oldest request leaves the window, in seconds since 1970."""
    reset_after: float
    """The same in seconds from now."""
    retry_after: float | None = None
    """In seconds; None where the request is within the limit."""


RateHeaders = Callable[[RateLimitStatus], Mapping[str, str]]


def rate_headers(status: RateLimitStatus) -> Mapping[str, str]:
    """Says the reset in seconds from now, as in the IETF draft."""
    return {
        "RateLimit-Limit": str(status.limit),
        "RateLimit-Remaining": str(status.remaining),
        "RateLimit-Reset": str(math.ceil(status.reset_after)),
    }


def x_rate_headers(status: RateLimitStatus) -> Mapping[str, str]:
    """Says the reset as a Unix time, as is customary for these header names."""
    return {
        "X-RateLimit-Limit": str(status.limit),
        "X-RateLimit-Remaining": str(status.remaining),
        "X-RateLimit-Reset": str(math.ceil(status.reset_at)),
    }


def rate_limit_status(scope: Scope) -> RateLimitStatus | None:
    """None where the request was not counted."""
    return scope.get("state", {}).get("rate_limit_status")


class RateLimits:
    """Counts in Redis for all servers together; in memory without Redis, or while it is down."""

    def __init__(
        self,
        per_minute: int,
        redis_url: str | None = None,
        *,
        redis_seconds: float = 0.1,
        clock: Clock = time.time,
    ) -> None:
        """`redis_seconds`: how long a request waits for Redis before it is counted in memory."""
        self._item = RateLimitItemPerMinute(per_minute)
        self._clock = clock
        self._memory = MovingWindowRateLimiter(BoundedMemory(clock))
        self._redis = _Redis(redis_url, redis_seconds, clock) if redis_url else None

    async def hit(self, caller: str) -> RateLimitStatus:
        if self._redis is not None and self._redis.should_try():
            with suppress(_RedisFailed):
                return await self._redis.count(self._item, caller)
        return await _count(self._memory, self._item, caller, self._clock)

    async def aclose(self) -> None:
        if self._redis is not None:
            await self._redis.aclose()


async def _count(limiter: RateLimiter, item: RateLimitItem, caller: str, clock: Clock) -> RateLimitStatus:
    is_within = await limiter.hit(item, caller)
    window = await limiter.get_window_stats(item, caller)
    reset_after = max(0.0, window.reset_time - clock())
    return RateLimitStatus(
        limit=item.amount,
        remaining=max(0, window.remaining) if is_within else 0,
        reset_at=window.reset_time,
        reset_after=reset_after,
        retry_after=None if is_within else reset_after,
    )


class BoundedMemory(MemoryStorage):
    """The windows of the callers of the last minute, at most `most_callers` of them.

    The library's own storage visits every caller on every request, in another thread, and has no bound.
    """

    # Not registered for a scheme: this class is used directly.
    STORAGE_SCHEME = None

    def __init__(self, clock: Clock = time.time, *, most_callers: int = MOST_CALLERS) -> None:
        super().__init__()
        self._clock = clock
        self._most_callers = most_callers
        self._windows: OrderedDict[str, list[float]] = OrderedDict()
        """The times of each caller's requests, oldest first; callers in the order of their last request."""

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
        """The requests of the last minute; times in the future come from before the clock was set back."""
        window = self._windows.get(key, [])
        del window[bisect_right(window, now) :]
        del window[: bisect_right(window, now - expiry)]
        return window

    def _forget(self, since: float) -> None:
        """Drops callers without a request for a minute; above the bound, those idle for longest."""
        while self._windows:
            oldest = next(iter(self._windows.values()))
            if oldest and oldest[-1] > since and len(self._windows) <= self._most_callers:
                return
            self._windows.popitem(last=False)


class _RedisFailed(Exception):
    """Redis failed, or took too long."""


class _Redis:
    """Is not tried for a while after it failed, so that no request waits for it while it is down."""

    def __init__(self, url: str, seconds: float, clock: Clock) -> None:
        self._seconds = seconds
        self._clock = clock
        self._pool = _pool(url)
        # The pool has the address; this one only selects the kind of storage.
        storage = RedisStorage(
            "async+redis://",
            wrap_exceptions=True,
            implementation="redispy",
            key_prefix="glossator",
            connection_pool=cast("Any", self._pool),
        )
        self._limiter = MovingWindowRateLimiter(storage)
        self._running: set[asyncio.Task[RateLimitStatus]] = set()
        self._is_down = False
        self._retry_at = 0.0

    def should_try(self) -> bool:
        """While Redis is down, True for one request every few seconds."""
        if not self._is_down:
            return True
        now = self._clock()
        if now < self._retry_at <= now + _RETRY_SECONDS:
            return False
        self._retry_at = now + _RETRY_SECONDS
        return True

    async def count(self, item: RateLimitItem, caller: str) -> RateLimitStatus:
        """A slow call is not cancelled: it may be opening the connection that the next one needs."""
        task = asyncio.create_task(self._counted(item, caller))
        self._running.add(task)
        task.add_done_callback(self._finished)
        await asyncio.wait({task}, timeout=self._seconds)
        if not task.done():
            self._mark_down("slow")
            raise _RedisFailed
        status = task.result()
        self._mark_up()
        return status

    async def aclose(self) -> None:
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        await self._pool.aclose()

    async def _counted(self, item: RateLimitItem, caller: str) -> RateLimitStatus:
        with self._redis_errors():
            return await _count(self._limiter, item, caller, self._clock)

    @contextmanager
    def _redis_errors(self) -> Generator[None]:
        try:
            yield
        # ValueError and TypeError: another kind of server replies with what cannot be read as numbers.
        except (StorageError, OSError, ValueError, TypeError) as error:
            self._mark_down(type(error.__cause__ or error).__name__)
            raise _RedisFailed from error

    def _finished(self, task: asyncio.Task[RateLimitStatus]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()

    def _mark_down(self, reason: str) -> None:
        self._retry_at = self._clock() + _RETRY_SECONDS
        if not self._is_down:
            structlog.get_logger().warning("limits not shared", reason=reason)
        self._is_down = True

    def _mark_up(self) -> None:
        if self._is_down:
            structlog.get_logger().info("limits shared again")
        self._is_down = False


def _pool(url: str) -> BlockingConnectionPool:
    need_extra("redis", "Counting requests in Redis")
    from redis.asyncio import BlockingConnectionPool
    from redis.asyncio.retry import Retry
    from redis.backoff import NoBackoff

    # The library does not annotate the keyword arguments.
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
        # The message leaves out the address: it may hold a password.
        raise SettingsError("The address of Redis is invalid: write redis://host:6379/0.") from error
