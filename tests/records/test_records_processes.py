"""Several processes share the records, and any of them may be killed at any moment."""

from __future__ import annotations

import asyncio
import random
import time
from contextlib import ExitStack
from datetime import UTC, datetime

from glossator.model import TurnStatus
from support.records_process import another_process
from support.records_story import ALICE, Records, opened


def test_processes_that_write_at_once_lose_nothing(database_url: str):
    names = ["one", "two", "three"]
    with ExitStack() as running:
        asking = [running.enter_context(another_process("ask", database_url, name, "30")) for name in names]
        told = {name: process.communicate()[0].split() for name, process in zip(names, asking, strict=True)}
        assert [process.returncode for process in asking] == [0, 0, 0]

    async def story():
        async with opened(database_url) as records:
            records.clock.now = datetime.now(UTC)
            for name in names:
                kept = await records.exchanges.of_session(name, ALICE)
                assert [exchange.id for exchange in kept] == told[name]
                assert [exchange.question for exchange in kept] == [f"{name} {n}" for n in range(30)]

    asyncio.run(story())


def test_a_killed_process_leaves_no_half_exchange_and_loses_none_that_it_told_of(database_url: str):
    told = list[str]()
    moments = random.Random(7)
    for round_number in range(6):
        with another_process("ask", database_url, f"round{round_number}", "100000") as process:
            assert process.stdout is not None
            told.append(process.stdout.readline().strip())
            _let_run(moments.uniform(0.0, 0.15))
            process.kill()
            told += process.stdout.read().split()

    async def story():
        async with opened(database_url) as records:
            records.clock.now = datetime.now(UTC)
            await _is_whole(records, told)

    asyncio.run(story())


async def _is_whole(records: Records, told: list[str]) -> None:
    kept = list[str]()
    for round_number in range(6):
        name = f"round{round_number}"
        exchanges = await records.exchanges.of_session(name, ALICE)
        session = await records.sessions.find(name, ALICE)
        assert session.exchanges == len(exchanges)
        assert [exchange.question for exchange in exchanges] == [f"{name} {n}" for n in range(len(exchanges))]
        assert {exchange.answer.text for exchange in exchanges} == {"Nodes talk over topics [1]."}
        kept += [exchange.id for exchange in exchanges]
    # The last line of a process may have been cut in the middle.
    whole = [
        exchange_id for exchange_id in told if await records.exchanges.status(exchange_id, ALICE) is not None
    ]
    assert len(told) - len(whole) <= 6
    assert set(whole) <= set(kept)
    swept = await records.retention_store.sweep(records.clock.forward(seconds=60))
    for left in swept.interrupted:
        assert await records.exchanges.status(left, ALICE) == TurnStatus.INTERRUPTED
        assert left not in kept
    await records.ask("round0", question="Afterwards")


def _let_run(seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        time.sleep(0.005)
