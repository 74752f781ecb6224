"""What the pages of the desk make of the values they are given."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from glossator.model import (
    Answer,
    Citation,
    Grounding,
    KeptExchange,
    Level,
    Outcome,
    Suggestion,
)
from glossator.model.insights import DayCount, FlaggedAnswer, FlaggedClaim, Gap, GapReport, Overview
from glossator.web.dashboard.overview import OverviewView, overview_view
from glossator.web.dashboard.pages import DashboardPages, duration, percent
from glossator.web.dashboard.period import Period
from glossator.web.dashboard.sections import GapsView

TODAY = date(2026, 3, 31)
NOON = datetime(2026, 3, 31, 12, tzinfo=UTC)
PAGES = DashboardPages()


def overview(
    outcomes: Mapping[Outcome, int], days: Mapping[date, int] | None = None, **more: object
) -> Overview:
    total = sum(outcomes.values())
    known: dict[str, object] = {
        "since": NOON,
        "sessions": total,
        "exchanges": total,
        "outcomes": outcomes,
        "levels": {Level.HIGH: total},
        "flagged": 0,
        "helpful": 0,
        "unhelpful": 0,
        "latency_p50_ms": 20.0,
        "latency_p95_ms": 1500.0,
        "days": [
            DayCount(day, count, {Outcome.ANSWERED: count}, flagged=0) for day, count in (days or {}).items()
        ],
    }
    return Overview(**{**known, **more})  # type: ignore[arg-type]


def seen(view: OverviewView) -> str:
    return shown("overview.html", view=view)


def shown(template: str, **values: object) -> str:
    return bytes(PAGES.show(template, **values).body).decode()


def answer(text: str, *citations: Citation) -> Answer:
    return Answer(
        id="1",
        outcome=Outcome.ANSWERED,
        text=text,
        claims=(),
        citations=citations,
        confidence=None,
        grounding=Grounding(True),
        suggestions=(),
        disclaimer=None,
        writer=None,
        model=None,
        index=None,
        timings={},
        trace=(),
    )


def citation(url: str, n: int = 1) -> Citation:
    return Citation(n, "a.md#0", "a.md", "Page", "Chapter", "Section", url, "the words", 0, 9, 0.5)


def flagged(text: str, *citations: Citation) -> str:
    kept = KeptExchange("1", "s", NOON, "What?", answer(text, *citations), NOON, NOON)
    return shown("flagged.html", flagged=[FlaggedAnswer(kept, [FlaggedClaim("It is so.", None)])], most=20)


def test_a_period_is_whole_days_of_utc_that_end_today():
    period = Period(30, TODAY)
    assert period.since == datetime(2026, 3, 2, tzinfo=UTC)
    assert period.before == datetime(2026, 1, 31, tzinfo=UTC)
    assert len(period.spans) == 30
    assert period.spans[-1] == (TODAY, TODAY)


@pytest.mark.parametrize("days", [1, 7, 92, 93, 365])
def test_the_spans_of_a_period_are_its_days_each_once(days: int):
    period = Period(days, TODAY)
    covered = [
        first + timedelta(days=number)
        for first, last in period.spans
        for number in range((last - first).days + 1)
    ]
    assert covered == [period.first + timedelta(days=number) for number in range(days)]
    assert len(period.spans) <= 92


def test_what_was_before_is_the_difference_and_is_told_as_a_change():
    now = overview({Outcome.ANSWERED: 12, Outcome.NOT_IN_BOOK: 4}, flagged=2)
    both = overview({Outcome.ANSWERED: 20, Outcome.NOT_IN_BOOK: 10}, flagged=4)
    view = overview_view(Period(30, TODAY), now, both)
    assert [(kind.name, kind.count, kind.before, kind.change) for kind in view.kinds] == [
        ("answered", 12, 8, "+4"),
        ("with caution", 0, 0, "±0"),
        ("not in the book", 4, 6, "−2"),
        ("other", 0, 0, "±0"),
    ]
    assert view.flagged.change == "±0"
    assert "The 30 days before had 14 questions." in seen(view)


def test_nothing_is_compared_with_a_time_when_nobody_asked():
    now = overview({Outcome.ANSWERED: 3})
    page = seen(overview_view(Period(30, TODAY), now, now))
    assert "days before" not in page
    assert "period before" not in page


def test_small_talk_does_not_count_for_or_against_the_book():
    now = overview({Outcome.ANSWERED: 3, Outcome.NOT_IN_SELECTION: 1, Outcome.SMALL_TALK: 96})
    told = overview_view(Period(7, TODAY), now, now).about_the_book
    assert (told.count, told.whole, told.share) == (3, 4, 0.75)


def test_the_chart_has_a_bar_for_every_day_and_says_each_in_words():
    now = overview({Outcome.ANSWERED: 5}, {TODAY: 4, TODAY - timedelta(days=2): 1})
    view = overview_view(Period(7, TODAY), now, now)
    titles = re.findall(r"<title>(.*?)</title>", view.chart)
    assert len(titles) == 7
    assert titles[-1] == "31 Mar 2026: 4 answered"
    assert titles[-2] == "30 Mar 2026: nothing asked"
    assert "style=" not in view.chart


@pytest.mark.parametrize("most", [0, 1, 2, 3, 9, 10, 11, 27, 49, 50, 51, 100, 101, 999, 12_345])
def test_the_top_of_the_chart_is_round_even_and_not_far_above_the_highest_bar(most: int):
    now = overview({Outcome.ANSWERED: most or 1}, {TODAY: most})
    top = overview_view(Period(7, TODAY), now, now).top
    assert most <= top <= max(2, 2 * most)
    assert top % 2 == 0


def test_shares_are_rounded_but_never_to_what_they_are_not():
    assert [percent(share) for share in (None, 0, 0.004, 0.5, 0.997, 1)] == [
        "–",
        "0\u202f%",
        "under 1\u202f%",
        "50\u202f%",
        "over 99\u202f%",
        "100\u202f%",
    ]
    assert [duration(took) for took in (None, 0.2, 20.4, 1500)] == ["–", "under 1 ms", "20 ms", "1.5 s"]


def test_marks_lead_to_what_they_cite_and_other_brackets_stay_as_they_are():
    page = flagged("So it is [1], see [2] and [x](y).", citation("https://book.example/a#b"))
    assert (
        '<sup><a href="https://book.example/a#b" target="_blank" rel="noopener noreferrer">[1]</a></sup>'
        in page
    )
    assert "see [2] and [x](y)." in page


@pytest.mark.parametrize("url", ["javascript:alert(1)", "//evil.example/", "data:text/html,x", "page.md#a"])
def test_only_addresses_of_pages_become_links(url: str):
    page = flagged("So it is [1].", citation(url))
    assert "<sup>[1]</sup>" in page
    assert url not in page


def test_what_a_writer_wrote_is_text_and_never_markup():
    page = flagged("<script>alert(1)</script> <img src=x onerror=alert(2)> [1]\n\n```\n</code><b>bold</b>")
    assert not re.search(r"<(script|img|b)\b", page)
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &lt;img src=x onerror=alert(2)&gt; [1]" in page


def test_code_in_an_answer_keeps_its_lines():
    page = flagged('Do this:\n\n```bash\nls -l "<here>"\n```\n\nand be done.')
    assert '<pre tabindex="0"><code>ls -l &#34;&lt;here&gt;&#34;\n</code></pre>' in page


def test_a_gap_says_all_that_is_known_of_it():
    gap = Gap(
        example="How do I dock?",
        questions=["How do I dock?", "Docking?"],
        count=12,
        sessions=7,
        outcomes={Outcome.NOT_IN_BOOK: 12},
        nearest=Suggestion("Charging", "https://book.example/charging", "a.md#0"),
        missing=["dock"],
        last_asked=NOON,
    )
    report = GapReport(NOON, 3, [gap], questions=15, held_back=3)
    page = " ".join(
        re.sub(r"<[^>]+>", " ", shown("gaps.html", view=GapsView(Period(30, TODAY), report))).split()
    )
    assert "12 questions 7 sessions How do I dock?" in page
    assert "Words the book lacks dock Nearest: Charging" in page
    assert "12 not in the book last asked 31 Mar 2026, 12:00 open 2 wordings" in page
    assert "1 gap holds 12 of them" in page
    assert "Older ones were not looked at" not in page
    cut = replace(report, is_cut=True)
    assert "Older ones were not looked at" in shown("gaps.html", view=GapsView(Period(30, TODAY), cut))
