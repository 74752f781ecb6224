"""What is past its time is archived and deleted; what a crash left is cleared; who asks is forgotten."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from glossator.adapters.records.retention import Retention
from glossator.adapters.records.retention_store import SqlRetentionStore
from glossator.errors import SessionUnknown
from glossator.model import (
    Contract,
    ErasedReader,
    Feedback,
    Idempotency,
    Lifecycle,
    Owner,
    RetentionReport,
    SessionState,
    TurnStatus,
)
from support.records_story import ALICE, BOB, DAY, NOON, Records, answer, opened, refusal


def test_nothing_is_swept_before_its_time(play):
    async def story(records: Records):
        for contract in (Contract.NATIVE, Contract.GROUNDING, Contract.COURSE):
            await records.ask(contract.value, contract=contract)
        assert await records.retention_store.sweep(NOON + timedelta(minutes=59)) == RetentionReport()

    play(story)


def test_each_contract_has_its_own_times(play):
    async def story(records: Records):
        for contract in (Contract.NATIVE, Contract.GROUNDING, Contract.COURSE):
            await records.ask(contract.value, contract=contract)
        after_two_hours = await records.retention_store.sweep(NOON + timedelta(hours=2))
        assert after_two_hours.archived == ("grounding", "native")
        assert after_two_hours.deleted == ()
        after_a_day = await records.retention_store.sweep(NOON + timedelta(days=2))
        assert (after_a_day.archived, after_a_day.deleted) == ((), ("grounding",))
        after_a_season = await records.retention_store.sweep(NOON + timedelta(days=91))
        assert after_a_season.deleted == ("course", "native")
        assert await records.insight_store.list_sessions() == []

    play(story)


def test_a_dry_run_says_the_same_and_changes_nothing(play):
    async def story(records: Records):
        await records.ask("old", contract=Contract.GROUNDING)
        await records.turns.accept(records.turn("left"))
        records.clock.forward(hours=25)
        await records.ask("idle")
        now = records.clock.forward(hours=2)
        before = await records.insight_store.list_sessions()
        would = await records.retention_store.sweep(now, dry_run=True)
        assert await records.insight_store.list_sessions() == before
        assert await records.retention_store.sweep(now, dry_run=True) == would
        did = await records.retention_store.sweep(now)
        assert did == would
        assert (did.archived, did.deleted, len(did.interrupted)) == (("idle", "left"), ("old",), 1)

    play(story)


def test_sweeping_twice_does_nothing_the_second_time(play):
    async def story(records: Records):
        await records.ask()
        now = records.clock.forward(hours=2)
        assert (await records.retention_store.sweep(now)).archived == ("s",)
        assert await records.retention_store.sweep(now) == RetentionReport()

    play(story)


def test_a_turn_that_a_crash_left_is_interrupted_and_its_session_free(play):
    async def story(records: Records):
        left, alive = records.turn("left"), records.turn("alive")
        await records.turns.accept(left)
        records.clock.forward(seconds=8)
        await records.turns.accept(alive)
        now = records.clock.forward(seconds=4)
        assert (await records.retention_store.sweep(now)).interrupted == (left.id,)
        assert await records.exchanges.status(left.id, ALICE) == TurnStatus.INTERRUPTED
        assert await records.exchanges.status(alive.id, ALICE) == TurnStatus.ACCEPTED
        await records.turns.complete(alive.id, answer(), records.clock.now)
        await records.ask("left")

    play(story)


def test_a_turn_whose_session_another_took_over_is_interrupted_too(play):
    async def story(records: Records):
        left = records.turn()
        await records.turns.accept(left)
        records.clock.forward(seconds=11)
        running = records.turn()
        await records.turns.accept(running)
        assert (await records.retention_store.sweep(records.clock.now)).interrupted == (left.id,)
        await records.turns.complete(running.id, answer(), records.clock.now)

    play(story)


def test_a_session_in_which_a_turn_runs_is_left_alone(play):
    async def story(records: Records):
        short = Lifecycle(archive_after=timedelta(seconds=1), delete_after=timedelta(seconds=2), in_view=1)
        for seconds in (1.5, 2.5):
            turn = records.turn()
            await records.turns.accept(turn)
            now = records.clock.forward(seconds=seconds)
            hasty = SqlRetentionStore(records.database, Retention({Contract.NATIVE: short}, records.clock))
            assert await hasty.sweep(now) == RetentionReport()
            await records.turns.complete(turn.id, answer(), now)
        assert len(await records.questions()) == 2

    play(story)


def test_names_of_requests_are_forgotten_after_a_day(play):
    async def story(records: Records):
        await records.ask(idempotency=Idempotency("old", "f"))
        records.clock.forward(hours=20)
        await records.ask(idempotency=Idempotency("new", "f"))
        await records.retention_store.sweep(records.clock.forward(hours=5))
        rows = await records.database.read(
            lambda connection: connection.exec_driver_sql("SELECT count(*) FROM idempotency_keys").scalar()
        )
        assert rows == 1

    play(story)


def test_between_two_sweeps_only_what_a_crash_left_is_looked_for(play):
    async def story(records: Records):
        await records.ask("idle")
        left = records.turn("left", idempotency=Idempotency("a name", "f"))
        await records.turns.accept(left)
        assert await records.retention_store.end_abandoned(records.clock.forward(seconds=9)) == ()
        assert list(await records.retention_store.end_abandoned(records.clock.forward(hours=2))) == [left.id]
        assert await records.retention_store.end_abandoned(records.clock.now) == ()
        assert (await records.retention_store.sweep(records.clock.now)).archived == ("idle", "left")

    play(story)


def test_many_sessions_are_deleted_in_one_sweep(play):
    async def story(records: Records):
        turns = [records.turn(f"session {n}", contract=Contract.GROUNDING) for n in range(250)]
        await asyncio.gather(*map(records.turns.accept, turns))
        swept = await records.retention_store.sweep(NOON + 2 * DAY)
        assert swept.deleted == tuple(sorted(turn.session.id for turn in turns))

    play(story)


def test_one_replica_sweeps_at_a_time(database_url: str):
    async def story():
        async with opened(database_url) as one, opened(database_url) as other:
            await one.ask()
            now = one.clock.forward(hours=2)
            async with other.database.exclusive() as is_exclusive:
                assert is_exclusive
                assert await one.retention_store.sweep(now) == RetentionReport(is_elsewhere=True)
                assert (await one.retention_store.sweep(now, dry_run=True)).archived == ("s",)
            assert (await one.retention_store.sweep(now)).archived == ("s",)

    asyncio.run(story())


def test_of_two_replicas_that_sweep_at_once_one_does_it(database_url: str):
    async def story():
        async with opened(database_url) as one, opened(database_url) as other:
            for n in range(20):
                await one.ask(f"session {n}")
            now = one.clock.forward(hours=2)
            swept = await asyncio.gather(one.retention_store.sweep(now), other.retention_store.sweep(now))
            assert sum(len(each.archived) for each in swept) == 20

    asyncio.run(story())


def test_a_reader_who_wants_to_be_forgotten_is_and_gets_a_receipt(play):
    async def story(records: Records):
        told = await records.ask("one", question="A secret of Alice")
        await records.ask("two", reply=refusal(), contract=Contract.COURSE)
        await records.exchanges.judge(Feedback(told.id, helpful=True), ALICE, records.clock.now)
        await records.turns.accept(records.turn("three"))
        await records.ask("one", Owner("key-2", "alice"))
        kept = [await records.ask("one", BOB), await records.ask("one", Owner("key-1"))]
        assert await records.retention_store.erase("alice") == ErasedReader(
            sessions=4, exchanges=3, feedback=1, unanswered=1
        )
        with pytest.raises(SessionUnknown):
            await records.sessions.find("one", ALICE)
        overview = await records.insight_store.overview(NOON)
        assert overview.exchanges == len(kept)
        assert await records.retention_store.erase("alice") == ErasedReader(0, 0, 0, 0)

    play(story)


def test_a_reader_whom_only_the_note_of_a_session_names_is_forgotten_too(play):
    async def story(records: Records):
        nobody = Owner("key-1")
        noted: dict[str, Any] = {"owner": nobody, "session": {"metadata": {"user_id": "آدا's"}}}
        await records.ask("noted", contract=Contract.GROUNDING, **noted)
        # What a client of threads notes is its own affair.
        await records.ask("other", contract=Contract.THREADS, **noted)
        others: dict[str, Any] = {"metadata": {"user_id": "bob", "filters": {"chapter": ["آدا's"]}}}
        await records.ask("bob's", nobody, contract=Contract.GROUNDING, session=others)
        await records.ask("nobody's", nobody, contract=Contract.GROUNDING)
        assert await records.retention_store.erase("آدا's", ["elsewhere"]) == ErasedReader(0, 0, 0, 0)
        assert await records.retention_store.erase("آدا's") == ErasedReader(1, 1, 0, 0)
        left = {session.id for session in await records.insight_store.list_sessions()}
        assert left == {"other", "bob's", "nobody's"}

    play(story)


def test_one_session_is_erased_with_a_receipt_and_only_once(play):
    async def story(records: Records):
        await records.ask("one", reply=refusal())
        await records.ask("two")
        assert await records.retention_store.erase_session("one", ALICE) == ErasedReader(1, 1, 0, 1)
        for owner in (ALICE, BOB):
            with pytest.raises(SessionUnknown):
                await records.retention_store.erase_session("one", owner)
        assert len(await records.insight_store.list_sessions()) == 1

    play(story)


@pytest.mark.parametrize("nobody", ["", "nul\0", "x" * 300])
def test_forgetting_nobody_forgets_nobody(play, nobody: str):
    async def story(records: Records):
        await records.ask(owner=Owner("key-1"))
        assert await records.retention_store.erase(nobody) == ErasedReader(0, 0, 0, 0)
        assert len(await records.insight_store.list_sessions()) == 1

    play(story)


@pytest.mark.parametrize("way", ["erase", "delete", "reset", "sweep"])
def test_words_that_were_deleted_are_gone_from_the_disk(sqlite_url: str, way: str):
    folder = Path(sqlite_url.removeprefix("sqlite:///")).parent

    def is_on_disk(word: bytes) -> bool:
        return any(word in file.read_bytes() for file in folder.iterdir())

    async def story():
        async with opened(sqlite_url) as records:
            for n in range(30):
                await records.ask(f"other {n}", BOB)
                await records.ask(
                    "s", question="Something about xylophones?", reply=answer("Zygomorphic. " * 300)
                )
            assert is_on_disk(b"xylophones")
            ways = {
                "erase": lambda: records.retention_store.erase("alice"),
                "delete": lambda: records.sessions.delete("s", ALICE),
                "reset": lambda: records.sessions.reset("s", ALICE),
                "sweep": lambda: records.retention_store.sweep(NOON + 100 * DAY),
            }
            await ways[way]()
            assert not is_on_disk(b"xylophones")
            assert not is_on_disk(b"Zygomorphic")

    asyncio.run(story())


def test_a_ping_finds_the_database(play):
    async def story(records: Records):
        await records.retention_store.ping()

    play(story)


def test_the_operator_lists_sessions_by_state_and_contract(play):
    async def story(records: Records):
        await records.ask("expired", contract=Contract.GROUNDING)
        records.clock.forward(hours=25)
        await records.ask("inactive")
        records.clock.forward(hours=2)
        await records.ask("active")
        await records.turns.accept(records.turn("created", contract=Contract.THREADS))
        for state in SessionState:
            (found,) = await records.insight_store.list_sessions(state=state)
            assert (found.id, found.state) == (state.value, state)
        assert [
            session.id for session in await records.insight_store.list_sessions(contract=Contract.NATIVE)
        ] == [
            "active",
            "inactive",
        ]
        assert [session.id for session in await records.insight_store.list_sessions(limit=2)] == [
            "created",
            "active",
        ]

    play(story)
