"""Sending a request twice asks once."""

from __future__ import annotations

import asyncio

import pytest

from glossator.errors import AlreadyAsked, IdempotencyMismatch
from glossator.model import Contract, Idempotency, Opening, TurnStatus
from support.records_story import ALICE, BOB, Records, answer

NAMED = Idempotency("a name", "a fingerprint")


def test_the_same_name_again_leads_to_the_same_exchange(play):
    async def story(records: Records):
        told = await records.ask(idempotency=NAMED)
        with pytest.raises(AlreadyAsked) as refused:
            await records.turns.accept(records.turn(idempotency=NAMED))
        assert refused.value.exchange_id == told.id
        assert await records.questions() == [told.question]

    play(story)


def test_the_same_name_for_another_request_is_a_mistake(play):
    async def story(records: Records):
        await records.ask(idempotency=NAMED)
        with pytest.raises(IdempotencyMismatch):
            await records.turns.accept(records.turn(idempotency=Idempotency("a name", "another fingerprint")))

    play(story)


def test_sent_eight_times_at_once_it_is_taken_once(play):
    async def story(records: Records):
        turns = [records.turn(f"session {n}", idempotency=NAMED, opening=Opening.ALWAYS) for n in range(8)]
        results = await asyncio.gather(*map(records.turns.accept, turns), return_exceptions=True)
        refused = [result for result in results if isinstance(result, AlreadyAsked)]
        (taken,) = [turn for turn, result in zip(turns, results, strict=True) if result not in refused]
        assert [error.exchange_id for error in refused] == [taken.id] * 7
        await records.turns.complete(taken.id, answer(), records.clock.now)
        assert len(await records.insight_store.list_sessions()) == 1

    play(story)


def test_a_name_is_known_before_the_session_is_looked_at(play):
    async def story(records: Records):
        turn = records.turn(idempotency=NAMED)
        await records.turns.accept(turn)
        with pytest.raises(AlreadyAsked) as refused:
            await records.turns.accept(records.turn(idempotency=NAMED))
        assert refused.value.exchange_id == turn.id

    play(story)


def test_names_of_another_reader_or_contract_are_others(play):
    async def story(records: Records):
        await records.ask("1", ALICE, idempotency=NAMED)
        await records.ask("1", BOB, idempotency=NAMED)
        await records.ask("2", ALICE, idempotency=NAMED, contract=Contract.COURSE)
        assert len(await records.questions("1", ALICE)) == 1
        assert len(await records.questions("1", BOB)) == 1
        assert len(await records.questions("2", ALICE)) == 1

    play(story)


@pytest.mark.parametrize("status", [TurnStatus.INTERRUPTED, TurnStatus.FAILED])
def test_after_a_turn_was_given_up_its_name_is_free(play, status: TurnStatus):
    async def story(records: Records):
        turn = records.turn(idempotency=NAMED)
        await records.turns.accept(turn)
        await records.turns.give_up(turn.id, status)
        names = await records.database.read(
            lambda connection: connection.exec_driver_sql("SELECT count(*) FROM idempotency_keys").scalar()
        )
        assert names == 0
        await records.ask(idempotency=Idempotency("a name", "another fingerprint"))

    play(story)


def test_the_name_of_a_turn_that_a_crash_left_is_free_when_its_lease_is_over(play):
    async def story(records: Records):
        left = records.turn(idempotency=NAMED)
        await records.turns.accept(left)
        with pytest.raises(AlreadyAsked):
            await records.turns.accept(records.turn(idempotency=NAMED))
        records.clock.forward(seconds=11)
        assert await records.exchanges.status(left.id, ALICE) == TurnStatus.INTERRUPTED
        told = await records.ask(idempotency=NAMED)
        assert await records.questions() == [told.question]

    play(story)


def test_a_name_is_free_after_a_day(play):
    async def story(records: Records):
        await records.ask(idempotency=NAMED)
        records.clock.forward(hours=23)
        with pytest.raises(AlreadyAsked):
            await records.turns.accept(records.turn(idempotency=NAMED))
        records.clock.forward(hours=2)
        await records.ask(idempotency=NAMED)
        assert len(await records.questions()) == 2

    play(story)


def test_what_was_refused_leaves_its_name_free(play):
    async def story(records: Records):
        running = records.turn()
        await records.turns.accept(running)
        refused = records.turn(idempotency=NAMED)
        with pytest.raises(Exception, match="still being answered"):
            await records.turns.accept(refused)
        await records.turns.complete(running.id, answer(), records.clock.now)
        await records.turns.accept(refused)

    play(story)


def test_deleting_a_session_frees_the_names_in_it(play):
    async def story(records: Records):
        await records.ask(idempotency=NAMED)
        await records.sessions.delete("s", ALICE)
        await records.ask(idempotency=NAMED)

    play(story)


def test_a_name_may_be_long_and_strange(play):
    async def story(records: Records):
        strange = Idempotency("\0 \ud800 " + "x" * 10_000, "f")
        told = await records.ask(idempotency=strange)
        with pytest.raises(AlreadyAsked) as refused:
            await records.turns.accept(records.turn(idempotency=strange))
        assert refused.value.exchange_id == told.id

    play(story)
