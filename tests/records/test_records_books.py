"""A session belongs to one book; in every other one it is unknown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from glossator.adapters.records.insights import SqlInsightStore
from glossator.adapters.records.retention import Retention
from glossator.errors import ExchangeUnknown, SessionUnknown
from glossator.model import Contract, Feedback, Idempotency, Opening, TurnStatus
from glossator.settings import LIFECYCLES
from support.records_story import ALICE, NOON, Records, answer, refusal

IN_GUIDE = replace(ALICE, book="guide")


def test_a_session_and_its_exchanges_are_unknown_in_another_book(play):
    async def story(records: Records):
        kept = await records.ask("s", IN_GUIDE)
        assert (await records.sessions.find("s", IN_GUIDE)).owner == IN_GUIDE
        assert await records.questions("s", IN_GUIDE) == [kept.question]
        for unknown in (
            records.sessions.find("s", ALICE),
            records.sessions.find_by_id("s", ALICE, Contract.NATIVE),
            records.sessions.reset("s", ALICE),
            records.sessions.delete("s", ALICE),
            records.exchanges.of_session("s", ALICE),
            records.turns.accept(records.turn("s")),
            records.turns.accept(records.turn("s", opening=Opening.NEVER)),
            records.turns.accept(records.turn("s", opening=Opening.ALWAYS)),
        ):
            with pytest.raises(SessionUnknown):
                await unknown
        with pytest.raises(ExchangeUnknown):
            await records.exchanges.judge(Feedback(kept.id, helpful=True), ALICE, NOON)
        assert await records.exchanges.status(kept.id, ALICE) is None
        assert await records.exchanges.status(kept.id, IN_GUIDE) is TurnStatus.COMPLETE

    play(story)


def test_the_id_of_an_expired_session_is_free_for_another_book(play):
    async def story(records: Records):
        await records.ask("s", IN_GUIDE)
        records.clock.forward(days=91)
        kept = await records.ask("s", ALICE)
        assert await records.questions("s", ALICE) == [kept.question]

    play(story)


def test_an_idempotency_key_is_of_one_book(play):
    async def story(records: Records):
        same = Idempotency("key", "fingerprint")
        await records.ask("one", ALICE, idempotency=same)
        await records.ask("two", IN_GUIDE, idempotency=same)

    play(story)


def test_what_an_operator_sees_is_of_one_book_or_of_all(play):
    async def story(records: Records):
        await records.ask("one", ALICE, reply=answer())
        await records.ask("two", IN_GUIDE, reply=refusal())
        await records.ask("three", IN_GUIDE, reply=answer())

        def store(book: str | None) -> SqlInsightStore:
            return SqlInsightStore(records.database, Retention(LIFECYCLES, records.clock), book=book)

        guide, default, every = store("guide"), store(""), store(None)
        assert [(await insights.overview(NOON)).exchanges for insights in (guide, default, every)] == [
            2,
            1,
            3,
        ]
        assert [len(await insights.list_sessions()) for insights in (guide, default, every)] == [2, 1, 3]
        assert [len(await insights.unanswered(NOON, 9)) for insights in (guide, default)] == [1, 0]
        assert [len(await insights.questions("", None, 9)) for insights in (guide, default)] == [2, 1]
        assert [len(await insights.find("two")) for insights in (guide, default)] == [1, 0]
        cited = [
            sum(section.count for section in await insights.cited(NOON))
            for insights in (guide, default, every)
        ]
        assert cited[0] == cited[1]
        assert cited[2] == cited[0] + cited[1]

    play(story)


def test_a_book_is_renamed_and_erased_with_its_sessions(play):
    async def story(records: Records):
        await records.ask("one", ALICE)
        await records.ask("two", IN_GUIDE)
        await records.retention_store.rename_book("guide", "manual")
        in_manual = replace(ALICE, book="manual")
        assert (await records.sessions.find("two", in_manual)).owner == in_manual
        assert (await records.retention_store.erase_book("manual")).sessions == 1
        assert (await records.sessions.find("one", ALICE)).exchanges == 1

    play(story)
