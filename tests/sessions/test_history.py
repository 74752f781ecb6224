"""What the writer sees of a conversation, and what is kept of it in a line."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from glossator.model import Exchange, Topic
from glossator.sessions.retention import next_retention, summarize
from glossator.sessions.turns import recent_exchanges
from glossator.testing import WordEmbedder


def exchanges(count: int, words: int = 3) -> list[Exchange]:
    return [Exchange(f"question {n}", "word " * words) for n in range(count)]


def test_the_last_ten_messages_are_seen() -> None:
    seen = recent_exchanges(exchanges(9), WordEmbedder())
    assert [exchange.question for exchange in seen] == [f"question {n}" for n in range(4, 9)]


def test_what_does_not_fit_in_8000_tokens_is_left_out_from_the_oldest_on() -> None:
    seen = recent_exchanges(exchanges(5, words=3000), WordEmbedder())
    assert [exchange.question for exchange in seen] == ["question 3", "question 4"]


def test_an_exchange_that_alone_is_too_long_is_not_seen_in_half() -> None:
    assert recent_exchanges(exchanges(1, words=9000), WordEmbedder()) == ()


def topics(*sections: str) -> list[Topic]:
    return [Topic(f"question {n}", (section,) if section else ()) for n, section in enumerate(sections)]


def test_what_was_cited_most_comes_first() -> None:
    assert summarize(topics("Nodes", "Topics", "Topics", "", "Services")) == "Topics; Nodes; Services"


def test_a_summary_has_200_characters_and_no_half_title() -> None:
    summary = summarize(topics(*(f"A long title of a section, number {n}" for n in range(20))))
    assert len(summary) <= 200
    assert summary.endswith("number 4")


@pytest.mark.parametrize("sections", [("",) * 5, ("   ",) * 6])
def test_a_session_that_cites_nothing_is_told_so(sections: tuple[str, ...]) -> None:
    assert summarize(topics(*sections)) == "Questions that the book does not answer"


@pytest.mark.parametrize(
    ("after", "due"),
    [
        (datetime(2026, 3, 1, 1, 59, tzinfo=UTC), datetime(2026, 3, 1, 2, tzinfo=UTC)),
        (datetime(2026, 3, 1, 2, 0, tzinfo=UTC), datetime(2026, 3, 2, 2, tzinfo=UTC)),
        (datetime(2026, 12, 31, 23, 0, tzinfo=UTC), datetime(2027, 1, 1, 2, tzinfo=UTC)),
    ],
)
def test_retention_is_due_at_two_in_the_morning(after: datetime, due: datetime) -> None:
    assert next_retention(after) == due
