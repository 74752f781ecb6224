"""What an operator sees of everybody's sessions."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import Connection

from glossator.adapters.records.migrate import VERSION_TABLE
from glossator.errors import SessionUnknown
from glossator.model import (
    SELECTION,
    Answer,
    Citation,
    Claim,
    Contract,
    Feedback,
    Grounding,
    Level,
    Outcome,
    ResponseState,
    TurnStatus,
    Verdict,
)
from glossator.model.insights import CitedSection, DayCount, Export
from support.records_story import ALICE, BOB, NOON, Records, answer, citation, refusal

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
        overview = await records.insight_store.overview(NOON)
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

        overview = await records.insight_store.overview(since)
        assert (overview.sessions, overview.exchanges, overview.flagged) == (2, 4, 1)
        assert overview.outcomes == {Outcome.ANSWERED: 3, Outcome.NOT_IN_BOOK: 1}
        assert overview.levels == {Level.HIGH: 3}
        assert (overview.helpful, overview.unhelpful) == (1, 1)
        assert overview.responses == {
            ResponseState.PROCESSING: 1,
            ResponseState.DELIVERED: 3,
            ResponseState.FLAGGED: 1,
        }
        assert overview.days == [
            DayCount(date(2026, 3, 1), 3, {Outcome.ANSWERED: 2, Outcome.NOT_IN_BOOK: 1}, flagged=1),
            DayCount(date(2026, 3, 2), 1, {Outcome.ANSWERED: 1}, flagged=0),
        ]
        assert (await records.insight_store.overview(datetime.min.replace(tzinfo=UTC))).exchanges == 5

    play(story)


def test_latencies_are_told_by_rank(play):
    async def story(records: Records):
        for milliseconds in range(1, 101):
            turn = records.turn(f"session {milliseconds}")
            await records.turns.accept(turn)
            at = turn.asked_at + timedelta(milliseconds=milliseconds)
            await records.turns.complete(turn.id, answer(), at)
        overview = await records.insight_store.overview(NOON)
        assert (overview.latency_p50_ms, overview.latency_p95_ms) == (50, 95)

    play(story)


def test_flagged_answers_are_listed_with_their_claims_and_citations(play):
    async def story(records: Records):
        await records.ask()
        flagged = [await records.ask(f"session {n}", reply=FLAGGED) for n in range(3)]
        listed = await records.insight_store.flagged(limit=2)
        assert listed == [flagged[2], flagged[1]]
        assert listed[0].answer.claims == FLAGGED.claims
        assert listed[0].answer.citations == FLAGGED.citations

    play(story)


def test_questions_are_found_by_words_of_question_and_answer_with_what_readers_thought(play):
    async def story(records: Records):
        first = await records.ask(
            question="What is 100% of a_b?", reply=answer("Nodes talk over TOPICS [1].")
        )
        await records.ask(question="And then?", reply=refusal())
        await records.ask("other", BOB, question="What is a node?", reply=answer("A process [1]."))
        await records.exchanges.judge(
            Feedback(first.id, helpful=False, reason="No."), ALICE, records.clock.now
        )

        async def found(words: str, outcome: Outcome | None = None, limit: int = 10) -> list[str]:
            asked = await records.insight_store.questions(words, outcome, limit)
            return [entry.exchange.question for entry in asked]

        assert await found("") == ["What is a node?", "And then?", "What is 100% of a_b?"]
        assert await found("", limit=1) == ["What is a node?"]
        assert await found("topics NODES") == ["What is 100% of a_b?"]
        assert await found("100% a_b") == ["What is 100% of a_b?"]
        assert await found("10_") == []
        assert await found("", Outcome.NOT_IN_BOOK) == ["And then?"]
        [*_, judged] = await records.insight_store.questions("", None, 10)
        assert judged.feedback == Feedback(first.id, helpful=False, reason="No.")
        assert (judged.owner, judged.exchange) == (ALICE, first)

    play(story)


def test_a_session_is_known_by_the_question_it_began_with(play):
    async def story(records: Records):
        for owner, question in ((ALICE, "First?"), (ALICE, "Second?"), (BOB, "Mine?")):
            await records.ask("1", owner, question=question)
        begun = await records.insight_store.first_questions(["1", "nowhere"])
        assert begun == {("1", ALICE): "First?", ("1", BOB): "Mine?"}
        assert await records.insight_store.first_questions([]) == {}

    play(story)


def test_the_latest_unanswered_questions_come_first(play):
    async def story(records: Records):
        for n in range(4):
            await records.ask(question=f"Unanswered {n}?", reply=refusal())
        listed = await records.insight_store.unanswered(NOON, limit=3)
        assert [question.question for question in listed] == [
            "Unanswered 3?",
            "Unanswered 2?",
            "Unanswered 1?",
        ]
        assert await records.insight_store.unanswered(records.clock.forward(seconds=1), limit=3) == []

    play(story)


def test_an_answer_that_did_not_help_is_a_gap_and_small_talk_is_none(play):
    async def story(records: Records):
        told = [
            await records.ask(question="Fine?"),
            await records.ask(question="Useless?"),
            await records.ask(question="Refused and useless?", reply=refusal()),
            await records.ask(question="Hello", reply=answer(outcome=Outcome.SMALL_TALK, confidence=None)),
        ]
        for exchange, helpful in zip(told, (True, False, False, False), strict=True):
            await records.exchanges.judge(Feedback(exchange.id, helpful=helpful), ALICE, records.clock.now)
        refused, useless = await records.insight_store.unanswered(NOON, limit=10)
        assert (refused.question, refused.nearest) == ("Refused and useless?", refusal().suggestions[0])
        assert (useless.question, useless.outcome, useless.nearest) == ("Useless?", Outcome.ANSWERED, None)

    play(story)


def test_sessions_of_two_owners_with_one_id_are_two_to_the_author(play):
    async def story(records: Records):
        for owner in (ALICE, BOB, ALICE):
            await records.ask("1", owner, reply=refusal())
        listed = await records.insight_store.unanswered(NOON, limit=10)
        assert [question.session_id for question in listed] == ["1", "1", "1"]
        assert listed[0].session == listed[2].session != listed[1].session

    play(story)


def test_what_is_not_whole_is_no_gap(play):
    async def story(records: Records):
        turn = records.turn(question="Who goes there?")
        await records.turns.accept(turn)
        assert await records.insight_store.unanswered(NOON, limit=10) == []
        await records.turns.give_up(turn.id, TurnStatus.INTERRUPTED)
        assert await records.insight_store.unanswered(NOON, limit=10) == []

    play(story)


def cites(*sections: str) -> Answer:
    return answer(citations=tuple(_of_section(n, title) for n, title in enumerate(sections, 1)))


def _of_section(n: int, title: str) -> Citation:
    url = f"https://book.example/ros2#{title.lower()}:~:text=words,number%20{n}"
    return replace(citation(n, title), url=url)


def test_sections_are_counted_by_the_answers_that_cite_them(play):
    async def story(records: Records):
        await records.ask(reply=cites("Before"))
        since = records.clock.forward(seconds=1)
        await records.ask(reply=cites("Nodes", "Topics", "Nodes"))
        await records.ask("two", BOB, reply=cites("Topics"))
        await records.ask("three", reply=refusal())
        assert await records.insight_store.cited(since) == [
            CitedSection("Topics", "ros2.md", "https://book.example/ros2#topics", 2),
            CitedSection("Nodes", "ros2.md", "https://book.example/ros2#nodes", 1),
        ]

    play(story)


def test_a_page_without_an_anchor_is_cited_by_its_own_address(play):
    async def story(records: Records):
        url = "https://book.example/ros2#:~:text=Nodes%20talk"
        await records.ask(reply=answer(citations=(replace(citation(1), url=url),)))
        [cited] = await records.insight_store.cited(NOON)
        assert cited.url == "https://book.example/ros2"

    play(story)


def test_the_words_of_a_selection_are_no_section_of_the_book(play):
    async def story(records: Records):
        selected = replace(
            citation(1, SELECTION), page_title=SELECTION, chapter="", page="https://book.example/ros2"
        )
        await records.ask(reply=answer(citations=(selected, citation(2, "Topics"))))
        assert [section.title for section in await records.insight_store.cited(NOON)] == ["Topics"]

    play(story)


def test_what_is_deleted_was_never_cited(play):
    async def story(records: Records):
        await records.ask("1", ALICE, reply=cites("Nodes"))
        await records.ask("1", BOB, reply=cites("Nodes"))
        await records.insight_store.delete("1", ALICE)
        assert [section.count for section in await records.insight_store.cited(NOON)] == [1]
        await records.retention_store.erase("bob")
        assert await records.insight_store.cited(NOON) == []

    play(story)


def test_sections_that_were_cited_before_they_were_counted_are_counted(play):
    async def story(records: Records):
        await records.ask(reply=cites("Nodes", "Topics", "Nodes"))
        selected = replace(citation(1, SELECTION), page_title=SELECTION, chapter="")
        await records.ask("two", BOB, reply=answer(citations=(selected, *cites("Topics").citations)))
        await records.turns.accept(records.turn("three"))
        counted = await records.insight_store.cited(NOON)
        await records.database.write(_as_before)
        await records.database.migrate()
        assert await records.insight_store.cited(NOON) == counted
        assert [(section.title, section.count) for section in counted] == [("Topics", 2), ("Nodes", 1)]

    play(story)


def _as_before(connection: Connection) -> None:
    """As the second revision left it; the later ones have no way back."""
    for view in ("chat_messages", "chat_sessions", "conversations", "conversation_threads", "session_names"):
        connection.exec_driver_sql(f"DROP VIEW IF EXISTS {view}")
    for index in ("name", "name_uuid", "created", "user"):
        connection.exec_driver_sql(f"DROP INDEX IF EXISTS sessions_{index}")
    connection.exec_driver_sql("DROP INDEX exchanges_asked")
    connection.exec_driver_sql("ALTER TABLE sessions DROP COLUMN name")
    connection.exec_driver_sql("ALTER TABLE sessions DROP COLUMN book")
    connection.exec_driver_sql("ALTER TABLE api_keys DROP COLUMN is_anonymous")
    connection.exec_driver_sql("ALTER TABLE api_keys DROP COLUMN books")
    connection.exec_driver_sql("DROP TABLE cited_sections")
    connection.exec_driver_sql(f"UPDATE {VERSION_TABLE} SET version_num = '0002'")


def test_an_id_may_be_that_of_several_sessions(play):
    async def story(records: Records):
        await records.ask("1", ALICE, contract=Contract.COURSE)
        await records.ask("1", BOB, contract=Contract.COURSE)
        assert [found.owner for found in await records.insight_store.find("1")] == [ALICE, BOB]
        assert await records.insight_store.find("2") == []
        assert await records.insight_store.find("nul\0") == []

    play(story)


def test_an_export_has_everything_that_is_kept_of_a_session(play):
    async def story(records: Records):
        told = [await records.ask(), await records.ask(reply=FLAGGED)]
        feedback = Feedback(told[1].id, helpful=False, reason="No cheese.")
        await records.exchanges.judge(feedback, ALICE, records.clock.now)
        session = await records.sessions.find("s", ALICE)
        assert await records.insight_store.export("s", ALICE) == Export(session, told, [feedback])
        with pytest.raises(SessionUnknown):
            await records.insight_store.export("s", BOB)

    play(story)


def test_an_operator_deletes_one_owners_session_also_when_its_time_is_over(play):
    async def story(records: Records):
        await records.ask("1", ALICE, contract=Contract.GROUNDING)
        await records.ask("1", BOB, contract=Contract.GROUNDING)
        records.clock.forward(days=2)
        await records.insight_store.delete("1", ALICE)
        with pytest.raises(SessionUnknown):
            await records.insight_store.delete("1", ALICE)
        assert [found.owner for found in await records.insight_store.find("1")] == [BOB]

    play(story)
