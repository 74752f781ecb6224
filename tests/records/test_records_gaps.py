"""`glossator gaps`, on the small book and both databases."""

from __future__ import annotations

import asyncio
import csv
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from glossator.cli.group import commands
from support.records_story import ALICE, Records, opened, refusal

Run = Callable[..., Result]

LIDAR = ["How do I calibrate a lidar?", "lidar calibration", "calibrating a LiDAR"]
HOSTILE = "=cmd|' /C calc'!A0\n<script>alert(1)</script> \u202e"


@pytest.fixture
def run(database_url: str, home: Path) -> Run:
    """On records in which four readers asked within the week, and one a long time ago."""
    asyncio.run(_readers(database_url))
    environment = {"GLOSSATOR_HOME": str(home), "GLOSSATOR_DATABASE_URL": database_url, "NO_COLOR": "1"}

    def invoke(*words: str) -> Result:
        done = CliRunner(env=environment).invoke(commands, ["gaps", *words])
        assert done.exit_code == 0 or words == ("--days", "0"), done.output
        return done

    return invoke


async def _readers(url: str) -> None:
    async with opened(url) as records:
        await _asked(records, "old", "Is there a lidar?", days=100)
        for number, question in enumerate([*LIDAR, HOSTILE]):
            await _asked(records, f"reader {number}", question, days=7)


async def _asked(records: Records, session: str, question: str, days: int) -> None:
    records.clock.now = datetime.now(UTC) - timedelta(days=days)
    await records.ask(session, ALICE, question=question, reply=refusal())


def test_a_person_reads_what_the_book_lacks(run: Run):
    told = run().stdout
    head, *facts = told.split("\n\n")[0].splitlines()
    assert head in LIDAR
    assert facts[0].startswith("   3 times in 3 sessions, last 20")
    assert facts[0].endswith(": 3 not in the book; still open after the last ingest")
    assert sorted([head, *(line.removeprefix("   also: ") for line in facts[1:3])]) == sorted(LIDAR)
    assert facts[3].startswith("   words the book lacks: ")
    assert "LiDAR" in facts[3] or "lidar" in facts[3]
    assert told.endswith("1 gap in 4 questions; 1 held back, asked in fewer than 3 sessions.\n")


def test_single_readers_are_shown_when_that_is_wanted(run: Run):
    told = run("--least-sessions", "1").stdout
    assert "=cmd|' /C calc'!A0 <script>alert(1)</script>\n" in told
    assert "\u202e" not in told
    assert told.endswith("2 gaps in 4 questions.\n")


def test_a_longer_time_has_more_in_it(run: Run):
    assert "Is there a lidar?" not in run("--least-sessions", "1").stdout
    assert "Is there a lidar?" in run("--least-sessions", "1", "--days", "200").stdout
    assert run("--days", "1").stdout == "0 gaps in 0 questions.\n"
    assert run("--days", "0").exit_code == 2


def test_a_spreadsheet_gets_a_line_for_each(run: Run):
    head, *lines = csv.reader(run("--csv", "--least-sessions", "1").stdout.splitlines())
    assert head[:3] == ["question", "asked", "sessions"]
    assert [line[1:3] for line in lines] == [["3", "3"], ["1", "1"]]
    assert lines[1][0] == "'=cmd|' /C calc'!A0 <script>alert(1)</script>"


def test_a_page_gets_a_row_for_each(run: Run):
    told = run("--markdown", "--least-sessions", "1").stdout
    rows = [line for line in told.splitlines() if line.startswith("|")]
    assert len(rows) == 4
    assert rows[3].startswith("| =cmd\\|' /C calc'!A0 &lt;script&gt;alert(1)&lt;/script&gt; | 1 | 1 |")


def test_a_machine_gets_all_of_it(run: Run):
    told = json.loads(run("--json").stdout)
    assert (told["questions"], told["held_back"], told["least_sessions"], told["is_cut"]) == (4, 1, 3, False)
    [gap] = told["gaps"]
    assert sorted(gap["questions"]) == sorted(LIDAR)
    assert gap["outcomes"] == {"not_in_book": 3}
