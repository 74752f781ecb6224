"""The report to take away, whatever readers wrote."""

from __future__ import annotations

import csv
from datetime import UTC, datetime
from io import StringIO
from itertools import pairwise

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from glossator.insights.gap_table import as_csv, as_markdown, outcomes_text, summary
from glossator.model import Outcome, Suggestion
from glossator.model.insights import Gap, GapReport

SINCE = datetime(2026, 2, 1, tzinfo=UTC)
HOSTILE = [
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(A1:A9)",
    "\t=1+1",
    "＝1+1",
    "＠SUM(A1:A9)",
    "－2＋3",
    "＋1",
    '\r\n=HYPERLINK("http://evil.example")',
    "one\nline | two | three\n| --- |",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[click](javascript:alert(1)) ![x](http://evil.example/x.png)",
    "`code` *emphasis* __strong__ ~~gone~~ $x$ \\",
    "&lt;b&gt; &amp; <!-- -->",
    "\u202etxt.exe\u202c \u2066isolated",
    'says "quoted", and more',
    "کیا روبوٹ چل سکتا ہے؟",
]


def gap(example: str, nearest: Suggestion | None = None, missing: tuple[str, ...] = ()) -> Gap:
    return Gap(
        example=example,
        questions=[example, "another wording"],
        count=12,
        sessions=5,
        outcomes={Outcome.ANSWERED_WITH_CAUTION: 2, Outcome.NOT_IN_BOOK: 10},
        nearest=nearest,
        missing=missing,
        last_asked=datetime(2026, 3, 1, 12, 30, tzinfo=UTC),
    )


def report(*gaps: Gap, **fields: object) -> GapReport:
    given = {"least_sessions": 3, "questions": 40, "held_back": 4, **fields}
    return GapReport(since=SINCE, gaps=gaps, **given)  # type: ignore[arg-type]


def rows(text: str) -> list[list[str]]:
    return list(csv.reader(StringIO(text)))


def cells(markdown: str) -> list[list[Token]]:
    """Of the only table, as a page that allows raw HTML would read it."""
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(markdown)
    assert [token.type for token in tokens].count("table_open") == 1
    assert not [token for token in tokens if token.type == "html_block"]
    inside = [token for before, token in pairwise(tokens) if before.type == "td_open"]
    return [inside[start : start + 8] for start in range(0, len(inside), 8)]


def test_a_gap_is_a_line_of_a_spreadsheet():
    nearest = Suggestion("Sensors > Lidar", "https://book.example/sensors#lidar", "sensors.md#1")
    head, line = rows(as_csv(report(gap("How do I calibrate it?", nearest, ("LiDAR", "WebRTC")))))
    assert dict(zip(head, line, strict=True)) == {
        "question": "How do I calibrate it?",
        "asked": "12",
        "sessions": "5",
        "outcomes": "10 not in the book, 2 answered with caution",
        "nearest_section": "Sensors > Lidar",
        "nearest_url": "https://book.example/sensors#lidar",
        "missing_words": "LiDAR, WebRTC",
        "last_asked": "2026-03-01T12:30:00+00:00",
        "state": "open",
        "wordings": "How do I calibrate it? / another wording",
    }


def test_a_gap_is_a_row_of_a_table():
    nearest = Suggestion("Sensors > Lidar", "https://book.example/sensors#lidar", "sensors.md#1")
    [row] = cells(as_markdown(report(gap("How do I calibrate it?", nearest, ("LiDAR",)))))
    assert [cell.content for cell in row[:4]] == [
        "How do I calibrate it?",
        "12",
        "5",
        "10 not in the book, 2 answered with caution",
    ]
    link = row[4].children or []
    assert link[0].attrs["href"] == "https://book.example/sensors#lidar"
    assert "".join(token.content for token in link) == "Sensors > Lidar"
    assert [cell.content for cell in row[5:]] == ["LiDAR", "2026-03-01", "open"]


@pytest.mark.parametrize("question", HOSTILE)
def test_a_spreadsheet_calculates_nothing_that_a_reader_wrote(question: str):
    written = as_csv(report(gap(question), gap("the next")))
    lines = rows(written)
    assert len(lines) == len(written.splitlines()) == 3
    for cell in lines[1]:
        assert not cell.startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r"))
        assert not set(cell) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@pytest.mark.parametrize("question", HOSTILE)
def test_a_page_shows_what_a_reader_wrote_and_nothing_else(question: str):
    found = cells(as_markdown(report(gap(question), gap("the next"))))
    assert len(found) == 2
    children = found[0][0].children or []
    assert {token.type for token in children} <= {"text", "text_special"}
    shown = "".join(token.content for token in children)
    said = "".join(character for character in question if character not in "\u202e\u202c\u2066")
    assert shown == " ".join(said.split())


def test_an_address_stays_inside_its_link():
    nearest = Suggestion("A [b] | c", "/docs/a b>) <script>|x", "a.md#0")
    [row] = cells(as_markdown(report(gap("Why?", nearest))))
    link = row[4].children or []
    assert [token.type for token in link if not token.type.startswith("text")] == ["link_open", "link_close"]
    assert link[0].attrs["href"] == "/docs/a%20b%3E%29%20%3Cscript%3E%7Cx"


def test_it_says_how_much_is_not_shown():
    assert summary(report(gap("Why?"))) == (
        "1 gap in 40 questions; 4 held back, asked in fewer than 3 sessions."
    )
    assert summary(report(held_back=0, questions=1, is_cut=True)) == (
        "0 gaps in 1 question; older ones were not looked at."
    )


def test_a_report_without_gaps_has_no_table():
    assert "|" not in as_markdown(report())
    assert len(rows(as_csv(report()))) == 1


def test_every_outcome_has_words():
    assert all(outcomes_text({outcome: 1}) for outcome in Outcome)
