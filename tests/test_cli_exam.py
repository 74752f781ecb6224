"""The commands that examine the assistant, as an author types them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from support.glossator_command import run_command

CHAPTERS = {
    "tides.md": "# Tides\n\n## Spring tides\n\nA *spring tide* is a tide of the largest range, which comes two days after new "
    "and full moon. Every spring tide uncovers the bar.\n\n## Reading a gauge\n\nLook at the gauge from the same height "
    "every time, and note the lowest mark that stays dry for three waves.\n",
    "knots.md": "# Knots\n\n## The bowline\n\nA *bowline* is a knot that makes a loop which neither slips nor jams. Sailors tie "
    "the bowline before any other knot.\n\n## Tying a clove hitch\n\nPass the rope twice around the post so that it "
    "crosses itself, and tuck the end under the crossing. A *bight* is a bend in a rope, and the bight of a hitch is drawn tight last.\n",
    "sails.md": "# Sails\n\n## The jib\n\nA *jib* is a triangular sail that is set before the mast. The jib steadies the bow "
    "when the boat is turned.\n\n## Reefing\n\nLower the sail to the first row of eyelets, hook the ring, and "
    "haul the boom up to the new corner.\n",
}


class Terminal:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return run_command(self.folder, *words, COLUMNS="100")


@pytest.fixture(scope="module")
def terminal(tmp_path_factory: pytest.TempPathFactory) -> Terminal:
    folder = tmp_path_factory.mktemp("author")
    book = folder / "sea-book"
    book.mkdir()
    for name, text in CHAPTERS.items():
        book.joinpath(name).write_text(text, encoding="utf-8")
    terminal = Terminal(folder)
    done = terminal.run("ingest", "sea-book", "--title", "Of the sea")
    assert done.returncode == 0, done.stderr
    return terminal


def test_an_exam_prints_its_report_and_shows_how_far_it_is(terminal: Terminal):
    done = terminal.run("exam", "--sample", "4")
    assert done.returncode == 0, done.stderr
    assert "Of the sea, generation 1: 3 pages" in done.stdout
    assert "near misses" in done.stdout
    assert "Asking: " in done.stderr
    assert "Asking" not in done.stdout


def test_an_exam_for_machines_writes_a_page_for_people_beside_it(terminal: Terminal):
    done = terminal.run("exam", "--sample", "4", "--json", "--html", "exam.html")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["book"] == "Of the sea"
    assert report["metrics"]["page_recall@5"] == 1.0
    assert {kind["kind"] for kind in report["kinds"]} >= {
        "heading",
        "definition",
        "near",
        "foreign",
        "left_out",
    }
    assert "Exam of Of the sea" in terminal.folder.joinpath("exam.html").read_text(encoding="utf-8")


def test_the_exit_code_says_whether_every_goal_was_reached(terminal: Terminal):
    reached = terminal.run("exam", "--sample", "2", "--at-least", "page_recall@5=0.5")
    assert reached.returncode == 0, reached.stderr
    failed = terminal.run(
        "exam", "--sample", "2", "--at-least", "page_recall@5=0.5", "--at-least", "latency_ms=0.001"
    )
    assert failed.returncode == 1
    assert "Missed: latency_ms is" in failed.stderr
    assert "Missed: page_recall@5" not in failed.stderr
    assert "near misses" in failed.stdout


def test_an_unknown_metric_is_an_error_before_anything_is_asked(terminal: Terminal):
    done = terminal.run("exam", "--at-least", "recal=0.5")
    assert done.returncode == 1
    assert "There is no metric 'recal'; there are page_recall@1, " in done.stderr
    assert "Asking" not in done.stderr


def test_the_authors_own_questions_are_asked_too(terminal: Terminal):
    own = terminal.folder / "own.yaml"
    own.write_text(
        "- question: Which knot neither slips nor jams?\n  page: knots.md\n  answer: bowline\n", "utf-8"
    )
    done = terminal.run("exam", "--sample", "1", "--questions", "own.yaml", "--json")
    assert done.returncode == 0, done.stderr
    (reply,) = [
        candidate
        for candidate in json.loads(done.stdout)["replies"]
        if candidate["question"]["kind"] == "author"
    ]
    assert reply["question"]["text"] == "Which knot neither slips nor jams?"
    assert reply["page_rank"] == 1
    assert reply["has_fact"] is True


def test_a_mistake_in_the_authors_file_is_one_line_that_says_where(terminal: Terminal):
    terminal.folder.joinpath("bad.yaml").write_text("- question: Which?\n- page: knots.md\n", "utf-8")
    done = terminal.run("exam", "--questions", "bad.yaml")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "glossator: bad.yaml, line 2: there is no question."
    missing = terminal.run("exam", "--questions", "nowhere.yaml")
    assert missing.returncode == 1
    assert missing.stderr.splitlines()[-1] == "glossator: The questions in nowhere.yaml cannot be read."


def test_a_report_that_cannot_be_written_is_an_error(terminal: Terminal):
    done = terminal.run("calibrate", "--html", "no/such/folder.html")
    assert done.returncode == 1
    assert "The report cannot be written to no/such/folder.html" in done.stderr


def test_calibrate_shows_the_fit_as_bars_as_json_and_as_a_page(terminal: Terminal):
    done = terminal.run("calibrate", "--html", "fit.html")
    assert done.returncode == 0, done.stderr
    assert "bear on theirs" in done.stdout
    assert "█" in done.stdout
    assert "calibration error" in done.stdout
    assert "<svg" in terminal.folder.joinpath("fit.html").read_text(encoding="utf-8")
    fit = json.loads(terminal.run("calibrate", "--json").stdout)
    assert 0 < fit["bearing"] < fit["passages"]
    assert sum(bucket["count"] for bucket in fit["bins"]) == fit["passages"]


def test_without_a_book_there_is_nothing_to_examine(tmp_path: Path):
    for command in ("exam", "calibrate"):
        done = Terminal(tmp_path).run(command)
        assert done.returncode == 1
        assert "glossator ingest PATH" in done.stderr
