"""Limits that several servers share, in a real Redis that comes and goes."""

from __future__ import annotations

import asyncio
import gc
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from glossator.errors import SettingsError
from glossator.web.auth.limits import RateLimits
from support.access_redis import RedisServer


class Ahead:
    """The real time, which a test may run ahead of."""

    def __init__(self) -> None:
        self.by = 0.0

    def __call__(self) -> float:
        return time.time() + self.by


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path)
    server.start()
    yield server
    server.stop()


@asynccontextmanager
async def _limits(url: str, clock: Ahead | None = None, seconds: float = 5) -> AsyncIterator[RateLimits]:
    """With more patience than a server has, so that a busy machine does not look like a slow Redis."""
    limits = RateLimits(5, url, redis_seconds=seconds, clock=clock or time.time)
    try:
        yield limits
    finally:
        await limits.aclose()


async def _served(limits: RateLimits, who: str, times: int) -> int:
    standings = [await limits.hit(who) for _ in range(times)]
    return sum(status.retry_after is None for status in standings)


def test_two_servers_count_together(redis: RedisServer):
    async def counted() -> None:
        async with _limits(redis.url) as one, _limits(redis.url) as other:
            assert await _served(one, "a", 3) == 3
            before = time.time()
            standing = await other.hit("a")
            after = time.time()
            assert (standing.limit, standing.remaining) == (5, 1)
            assert 50 < standing.reset_after <= 60
            assert before - 1 < standing.reset_at - standing.reset_after < after + 1
            assert await _served(one, "a", 3) == 1
            refused = await other.hit("a")
            assert refused.remaining == 0
            assert refused.retry_after
            assert 50 < refused.retry_after <= 60
            assert await _served(other, "b", 9) == 5

    with capture_logs() as logs:
        asyncio.run(counted())
    assert logs == []


def test_many_at_once_on_two_servers_get_no_more_than_the_limit(redis: RedisServer):
    async def counted() -> int:
        async with _limits(redis.url) as one, _limits(redis.url) as other:
            hits = [limits.hit("a") for limits in (one, other) for _ in range(20)]
            return sum(standing.retry_after is None for standing in await asyncio.gather(*hits))

    with capture_logs() as logs:
        served = asyncio.run(counted())
    assert logs == []
    assert served == 5


def test_what_is_kept_in_redis_goes_away_by_itself(redis: RedisServer):
    from redis.asyncio import Redis

    async def kept() -> None:
        async with _limits(redis.url) as limits, Redis.from_url(redis.url) as client:
            await limits.hit("a")
            names = [name async for name in client.scan_iter("*")]
            assert len(names) == 1
            assert names[0].startswith(b"glossator")
            assert 0 < await client.ttl(names[0]) <= 60

    asyncio.run(kept())


def test_when_redis_dies_each_server_counts_for_itself_and_says_so_once(redis: RedisServer):
    async def outlived() -> None:
        ahead = Ahead()
        async with _limits(redis.url, ahead) as limits:
            assert await _served(limits, "a", 5) == 5
            redis.stop()
            assert await _served(limits, "a", 7) == 5
            for _ in range(3):
                ahead.by += 6
                await limits.hit("b")

    with capture_logs() as logs:
        asyncio.run(outlived())
    assert [(line["event"], line["log_level"]) for line in logs] == [("limits not shared", "warning")]
    assert "redis-password" not in str(logs)


def test_when_redis_comes_back_the_servers_count_together_again(redis: RedisServer):
    async def came_back() -> None:
        ahead = Ahead()
        async with _limits(redis.url, ahead) as limits, _limits(redis.url) as other:
            redis.stop()
            await limits.hit("a")
            redis.start()
            # It is left alone for a while.
            await limits.hit("a")
            assert (await other.hit("a")).remaining == 4
            ahead.by += 6
            assert (await limits.hit("a")).remaining == 3
            assert (await limits.hit("a")).remaining == 2

    with capture_logs() as logs:
        asyncio.run(came_back())
    assert [line["event"] for line in logs] == ["limits not shared", "limits shared again"]


def test_a_redis_that_lost_its_memory_is_asked_again_without_a_failure(redis: RedisServer):
    """Also the scripts that count are gone then."""

    async def asked() -> None:
        async with _limits(redis.url) as limits:
            await limits.hit("a")
            from redis.asyncio import Redis

            async with Redis.from_url(redis.url) as client:
                await client.script_flush()
                await client.flushall()
            assert (await limits.hit("a")).remaining == 4

    with capture_logs() as logs:
        asyncio.run(asked())
    assert logs == []


