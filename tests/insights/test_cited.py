"""The sections that answers rest on, and those that they never did."""

from __future__ import annotations

from dataclasses import replace

from glossator.model import Answer
from support.insights_story import InsightsSetup
from support.records_story import NOON, answer, citation

READING_ORDER = ["Nodes", "Stopping a node", "Topics", "Quality of service", "Batteries", "Charging"]


async def citing(insight_store: InsightsSetup, *titles: str) -> Answer:
    places = {place.title: place for place in await insight_store.insights.book.places()}
    return answer(
        citations=tuple(
            replace(
                citation(n, title), page=places[title].page, url=f"{places[title].url}:~:text=its%20words,{n}"
            )
            for n, title in enumerate(titles, 1)
        )
    )


def test_a_book_that_nobody_asked_about_was_never_cited(at_the_desk):
    async def story(insight_store: InsightsSetup):
        cited = await insight_store.insights.cited(NOON)
        assert (cited.since, cited.most, cited.sections) == (NOON, [], 6)
        assert [section.title for section in cited.never] == READING_ORDER

    at_the_desk(story)


def test_the_most_cited_come_first_and_the_others_in_reading_order(at_the_desk):
    async def story(insight_store: InsightsSetup):
        await insight_store.asked("Stop?", reply=await citing(insight_store, "Stopping a node", "Charging"))
        await insight_store.asked("Charge?", reply=await citing(insight_store, "Charging", "Charging"))
        cited = await insight_store.insights.cited(NOON)
        assert [(section.title, section.count) for section in cited.most] == [
            ("Charging", 2),
            ("Stopping a node", 1),
        ]
        assert [section.title for section in cited.never] == [
            "Nodes",
            "Topics",
            "Quality of service",
            "Batteries",
        ]
        assert cited.sections == len(cited.most) + len(cited.never)

    at_the_desk(story)


def test_a_section_that_is_gone_is_still_among_the_most_cited(at_the_desk):
    async def story(insight_store: InsightsSetup):
        gone = answer(citations=(replace(citation(1, "Pneumatics"), page="gone.md", url="/gone#pneumatics"),))
        await insight_store.asked("Air?", reply=gone)
        cited = await insight_store.insights.cited(NOON)
        assert [section.title for section in cited.most] == ["Pneumatics"]
        assert [section.title for section in cited.never] == READING_ORDER

    at_the_desk(story)


def test_a_section_has_the_title_it_has_today(at_the_desk):
    async def story(insight_store: InsightsSetup):
        now = await citing(insight_store, "Charging")
        before = replace(now, citations=(replace(now.citations[0], section="How to charge"),))
        await insight_store.asked("Charge?", "And now?", reply=before)
        await insight_store.asked("Charge?", reply=now)
        assert [
            (section.title, section.count) for section in (await insight_store.insights.cited(NOON)).most
        ] == [("Charging", 3)]

    at_the_desk(story)


def test_no_more_than_twenty_are_called_the_most_cited(at_the_desk):
    async def story(insight_store: InsightsSetup):
        for n in range(22):
            url = f"/gone#{n}"
            await insight_store.asked(
                "Air?", reply=answer(citations=(replace(citation(1, f"Gone {n}"), url=url),))
            )
        assert len((await insight_store.insights.cited(NOON)).most) == 20

    at_the_desk(story)
