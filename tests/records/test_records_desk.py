"""What an operator sees of everybody's sessions."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from records_story import ALICE, BOB, NOON, Records, answer, refusal

from glossator.errors import SessionUnknown
from glossator.model import Claim, Contract, Feedback, Grounding, Level, Outcome, Verdict
from glossator.model.desk import DayCount, Export

FLAGGED = answer(
    "Nodes talk over topics [1]. They are made of cheese.",
    claims=(
        Claim("Nodes talk over topics [1].", Verdict.SUPPORTED, (1,)),
        Claim(" They are made of cheese.", Verdict.UNSUPPORTED, ()),
    ),
    grounding=Grounding(False, ("They are made of cheese.",)),
)


def test_an_overview_of_nothing_is_empty(play):
    async def story(records: Records):
        overview = await records.desk.overview(NOON)
        assert (overview.sessions, overview.exchanges, overview.outcomes, overview.days) == (0, 0, {}, [])
        assert (overview.latency_p50_ms, overview.latency_p95_ms) == (None, None)

    play(story)


def test_the_overview_counts_whole_exchanges_since_a_moment(play):
    async def story(records: Records):
        await records.ask("before")
        since = records.clock.forward(hours=11, minutes=59)
        first = await records.ask("one")
        await records.ask("one", reply=refusal(confidence=None))
        second = await records.ask("two", BOB, reply=FLAGGED)
        await records.turns.accept(records.turn("three"))
        await records.exchanges.judge(Feedback(first.id, helpful=True), ALICE, records.clock.now)
        await records.exchanges.judge(Feedback(second.id, helpful=False), BOB, records.clock.now)
        records.clock.forward(minutes=2)
        await records.ask("two", BOB)

        overview = await records.desk.overview(since)
        assert (overview.sessions, overview.exchanges, overview.flagged) == (2, 4, 1)
        assert overview.outcomes == {Outcome.ANSWERED: 3, Outcome.NOT_IN_BOOK: 1}
        assert overview.levels == {Level.HIGH: 3}
        assert (overview.helpful, overview.unhelpful) == (1, 1)
        assert overview.days == [DayCount(date(2026, 3, 1), 3), DayCount(date(2026, 3, 2), 1)]
        assert (await records.desk.overview(datetime.min.replace(tzinfo=UTC))).exchanges == 5

    play(story)


def test_latencies_are_told_by_rank(play):
    async def story(records: Records):
        for milliseconds in range(1, 101):
            turn = records.turn(f"session {milliseconds}")
            await records.turns.accept(turn)
            at = turn.asked_at + timedelta(milliseconds=milliseconds)
            await records.turns.complete(turn.id, answer(), at)
        overview = await records.desk.overview(NOON)
        assert (overview.latency_p50_ms, overview.latency_p95_ms) == (50, 95)

    play(story)


def test_flagged_answers_are_listed_with_their_claims_and_citations(play):
    async def story(records: Records):
        await records.ask()
        flagged = [await records.ask(f"session {n}", reply=FLAGGED) for n in range(3)]
        listed = await records.desk.flagged(limit=2)
        assert listed == [flagged[2], flagged[1]]
        assert listed[0].answer.claims == FLAGGED.claims
        assert listed[0].answer.citations == FLAGGED.citations

    play(story)


def test_the_latest_unanswered_questions_come_first(play):
    async def story(records: Records):
        for n in range(4):
            await records.ask(question=f"Unanswered {n}?", reply=refusal())
        listed = await records.desk.unanswered(limit=3)
        assert [one.question for one in listed] == ["Unanswered 3?", "Unanswered 2?", "Unanswered 1?"]

    play(story)


def test_an_id_may_be_that_of_several_sessions(play):
    async def story(records: Records):
        await records.ask("1", ALICE, contract=Contract.COURSE)
        await records.ask("1", BOB, contract=Contract.COURSE)
        assert [found.owner for found in await records.desk.find("1")] == [ALICE, BOB]
        assert await records.desk.find("2") == []
        assert await records.desk.find("nul\0") == []

    play(story)


def test_an_export_has_everything_that_is_kept_of_a_session(play):
    async def story(records: Records):
        told = [await records.ask(), await records.ask(reply=FLAGGED)]
        feedback = Feedback(told[1].id, helpful=False, reason="No cheese.")
        await records.exchanges.judge(feedback, ALICE, records.clock.now)
        session = await records.sessions.find("s", ALICE)
        assert await records.desk.export("s", ALICE) == Export(session, told, [feedback])
        with pytest.raises(SessionUnknown):
            await records.desk.export("s", BOB)

    play(story)


def test_an_operator_deletes_one_owners_session_also_when_its_time_is_over(play):
    async def story(records: Records):
        await records.ask("1", ALICE, contract=Contract.GROUNDING)
        await records.ask("1", BOB, contract=Contract.GROUNDING)
        records.clock.forward(days=2)
        await records.desk.delete("1", ALICE)
        with pytest.raises(SessionUnknown):
            await records.desk.delete("1", ALICE)
        assert [found.owner for found in await records.desk.find("1")] == [BOB]

    play(story)