def test_while_redis_is_down_one_request_at_a_time_tries_it():
    async def tried() -> int:
        knocks = 0

        async def knock(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal knocks
            knocks += 1
            writer.close()

        server = await asyncio.start_server(knock, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        ahead = Ahead()
        async with server, _limits(f"redis://127.0.0.1:{port}", ahead) as limits:
            await limits.hit("a")
            before = knocks
            await asyncio.gather(*(limits.hit("a") for _ in range(30)))
            assert knocks == before
            ahead.by += 6
            await asyncio.gather(*(limits.hit("a") for _ in range(30)))
            return knocks - before

    assert asyncio.run(tried()) == 1


@pytest.mark.parametrize(
    "reply",
    [
        None,
        b"",
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"-ERR no\r\n" * 20,
        b"+OK\r\n" * 20,
        b":x\r\n" * 20,
        b"\xff" * 200,
    ],
    ids=["silence", "hang-up", "http", "errors", "nonsense", "no-number", "noise"],
)
def test_a_redis_that_answers_wrongly_or_not_at_all_costs_a_reader_a_moment(reply: bytes | None):
    async def served() -> None:
        over = asyncio.Event()

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                await reader.read(100)
                if reply is None:
                    await over.wait()
                else:
                    writer.write(reply)
            finally:
                writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server, _limits(f"redis://127.0.0.1:{port}", seconds=0.1) as limits, asyncio.timeout(5):
            assert await _served(limits, "a", 7) == 5
            over.set()

    with capture_logs() as logs:
        asyncio.run(served())
    assert [line["event"] for line in logs] == ["limits not shared"]


def test_what_fails_after_its_reader_went_on_is_nobodys_business():
    async def failed() -> list[object]:
        complaints, over = list[object](), asyncio.Event()
        asyncio.get_running_loop().set_exception_handler(lambda loop, about: complaints.append(about))

        async def hang_up_late(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await over.wait()
            writer.close()

        server = await asyncio.start_server(hang_up_late, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server, _limits(f"redis://127.0.0.1:{port}", seconds=0.1) as limits, asyncio.timeout(10):
            await limits.hit("a")
            over.set()
            while len(asyncio.all_tasks()) > 1:
                await asyncio.sleep(0.01)
            gc.collect()
        return complaints

    assert asyncio.run(failed()) == []


def test_a_redis_that_is_far_away_is_used_once_it_is_connected(redis: RedisServer):
    """To connect takes longer than a reader waits; what is asked afterwards does not."""

    async def used() -> None:
        arrived = asyncio.Event()

        async def far(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            there, back = await asyncio.open_connection("127.0.0.1", redis.port)
            try:
                await arrived.wait()
                await asyncio.gather(_pump(reader, back), _pump(there, writer))
            finally:
                back.close()
                writer.close()

        server = await asyncio.start_server(far, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        ahead = Ahead()
        url = redis.url.replace(str(redis.port), str(port))
        async with server, _limits(url, ahead, seconds=0.1) as limits, _limits(redis.url) as near:
            await limits.hit("a")
            arrived.set()
            async with asyncio.timeout(10):
                for number in count():
                    await near.hit(f"b{number}")
                    ahead.by += 6
                    if (await limits.hit(f"b{number}")).remaining == 3:
                        return

    with capture_logs() as logs:
        asyncio.run(used())
    assert [line["event"] for line in logs[:2]] == ["limits not shared", "limits shared again"]


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(4096):
        writer.write(data)
        await writer.drain()


def test_an_address_where_nobody_is_costs_nothing():
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"redis://127.0.0.1:{nobody.getsockname()[1]}"

        async def served() -> int:
            async with _limits(url) as limits:
                return await _served(limits, "a", 7)

        assert asyncio.run(served()) == 5


@pytest.mark.parametrize(
    "url", ["127.0.0.1:6379", "http://:hunter2@127.0.0.1", "redis://:hunter2@host:port/"]
)
def test_a_wrong_address_is_refused_without_its_password(url: str):
    with pytest.raises(SettingsError, match=r"write redis://host:6379/0") as refused:
        RateLimits(5, url)
    assert "hunter2" not in str(refused.value)
