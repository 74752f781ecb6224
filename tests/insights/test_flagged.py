"""Answers of which a claim failed its check, beside what the book says."""

from __future__ import annotations

from pathlib import Path

from glossator.answer.wording import NOT_FOUND
from glossator.model import Answer, Grounding
from support.insights_story import InsightsSetup
from support.records_story import answer


def flagged(*claims: str) -> Answer:
    return answer(grounding=Grounding(False, claims))


def test_a_claim_stands_beside_the_exact_words_that_come_nearest(at_the_desk, book: Path):
    async def story(insight_store: InsightsSetup):
        kept = await insight_store.asked(
            "How long?", reply=flagged("The battery pack lasts forty hours of walking. [1]")
        )
        [found] = await insight_store.insights.flagged(10)
        [claim] = found.claims
        assert found.exchange == kept[0]
        assert claim.text == "The battery pack lasts forty hours of walking. [1]"
        assert claim.nearest is not None
        assert "lasts four hours of walking" in claim.nearest.quote
        source = (book / claim.nearest.page).read_text("utf-8")
        assert source[claim.nearest.start : claim.nearest.end] == claim.nearest.quote
        assert (claim.nearest.page_title, claim.nearest.section) == ("Batteries", "Batteries")

    at_the_desk(story)


def test_code_that_the_book_does_not_have_stands_beside_its_own(at_the_desk):
    async def story(insight_store: InsightsSetup):
        await insight_store.asked("How?", reply=flagged("```bash\nros2 lifecycle set /camera explode\n```"))
        [found] = await insight_store.insights.flagged(10)
        assert found.claims[0].nearest is not None
        assert "ros2 lifecycle set /camera shutdown" in found.claims[0].nearest.quote

    at_the_desk(story)


def test_a_claim_from_far_away_has_nothing_beside_it(at_the_desk):
    async def story(insight_store: InsightsSetup):
        await insight_store.asked(
            "What?", reply=flagged("Mozart wrote forty-one symphonies in Salzburg.", "*", "[1]")
        )
        [found] = await insight_store.insights.flagged(10)
        assert [claim.nearest for claim in found.claims] == [None, None, None]

    at_the_desk(story)


def test_the_note_behind_a_claim_is_no_part_of_it(at_the_desk):
    async def story(insight_store: InsightsSetup):
        await insight_store.asked("How long?", reply=flagged(f"The pack lasts forty hours. {NOT_FOUND}"))
        [found] = await insight_store.insights.flagged(10)
        assert found.claims[0].text == "The pack lasts forty hours."

    at_the_desk(story)


def test_the_latest_come_first_and_no_more_than_are_wanted(at_the_desk):
    async def story(insight_store: InsightsSetup):
        kept = await insight_store.asked(
            "One?", "Two?", "Three?", reply=flagged("Cheese.", "Topics are cheese.")
        )
        await insight_store.asked("Fine?", reply=answer())
        found = await insight_store.insights.flagged(2)
        assert [answer.exchange.id for answer in found] == [kept[2].id, kept[1].id]
        assert [claim.text for claim in found[0].claims] == ["Cheese.", "Topics are cheese."]

    at_the_desk(story)


def test_a_claim_is_looked_for_once(at_the_desk):
    async def story(insight_store: InsightsSetup):
        await insight_store.asked("How long?", reply=flagged("The pack lasts forty hours of walking."))
        first = await insight_store.insights.flagged(10)
        retrieval = len(insight_store.embedder.queries)
        assert retrieval > 0
        assert await insight_store.insights.flagged(10) == first
        assert len(insight_store.embedder.queries) == retrieval

    at_the_desk(story)
