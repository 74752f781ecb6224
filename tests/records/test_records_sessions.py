"""Sessions have an owner, and a time to live."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime

import pytest

from glossator.errors import ExchangeUnknown, SessionUnknown
from glossator.model import Contract, Feedback, Filters, Owner, Session, SessionState
from support.records_story import ALICE, BOB, Records, answer

STRANGERS = [BOB, Owner("key-1"), Owner("key-2", "alice"), Owner("key-1", "ALICE"), Owner("key-1", "nul\0")]


def session(
    records: Records, name: str = "s", owner: Owner = ALICE, contract: Contract = Contract.NATIVE, **fields
):
    return Session(name, owner, contract, records.clock.now, records.clock.now, **fields)


def test_a_session_reads_back_as_it_was_opened(play):
    async def story(records: Records):
        opened = session(
            records,
            contract=Contract.GROUNDING,
            metadata={"tags": ["a", "b"], "nested": {"deep": None}},
            context_mode="user_provided",
            filters=Filters(chapter=("One", "Two"), section=("Three",)),
        )
        assert await records.sessions.open(opened) == opened
        assert await records.sessions.find("s", ALICE) == opened

    play(story)


def test_a_session_without_a_user_is_its_keys(play):
    async def story(records: Records):
        await records.sessions.open(session(records, owner=Owner("key-1")))
        assert (await records.sessions.find("s", Owner("key-1"))).owner == Owner("key-1")
        with pytest.raises(SessionUnknown):
            await records.sessions.find("s", ALICE)

    play(story)


def test_opening_it_again_gives_the_one_that_is_there(play):
    async def story(records: Records):
        first = await records.sessions.open(session(records, metadata={"first": True}))
        records.clock.forward(minutes=1)
        again = await records.sessions.open(session(records, metadata={"first": False}))
        assert again == first

    play(story)


def test_opening_one_whose_time_is_over_gives_a_new_one(play):
    async def story(records: Records):
        await records.ask(contract=Contract.GROUNDING)
        records.clock.forward(hours=25)
        again = await records.sessions.open(session(records, contract=Contract.GROUNDING))
        assert (again.exchanges, again.created_at) == (0, records.clock.now)

    play(story)


DOORS: dict[str, Callable[[Records, Owner], Awaitable[object]]] = {
    "find": lambda records, owner: records.sessions.find("s", owner),
    "reset": lambda records, owner: records.sessions.reset("s", owner),
    "delete": lambda records, owner: records.sessions.delete("s", owner),
    "exchanges": lambda records, owner: records.exchanges.of_session("s", owner),
}


CREATED_DOORS: dict[str, Callable[[Records, datetime], Awaitable[object]]] = {
    "find": lambda records, at: records.sessions.find("s", ALICE, created_at=at),
    "reset": lambda records, at: records.sessions.reset("s", ALICE, created_at=at),
    "delete": lambda records, at: records.sessions.delete("s", ALICE, created_at=at),
    "exchanges": lambda records, at: records.exchanges.of_session("s", ALICE, created_at=at),
}


@pytest.mark.parametrize("door", DOORS)
def test_a_wrong_owner_hears_the_same_as_for_an_unknown_session(play, door: str):
    async def story(records: Records):
        with pytest.raises(SessionUnknown) as unknown:
            await DOORS[door](records, ALICE)
        told = await records.ask()
        for stranger in STRANGERS:
            with pytest.raises(SessionUnknown) as refused:
                await DOORS[door](records, stranger)
            assert str(refused.value) == str(unknown.value)
        assert await records.questions() == [told.question]

    play(story)


@pytest.mark.parametrize("door", CREATED_DOORS)
def test_a_later_session_of_the_same_id_is_not_the_one_that_was_created_before(play, door: str):
    async def story(records: Records):
        first = await records.sessions.open(session(records))
        await records.sessions.delete("s", ALICE, created_at=first.created_at)
        with pytest.raises(SessionUnknown) as unknown:
            await CREATED_DOORS[door](records, first.created_at)
        records.clock.forward(microseconds=1)
        told = await records.ask()
        with pytest.raises(SessionUnknown) as refused:
            await CREATED_DOORS[door](records, first.created_at)
        assert str(refused.value) == str(unknown.value)
        assert await records.questions() == [told.question]
        await CREATED_DOORS[door](records, told.session_created_at)

    play(story)


def test_a_wrong_owner_neither_finds_nor_judges_an_exchange(play):
    async def story(records: Records):
        told = await records.ask()
        for stranger in STRANGERS:
            with pytest.raises(ExchangeUnknown):
                await records.exchanges.find(told.id, stranger)
            with pytest.raises(ExchangeUnknown):
                await records.exchanges.judge(Feedback(told.id, helpful=False), stranger, records.clock.now)
        assert (await records.insight_store.export("s", ALICE)).feedback == []

    play(story)


@pytest.mark.parametrize("door", DOORS)
def test_a_session_whose_time_is_over_reads_as_unknown(play, door: str):
    async def story(records: Records):
        told = await records.ask(contract=Contract.GROUNDING)
        records.clock.forward(hours=23, minutes=59)
        await records.sessions.find("s", ALICE)
        records.clock.forward(minutes=2)
        with pytest.raises(SessionUnknown):
            await DOORS[door](records, ALICE)
        with pytest.raises(ExchangeUnknown):
            await records.exchanges.find(told.id, ALICE)

    play(story)


def test_a_session_is_inactive_after_its_hour_whether_or_not_it_was_swept(play):
    async def story(records: Records):
        await records.ask("native")
        await records.ask("course", contract=Contract.COURSE)
        records.clock.forward(minutes=61)
        assert (await records.sessions.find("native", ALICE)).state == SessionState.INACTIVE
        assert (await records.sessions.find("course", ALICE)).state == SessionState.ACTIVE
        assert len(await records.questions("native")) == 1

    play(story)


def test_a_reset_empties_the_history_and_keeps_the_id(play):
    async def story(records: Records):
        for _ in range(6):
            told = await records.ask(session={"metadata": {"kept": True}})
        await records.exchanges.judge(Feedback(told.id, helpful=True), ALICE, records.clock.now)
        reset = await records.sessions.reset("s", ALICE)
        assert (reset.exchanges, reset.topic_summary, reset.state) == (0, "", SessionState.CREATED)
        assert reset.metadata == {"kept": True}
        assert await records.sessions.find("s", ALICE) == reset
        assert await records.questions() == []
        with pytest.raises(ExchangeUnknown):
            await records.exchanges.find(told.id, ALICE)

    play(story)


def test_deleting_a_session_deletes_all_that_is_its_own_and_nothing_else(play):
    async def story(records: Records):
        gone = await records.ask("gone")
        kept = await records.ask("kept")
        for told in (gone, kept):
            await records.exchanges.judge(Feedback(told.id, helpful=True), ALICE, records.clock.now)
        await records.sessions.delete("gone", ALICE)
        with pytest.raises(SessionUnknown):
            await records.sessions.delete("gone", ALICE)
        assert await records.exchanges.status(gone.id, ALICE) is None
        overview = await records.insight_store.overview(kept.asked_at)
        assert (overview.exchanges, overview.helpful) == (1, 1)

    play(story)


def test_only_the_last_exchanges_are_given_when_only_those_are_wanted(play):
    async def story(records: Records):
        asked = [(await records.ask()).question for _ in range(5)]
        for limit in (1, 3, 5, 50):
            kept = await records.exchanges.of_session("s", ALICE, limit)
            assert [exchange.question for exchange in kept] == asked[-limit:]

    play(story)


def test_feedback_that_is_given_again_replaces_what_was_said(play):
    async def story(records: Records):
        told = await records.ask()
        await records.exchanges.judge(Feedback(told.id, helpful=True), ALICE, records.clock.now)
        second = Feedback(told.id, helpful=False, reason="It is about another robot.")
        await records.exchanges.judge(second, ALICE, records.clock.now)
        assert (await records.insight_store.export("s", ALICE)).feedback == [second]

    play(story)


def test_what_is_not_complete_can_neither_be_found_nor_judged(play):
    async def story(records: Records):
        turn = records.turn()
        await records.turns.accept(turn)
        for exchange_id in (turn.id, "unknown", "", "nul\0", "x" * 1000):
            with pytest.raises(ExchangeUnknown):
                await records.exchanges.find(exchange_id, ALICE)
            with pytest.raises(ExchangeUnknown):
                await records.exchanges.judge(Feedback(exchange_id, helpful=True), ALICE, records.clock.now)
        assert await records.exchanges.status("nul\0", ALICE) is None
        await records.turns.complete(turn.id, answer(), records.clock.now)
        assert (await records.exchanges.find(turn.id, ALICE)).question == turn.question

    play(story)
