"""Places and queue are shared between callers."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import ExitStack
from contextvars import copy_context

import pytest

from glossator.errors import Overloaded
from glossator.sessions.limits import ConcurrencyLimiter
from glossator.work import CALLER


class Crowd:
    """Callers who stay in their places until they are let go."""

    def __init__(self, limiter: ConcurrencyLimiter) -> None:
        self.limiter = limiter
        self.inside = list[str]()
        self.go = asyncio.Event()

    async def come(self, caller: str, count: int = 1) -> list[asyncio.Task[None]]:
        tasks = [_as(caller, self._stay(caller)) for _ in range(count)]
        for _ in range(3):
            await asyncio.sleep(0)
        return tasks

    async def _stay(self, caller: str) -> None:
        async with self.limiter.place():
            self.inside.append(caller)
            await self.go.wait()


def _as(caller: str, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
    context = copy_context()
    context.run(CALLER.set, caller)
    return asyncio.get_running_loop().create_task(work, context=context)


def test_one_caller_leaves_places_and_queue_to_the_others():
    async def story() -> None:
        crowd = Crowd(ConcurrencyLimiter(running=4, waiting=4))
        many = await crowd.come("many", 9)
        assert (crowd.inside, crowd.limiter.waiting) == (["many"] * 3, 3)
        await crowd.come("one")
        assert crowd.inside[-1] == "one"
        refused = [task for task in many if task.done()]
        assert len(refused) == crowd.limiter.refused == 3
        with pytest.raises(Overloaded):
            refused[0].result()
        crowd.go.set()
        await asyncio.gather(*(task for task in many if task not in refused))

    asyncio.run(story())


def test_those_who_wait_come_in_by_turns():
    async def story() -> None:
        crowd = Crowd(ConcurrencyLimiter(running=1, waiting=40))
        tasks = await crowd.come("first")
        for caller, count in (("many", 3), ("few", 2), ("one", 1)):
            tasks += await crowd.come(caller, count)
        crowd.go.set()
        await asyncio.gather(*tasks)
        assert crowd.inside == ["first", "many", "few", "one", "many", "few", "many"]

    asyncio.run(story())


def test_who_leaves_the_queue_or_is_cancelled_as_he_comes_in_holds_no_place():
    async def story() -> None:
        crowd = Crowd(ConcurrencyLimiter(running=1, waiting=4))
        [inside] = await crowd.come("a")
        [waiting, next_in] = await crowd.come("a", 2)
        waiting.cancel()
        await asyncio.wait({waiting})
        assert crowd.limiter.waiting == 1
        inside.cancel()
        await asyncio.sleep(0)
        # By now the next one has his place, and does not know it yet.
        next_in.cancel()
        await asyncio.wait({inside, next_in})
        await crowd.come("b")
        assert crowd.inside[-1] == "b"
        crowd.go.set()
        await asyncio.sleep(0)

    asyncio.run(story())


def test_requests_on_their_way_count_so_that_a_burst_is_refused_before_the_first_has_its_place():
    async def story() -> None:
        limiter = ConcurrencyLimiter(running=2, waiting=2)
        with ExitStack() as burst:
            for _ in range(4):
                burst.enter_context(limiter.arrive())
            with pytest.raises(Overloaded):
                limiter.check_room()
        limiter.check_room()
        assert limiter.refused == 1

    asyncio.run(story())


def test_who_has_arrived_at_his_place_is_not_counted_on_his_way_as_well():
    async def story() -> None:
        limiter = ConcurrencyLimiter(running=1, waiting=1)
        with limiter.arrive():
            async with limiter.place():
                with limiter.arrive(), pytest.raises(Overloaded):
                    limiter.check_room()
                limiter.check_room()
            limiter.check_room()

    asyncio.run(story())


def test_a_caller_whose_share_is_taken_has_no_room_while_others_have():
    async def story() -> None:
        crowd = Crowd(ConcurrencyLimiter(running=4, waiting=4))
        tasks = await crowd.come("many", 6)
        CALLER.set("many")
        with pytest.raises(Overloaded):
            crowd.limiter.check_room()
        CALLER.set("one")
        crowd.limiter.check_room()
        crowd.go.set()
        await asyncio.gather(*tasks)

    asyncio.run(story())
