"""A question goes into its session whole, or not at all."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from glossator.errors import SessionBusy, SessionUnknown, TurnLost
from glossator.model import (
    Confidence,
    Contract,
    Exchange,
    Filters,
    Level,
    Opening,
    Outcome,
    Policy,
    Selection,
    SessionState,
    TurnStatus,
)
from support.records_story import ALICE, BOB, NOON, Records, answer, citation, refusal


def test_a_first_question_opens_its_session(play):
    async def story(records: Records):
        turn = records.turn(
            session={
                "metadata": {"device": "desktop"},
                "context_mode": "general",
                "filters": Filters(page=("a.md",)),
            }
        )
        accepted = await records.turns.accept(turn)
        assert accepted.session == turn.session
        assert accepted.history == ()

    play(story)


def test_a_completed_turn_is_an_exchange_that_reads_back_as_it_was_told(play):
    async def story(records: Records):
        selection = Selection("Some words.", only=True, page_url="https://book.example/ros2")
        told = await records.ask(selection=selection, mode="selected_text")
        assert told.answer == replace(answer(), id=told.id, trace=())
        assert (told.selection, told.mode) == (selection, "selected_text")
        assert told.latency_ms == 2000
        assert await records.exchanges.of_session("s", ALICE) == [told]
        assert await records.exchanges.find(told.id, ALICE) == told

    play(story)


def test_a_session_counts_its_exchanges_and_knows_when_it_was_last_used(play):
    async def story(records: Records):
        await records.ask()
        await records.ask()
        session = await records.sessions.find("s", ALICE)
        assert (session.exchanges, session.state) == (2, SessionState.ACTIVE)
        assert (session.created_at, session.updated_at) == (NOON, NOON + timedelta(seconds=4))

    play(story)


def test_a_question_comes_with_the_last_five_exchanges_oldest_first(play):
    async def story(records: Records):
        asked = [await records.ask(question=f"Number {n}?", reply=answer(f"Answer {n}.")) for n in range(7)]
        accepted = await records.turns.accept(records.turn())
        assert accepted.history == tuple(
            Exchange(earlier.question, earlier.answer.text) for earlier in asked[2:]
        )

    play(story)


def test_from_the_fifth_exchange_on_a_session_has_a_summary_of_its_topics(play):
    async def story(records: Records):
        for n in range(4):
            await records.ask(question=f"Q{n}")
        assert (await records.sessions.find("s", ALICE)).topic_summary == ""
        await records.ask(
            question="Q4",
            reply=answer(citations=(citation(1, "Nodes"), citation(2, "Topics"), citation(3, "Nodes"))),
        )
        summary = (await records.sessions.find("s", ALICE)).topic_summary
        nodes = "Understanding Nodes"
        assert summary == f"Q0 {nodes} | Q1 {nodes} | Q2 {nodes} | Q3 {nodes} | Q4 Nodes+Topics"

    play(story)


def test_until_its_turn_ends_a_session_takes_no_other(play):
    async def story(records: Records):
        first = records.turn()
        await records.turns.accept(first)
        with pytest.raises(SessionBusy):
            await records.turns.accept(records.turn())
        await records.turns.accept(records.turn("another session"))
        await records.turns.complete(first.id, answer(), records.clock.now)
        await records.turns.accept(records.turn())

    play(story)


def test_of_fifty_questions_at_once_one_is_taken(play):
    async def story(records: Records):
        await records.ask()
        turns = [records.turns.accept(records.turn()) for _ in range(50)]
        results = await asyncio.gather(*turns, return_exceptions=True)
        assert sorted(type(result).__name__ for result in results) == ["AcceptedTurn"] + ["SessionBusy"] * 49

    play(story)


def test_of_fifty_questions_that_open_a_session_at_once_one_is_taken(play):
    async def story(records: Records):
        turns = [records.turns.accept(records.turn()) for _ in range(50)]
        results = await asyncio.gather(*turns, return_exceptions=True)
        assert sorted(type(result).__name__ for result in results) == ["AcceptedTurn"] + ["SessionBusy"] * 49

    play(story)


def test_sessions_do_not_wait_for_each_other(play):
    async def story(records: Records):
        async def conversation(name: str) -> None:
            for n in range(5):
                turn = records.turn(name, question=f"{name} {n}")
                await records.turns.accept(turn)
                await records.turns.complete(turn.id, answer(f"{name} {n}"), records.clock.now)

        names = [f"session {n}" for n in range(20)]
        await asyncio.gather(*map(conversation, names))
        for name in names:
            kept = await records.exchanges.of_session(name, ALICE)
            assert [exchange.question for exchange in kept] == [f"{name} {n}" for n in range(5)]
            assert [exchange.answer.text for exchange in kept] == [f"{name} {n}" for n in range(5)]

    play(story)


@pytest.mark.parametrize("status", [TurnStatus.INTERRUPTED, TurnStatus.FAILED])
def test_what_was_given_up_is_no_exchange_and_frees_the_session(play, status: TurnStatus):
    async def story(records: Records):
        turn = records.turn()
        await records.turns.accept(turn)
        await records.turns.give_up(turn.id, status)
        assert await records.questions() == []
        assert await records.exchanges.status(turn.id, ALICE) == status
        accepted = await records.turns.accept(records.turn())
        assert accepted.session.exchanges == 0
        assert accepted.history == ()

    play(story)


@pytest.mark.parametrize("way", ["given up", "left by a crash"])
def test_nothing_is_kept_of_a_question_that_was_never_answered(play, way: str):
    async def story(records: Records):
        turn = records.turn(question="Where are the xylophones?", selection=Selection("Of xylophones."))
        await records.turns.accept(turn)
        if way == "given up":
            await records.turns.give_up(turn.id, TurnStatus.FAILED)
        else:
            await records.retention_store.sweep(records.clock.forward(seconds=11))
        rows = await records.database.read(
            lambda connection: connection.exec_driver_sql("SELECT question, selection FROM exchanges").all()
        )
        assert [tuple(row) for row in rows] == [("", None)]

    play(story)


def test_what_was_given_up_cannot_be_completed(play):
    async def story(records: Records):
        turn = records.turn()
        await records.turns.accept(turn)
        await records.turns.give_up(turn.id, TurnStatus.INTERRUPTED)
        with pytest.raises(TurnLost):
            await records.turns.complete(turn.id, answer(), records.clock.now)
        assert await records.questions() == []

    play(story)


def test_giving_up_what_is_complete_or_unknown_changes_nothing(play):
    async def story(records: Records):
        told = await records.ask()
        await records.turns.give_up(told.id, TurnStatus.FAILED)
        await records.turns.give_up("nobody knows it", TurnStatus.FAILED)
        assert await records.exchanges.status(told.id, ALICE) == TurnStatus.COMPLETE
        assert await records.questions() == [told.question]

    play(story)


def test_a_turn_is_completed_once(play):
    async def story(records: Records):
        told = await records.ask()
        with pytest.raises(TurnLost):
            await records.turns.complete(told.id, answer("Another."), records.clock.now)
        assert (await records.exchanges.find(told.id, ALICE)).answer.text == told.answer.text

    play(story)


def test_a_silent_turn_loses_its_session_after_ten_seconds(play):
    async def story(records: Records):
        silent = records.turn()
        await records.turns.accept(silent)
        records.clock.forward(seconds=9)
        with pytest.raises(SessionBusy):
            await records.turns.accept(records.turn())
        records.clock.forward(seconds=2)
        second = records.turn()
        await records.turns.accept(second)
        assert await records.exchanges.status(silent.id, ALICE) == TurnStatus.INTERRUPTED
        with pytest.raises(TurnLost):
            await records.turns.complete(silent.id, answer(), records.clock.now)
        with pytest.raises(TurnLost):
            await records.turns.hold(silent.id)
        await records.turns.complete(second.id, answer(), records.clock.now)
        assert await records.questions() == [second.question]

    play(story)


def test_a_clock_that_is_set_back_locks_no_session(play):
    async def story(records: Records):
        lost = records.turn()
        await records.turns.accept(lost)
        records.clock.forward(hours=-1)
        assert await records.exchanges.status(lost.id, ALICE) is TurnStatus.INTERRUPTED
        await records.ask()
        assert len(await records.questions()) == 1

    play(story)


def test_a_turn_that_says_it_is_alive_keeps_its_session(play):
    async def story(records: Records):
        turn = records.turn()
        await records.turns.accept(turn)
        for _ in range(5):
            records.clock.forward(seconds=8)
            await records.turns.hold(turn.id)
            with pytest.raises(SessionBusy):
                await records.turns.accept(records.turn())
        assert await records.exchanges.status(turn.id, ALICE) == TurnStatus.STREAMING
        await records.turns.complete(turn.id, answer(), records.clock.now)
        assert await records.questions() == [turn.question]

    play(story)


def test_a_slow_turn_whose_session_nobody_took_is_still_completed(play):
    async def story(records: Records):
        turn = records.turn()
        await records.turns.accept(turn)
        records.clock.forward(seconds=60)
        await records.turns.complete(turn.id, answer(), records.clock.now)
        assert await records.questions() == [turn.question]

    play(story)


def test_a_session_that_must_be_there_is_not_opened(play):
    async def story(records: Records):
        with pytest.raises(SessionUnknown):
            await records.turns.accept(records.turn(opening=Opening.NEVER))
        with pytest.raises(SessionUnknown):
            await records.sessions.find("s", ALICE)
        first = await records.ask()
        turn = records.turn(opening=Opening.NEVER, session={"context_mode": "user_provided"})
        accepted = await records.turns.accept(turn)
        assert accepted.history == (Exchange(first.question, first.answer.text),)
        assert accepted.session.context_mode == "user_provided"
        with pytest.raises(SessionBusy):
            await records.turns.accept(records.turn(opening=Opening.NEVER))

    play(story)


def test_a_session_that_must_be_new_is_refused_when_it_is_not(play):
    async def story(records: Records):
        await records.ask(opening=Opening.ALWAYS)
        with pytest.raises(SessionUnknown):
            await records.turns.accept(records.turn(opening=Opening.ALWAYS))
        assert len(await records.questions()) == 1

    play(story)


@pytest.mark.parametrize("opening", [Opening.IF_UNKNOWN, Opening.NEVER])
def test_only_the_session_of_the_named_time_is_entered(play, opening: Opening):
    async def story(records: Records):
        first = await records.ask()
        right = {"opening": opening, "session_created_at": first.session_created_at}
        wrong = {**right, "session_created_at": first.session_created_at + timedelta(microseconds=1)}
        second = await records.ask(**right)
        assert second.session_created_at == first.session_created_at
        with pytest.raises(SessionUnknown):
            await records.turns.accept(records.turn(**wrong))
        await records.turns.accept(records.turn())
        with pytest.raises(SessionBusy):
            await records.turns.accept(records.turn(**right))
        with pytest.raises(SessionUnknown):
            await records.turns.accept(records.turn(**wrong))
        assert await records.questions() == [first.question, second.question]

    play(story)


def test_where_the_session_of_the_named_time_is_gone_a_new_one_may_be_opened(play):
    async def story(records: Records):
        first = await records.ask(contract=Contract.GROUNDING)
        proven = {"session_created_at": first.session_created_at, "contract": Contract.GROUNDING}
        records.clock.forward(hours=25)
        with pytest.raises(SessionUnknown):
            await records.turns.accept(records.turn(opening=Opening.NEVER, **proven))
        second = await records.ask(**proven)
        assert second.session_created_at > first.session_created_at
        assert await records.questions() == [second.question]
        await records.sessions.delete("s", ALICE)
        third = await records.ask(**proven)
        assert await records.questions() == [third.question]

    play(story)


def test_two_readers_may_choose_the_same_id_and_never_meet(play):
    async def story(records: Records):
        await records.ask("1", ALICE, question="Alice asks", contract=Contract.COURSE)
        await records.ask("1", BOB, question="Bob asks", contract=Contract.COURSE)
        assert await records.questions("1", ALICE) == ["Alice asks"]
        assert await records.questions("1", BOB) == ["Bob asks"]
        with pytest.raises(SessionUnknown):
            await records.turns.accept(records.turn("1", replace(ALICE, user=None), opening=Opening.NEVER))

    play(story)


def test_the_next_question_brings_an_archived_session_back(play):
    async def story(records: Records):
        await records.ask()
        now = records.clock.forward(hours=2)
        assert (await records.retention_store.sweep(now)).archived == ("s",)
        archived = await records.sessions.find("s", ALICE)
        assert (archived.state, archived.archived_at) == (SessionState.INACTIVE, now)
        accepted = await records.turns.accept(records.turn())
        assert len(accepted.history) == 1
        assert (accepted.session.state, accepted.session.archived_at) == (SessionState.ACTIVE, None)

    play(story)


def test_asking_in_a_session_whose_time_is_over_opens_a_new_one(play):
    async def story(records: Records):
        await records.ask(contract=Contract.GROUNDING)
        records.clock.forward(hours=25)
        accepted = await records.turns.accept(records.turn(contract=Contract.GROUNDING))
        assert accepted.history == ()
        assert accepted.session.created_at == records.clock.now
        assert await records.questions() == []

    play(story)


@pytest.mark.parametrize("opening", [Opening.ALWAYS, Opening.NEVER])
def test_a_session_whose_time_is_over_is_as_good_as_gone(play, opening: Opening):
    async def story(records: Records):
        await records.ask(contract=Contract.GROUNDING)
        records.clock.forward(hours=25)
        turn = records.turn(contract=Contract.GROUNDING, opening=opening)
        if opening is Opening.NEVER:
            with pytest.raises(SessionUnknown):
                await records.turns.accept(turn)
        else:
            assert (await records.turns.accept(turn)).history == ()

    play(story)


def test_resetting_a_session_ends_the_turn_that_runs_there(play):
    async def story(records: Records):
        await records.ask()
        turn = records.turn()
        await records.turns.accept(turn)
        await records.sessions.reset("s", ALICE)
        with pytest.raises(TurnLost):
            await records.turns.complete(turn.id, answer(), records.clock.now)
        assert await records.questions() == []
        assert (await records.sessions.find("s", ALICE)).exchanges == 0
        await records.ask(question="Afterwards")
        assert await records.questions() == ["Afterwards"]

    play(story)


def test_deleting_a_session_ends_the_turn_that_runs_there(play):
    async def story(records: Records):
        turn = records.turn()
        await records.turns.accept(turn)
        await records.sessions.delete("s", ALICE)
        with pytest.raises(TurnLost):
            await records.turns.hold(turn.id)
        with pytest.raises(TurnLost):
            await records.turns.complete(turn.id, answer(), records.clock.now)
        with pytest.raises(SessionUnknown):
            await records.sessions.find("s", ALICE)
        assert await records.exchanges.status(turn.id, ALICE) is None

    play(story)


def test_a_turn_from_before_a_reset_cannot_end_the_one_after_it(play):
    async def story(records: Records):
        before, after = records.turn(), records.turn()
        await records.turns.accept(before)
        await records.sessions.reset("s", ALICE)
        await records.turns.accept(after)
        await records.turns.give_up(before.id, TurnStatus.INTERRUPTED)
        with pytest.raises(SessionBusy):
            await records.turns.accept(records.turn())
        await records.turns.complete(after.id, answer(), records.clock.now)
        assert await records.questions() == [after.question]

    play(story)


def test_what_was_refused_and_what_was_answered_with_little_is_noted_for_the_author(play):
    async def story(records: Records):
        sure = answer().confidence
        assert isinstance(sure, Confidence)
        unsure = Confidence(0.61, Level.LOW, True, Policy.CALIBRATED, sure.metrics)
        await records.ask(question="Fine?")
        await records.ask(question="Refused?", reply=refusal(confidence=None))
        await records.ask(question="Hardly?", reply=answer(confidence=unsure))
        await records.ask(question="Careful?", reply=answer(outcome=Outcome.ANSWERED_WITH_CAUTION))
        await records.ask(question="Hello", reply=answer(outcome=Outcome.SMALL_TALK, confidence=None))
        careful, hardly, refused = await records.insight_store.unanswered(NOON, limit=10)
        assert (careful.question, careful.outcome) == ("Careful?", Outcome.ANSWERED_WITH_CAUTION)
        assert (hardly.question, hardly.confidence, hardly.nearest) == ("Hardly?", 0.61, None)
        assert (refused.question, refused.outcome) == ("Refused?", Outcome.NOT_IN_BOOK)
        assert refused.nearest == refusal().suggestions[0]
        assert refused.session_id == "s"

    play(story)


@pytest.mark.parametrize("name", ["", "x" * 256, "nul\0", "half \ud800"])
def test_what_no_session_can_be_called_is_unknown(play, name: str):
    async def story(records: Records):
        for opening in Opening:
            with pytest.raises(SessionUnknown):
                await records.turns.accept(records.turn(name, opening=opening))
        with pytest.raises(SessionUnknown):
            await records.sessions.find(name, ALICE)
        with pytest.raises(SessionUnknown):
            await records.exchanges.of_session(name, ALICE)

    play(story)


def test_text_that_no_database_keeps_does_not_lose_the_answer(play):
    async def story(records: Records):
        strange = "NUL \0, half a character \ud83d, and \N{ROBOT FACE} آپ"
        told = await records.ask(
            question=strange, reply=answer(strange), session={"metadata": {"note": strange}}
        )
        readable = "NUL \ufffd, half a character ?, and \N{ROBOT FACE} آپ"
        kept = await records.exchanges.find(told.id, ALICE)
        assert (kept.question, kept.answer.text) == (readable, readable)
        assert (await records.sessions.find("s", ALICE)).metadata == {"note": readable}

    play(story)
