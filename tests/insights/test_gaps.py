"""The content-gap report, on the small book, the real model and both databases."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np

from glossator.answer.book import ServedBook
from glossator.insights.gaps import MOST_WORDINGS, Gaps
from glossator.model import Embedding, Feedback, Outcome, Suggestion
from glossator.model.insights import Gap, GapState, Unanswered
from support.answer_book import PAGES
from support.insights_story import CountingEmbedder, InsightsSetup, opened_book
from support.records_story import ALICE, BOB, NOON, answer, refusal

LIDAR = [
    "How do I calibrate a lidar?",
    "lidar calibration",
    "What is the best way to calibrate my LiDAR sensor?",
    "calibrating a lidar",
]
PRICE = ["How much does the robot cost?", "What is the price of the robot?", "cost of this robot"]


def by_example(gaps: Sequence[Gap], wordings: Sequence[str]) -> Gap:
    return next(gap for gap in gaps if gap.example in wordings)


def test_questions_of_one_meaning_are_one_gap(at_the_desk):
    async def story(insight_store: InsightsSetup):
        await insight_store.asked(*LIDAR, *PRICE, "Who won the football world cup in 1998?")
        report = await insight_store.gaps()
        assert len(report.gaps) == 2
        lidar, price = by_example(report.gaps, LIDAR), by_example(report.gaps, PRICE)
        assert (sorted(lidar.questions), lidar.count, lidar.sessions) == (sorted(LIDAR), 4, 4)
        assert (sorted(price.questions), price.count, price.sessions) == (sorted(PRICE), 3, 3)
        assert lidar.outcomes == {Outcome.NOT_IN_BOOK: 4}
        assert (report.questions, report.held_back, report.least_sessions) == (8, 1, 3)
        assert not report.is_cut

    at_the_desk(story)


def test_a_gap_that_the_book_answers_since_its_last_ingest_is_closed(at_the_desk):
    """The story is older than the book."""

    async def story(insight_store: InsightsSetup):
        await insight_store.asked(*LIDAR, *["What is a topic?"] * 3)
        gaps = (await insight_store.gaps()).gaps
        assert by_example(gaps, LIDAR).state is GapState.STILL_OPEN
        assert by_example(gaps, ["What is a topic?"]).state is GapState.CLOSED

    at_the_desk(story)


def test_the_gap_that_most_sessions_asked_about_comes_first_every_time(at_the_desk):
    async def story(insight_store: InsightsSetup):
        await insight_store.asked(*PRICE, *LIDAR)
        report = await insight_store.gaps()
        assert [gap.sessions for gap in report.gaps] == [4, 3]
        assert report == await insight_store.gaps()

    at_the_desk(story)


def test_the_same_words_are_one_wording_and_the_most_frequent_is_first(at_the_desk):
    async def story(insight_store: InsightsSetup):
        await insight_store.asked(LIDAR[0], LIDAR[1], f"  {LIDAR[1]}\n", LIDAR[1])
        [gap] = (await insight_store.gaps()).gaps
        assert gap.questions == [LIDAR[1], LIDAR[0]]
        assert (gap.example, gap.count) == (LIDAR[1], 4)

    at_the_desk(story)


def test_what_too_few_sessions_asked_is_counted_and_not_shown(at_the_desk):
    async def story(insight_store: InsightsSetup):
        await insight_store.asked(*LIDAR, session="one reader")
        await insight_store.asked(LIDAR[0])
        held_back = await insight_store.gaps()
        assert (held_back.gaps, held_back.questions, held_back.held_back) == ([], 5, 5)
        [shown] = (await insight_store.gaps(least_sessions=2)).gaps
        assert (shown.count, shown.sessions) == (5, 2)

    at_the_desk(story)


def test_readers_who_chose_the_same_session_id_are_different_readers(at_the_desk):
    async def story(insight_store: InsightsSetup):
        for owner in (ALICE, BOB):
            await insight_store.asked(*LIDAR[:2], session="1", owner=owner)
        [gap] = (await insight_store.gaps(least_sessions=1)).gaps
        assert (gap.count, gap.sessions) == (4, 2)

    at_the_desk(story)


def test_the_words_that_the_book_lacks_are_named_as_readers_spell_them(at_the_desk):
    async def story(insight_store: InsightsSetup):
        await insight_store.asked(
            "What's the LiDAR's range?",
            "What is the range of the LiDAR?",
            "range of a lidar on the robot, please",
        )
        [gap] = (await insight_store.gaps()).gaps
        assert gap.missing == ["LiDAR", "range"]

    at_the_desk(story)


def test_words_of_the_book_in_another_form_are_not_missing(at_the_desk):
    async def story(insight_store: InsightsSetup):
        await insight_store.asked("Do batteries charge nodes?", session="1")
        [gap] = (await insight_store.gaps(least_sessions=1)).gaps
        assert "batteries" not in PAGES["01-start/01-nodes.md"]
        assert gap.missing == []

    at_the_desk(story)


def test_the_nearest_section_is_the_one_that_most_readers_were_shown(at_the_desk):
    async def story(insight_store: InsightsSetup):
        places = {place.title: place for place in await insight_store.insights.book.places()}
        shown = [_suggested(places[title].url) for title in ("Charging", "Topics", "Charging")]
        for wording, nearest in zip(LIDAR, shown, strict=False):
            await insight_store.asked(wording, reply=replace(refusal(), suggestions=(nearest,)))
        [gap] = (await insight_store.gaps()).gaps
        assert gap.nearest == shown[0]

    at_the_desk(story)


def _suggested(url: str) -> Suggestion:
    return Suggestion("A section", url, "page.md#1")


def test_a_section_that_is_gone_is_looked_for_again(at_the_desk):
    async def story(insight_store: InsightsSetup):
        wordings = ["How do I swap the battery pack?", "swap the battery pack", "swapping a battery pack"]
        await insight_store.asked(
            *wordings, reply=replace(refusal(), suggestions=(_suggested("/gone#away"),))
        )
        [gap] = (await insight_store.gaps()).gaps
        assert gap.nearest is not None
        assert gap.nearest.title.startswith("Batteries")

    at_the_desk(story)


def test_where_no_section_is_near_none_is_named(at_the_desk):
    async def story(insight_store: InsightsSetup):
        far = "Who won the football world cup in 1998?"
        await insight_store.asked(far, reply=replace(refusal(), suggestions=()))
        [gap] = (await insight_store.gaps(least_sessions=1)).gaps
        assert gap.nearest is None

    at_the_desk(story)


def test_answers_with_caution_and_answers_that_did_not_help_are_gaps_too(at_the_desk):
    async def story(insight_store: InsightsSetup):
        await insight_store.asked(LIDAR[0])
        await insight_store.asked(LIDAR[1], reply=answer(outcome=Outcome.ANSWERED_WITH_CAUTION))
        [useless] = await insight_store.asked(LIDAR[2], reply=answer())
        await insight_store.asked(LIDAR[3], reply=answer())
        said = Feedback(useless.id, helpful=False)
        await insight_store.records.exchanges.judge(said, ALICE, insight_store.records.clock.now)
        [gap] = (await insight_store.gaps()).gaps
        assert gap.outcomes == {
            Outcome.ANSWERED: 1,
            Outcome.ANSWERED_WITH_CAUTION: 1,
            Outcome.NOT_IN_BOOK: 1,
        }
        assert LIDAR[3] not in gap.questions

    at_the_desk(story)


def test_what_was_asked_before_the_period_is_not_in_it(at_the_desk):
    async def story(insight_store: InsightsSetup):
        await insight_store.asked(*LIDAR)
        since = insight_store.records.clock.forward(days=1)
        [late] = await insight_store.asked(PRICE[0])
        report = await insight_store.insights.gaps(since, 1)
        assert [gap.example for gap in report.gaps] == PRICE[:1]
        assert report.gaps[0].last_asked == late.asked_at

    at_the_desk(story)


def test_deleted_questions_leave_the_report(at_the_desk):
    async def story(insight_store: InsightsSetup):
        await insight_store.asked(*LIDAR[:2])
        await insight_store.asked(LIDAR[2], session="mine")
        assert len((await insight_store.gaps()).gaps) == 1
        await insight_store.records.insight_store.delete("mine", ALICE)
        assert (await insight_store.gaps()).gaps == []

    at_the_desk(story)


def test_every_wording_is_embedded_once(at_the_desk):
    async def story(insight_store: InsightsSetup):
        await insight_store.asked(*LIDAR, *LIDAR)
        await asyncio.gather(insight_store.gaps(), insight_store.gaps(), insight_store.gaps(least_sessions=1))
        await insight_store.asked(*PRICE)
        await insight_store.gaps()
        counted = [insight_store.embedder.passages.count(wording) for wording in (*LIDAR, *PRICE)]
        assert counted == [1] * 7

    at_the_desk(story)


def test_nothing_asked_is_an_empty_report(at_the_desk):
    async def story(insight_store: InsightsSetup):
        report = await insight_store.gaps()
        assert (report.gaps, report.questions, report.held_back) == ([], 0, 0)
        assert insight_store.embedder.passages == []

    at_the_desk(story)


def test_words_that_no_model_expects_are_no_failure(at_the_desk):
    async def story(insight_store: InsightsSetup):
        await insight_store.asked(
            "???", "🤖🤖", "\u202eمستشعر\u202c", "=cmd|' /C calc'!A0", "<script>alert(1)</script>", "İ"
        )
        report = await insight_store.gaps(least_sessions=1)
        assert sum(gap.count for gap in report.gaps) == 6

    at_the_desk(story)


class ManyQuestions:
    """A desk with as many questions as one likes."""

    def __init__(self, count: int) -> None:
        self._count = count

    async def unanswered(self, since: datetime, limit: int) -> Sequence[Unanswered]:
        return [self._question(number) for number in range(self._count)][:limit]

    def _question(self, number: int) -> Unanswered:
        """The latest first."""
        at = NOON - timedelta(seconds=number)
        asked = (f"How tall is tower {number}?", Outcome.NOT_IN_BOOK, 0.1, None, at)
        return Unanswered(str(number), "session", number, *asked)


class QuickEmbedder(CountingEmbedder):
    """To which all questions mean the same."""

    def embed_passages(self, texts: Sequence[str], *, states: bool = False) -> list[Embedding]:
        self.passages += texts
        return [Embedding(np.eye(1, self.identity.dimension, dtype=np.float32)[0]) for _ in texts]


def test_only_the_newest_two_thousand_wordings_are_compared_and_the_report_says_so(home, embedder, reader):
    quick = QuickEmbedder(embedder)
    with opened_book(home, quick, reader) as book:
        many = Gaps(ManyQuestions(MOST_WORDINGS + 5), book)  # type: ignore[arg-type]
        report = asyncio.run(many.report(NOON))
    assert (report.questions, report.is_cut) == (MOST_WORDINGS, True)
    assert "How tall is tower 0?" in quick.passages
    assert f"How tall is tower {MOST_WORDINGS}?" not in quick.passages


def test_readers_are_served_while_a_report_is_made(home, embedder, reader):
    async def served(book: ServedBook) -> int:
        reporting = asyncio.create_task(Gaps(ManyQuestions(70), book).report(NOON))  # type: ignore[arg-type]
        turns = 0
        while not reporting.done():
            turns += 1
            await asyncio.sleep(0)
        await reporting
        return turns

    with opened_book(home, embedder, reader) as book:
        assert asyncio.run(served(book)) > 100
