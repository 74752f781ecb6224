"""`make proof`: what was done is not done again, what failed is, and the report says both."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from proof import PARTS, Part, report, run

ROOT = Path(__file__).parents[1]
TEST = """
import os
from pathlib import Path

def test_things(record_testsuite_property):
    batch, folder = os.environ["GLOSSATOR_TEST_BATCH"], Path(__file__).parent
    with (folder / "ran").open("a") as ran:
        ran.write(f"{batch}:{os.environ['GLOSSATOR_TEST_THINGS']} ")
    record_testsuite_property("counted: things", int(os.environ["GLOSSATOR_TEST_THINGS"]))
    assert batch != "1" or (folder / "mended").exists(), "the second batch is broken"
"""


@pytest.fixture
def part(tmp_path: Path) -> Part:
    (tmp_path / "test_things.py").write_text(TEST)
    test = str(tmp_path / "test_things.py")
    return Part("things", "Things hold.", 6, ("things",), (test,), "GLOSSATOR_TEST_THINGS", batch=2)


def ran(tmp_path: Path) -> list[str]:
    return (tmp_path / "ran").read_text().split()


def told(folder: Path) -> dict[str, object]:
    return json.loads((folder / "report.json").read_text())[0]


def test_a_batch_that_failed_is_run_again_and_no_other(part: Part, tmp_path: Path):
    folder = tmp_path / "progress"
    run(part, [part], folder)
    assert ran(tmp_path) == ["0:2", "1:2", "2:2", "3:2"]
    assert not report([part], folder)
    assert "the second batch is broken" in (folder / "report.md").read_text()

    (tmp_path / "mended").touch()
    run(part, [part], folder)
    assert ran(tmp_path)[4:] == ["1:2"]
    assert report([part], folder)
    assert told(folder)["counts"] == {"things": 8}
    assert "the second batch is broken" in str(told(folder)["failed_before"])

    run(part, [part], folder)
    assert len(ran(tmp_path)) == 5


def test_a_part_may_do_one_batch_and_go_on_at_its_next_turn(part: Part, tmp_path: Path):
    (tmp_path / "mended").touch()
    for turns in (1, 2):
        run(part, [part], tmp_path / "progress", most=1)
        assert ran(tmp_path) == ["0:2", "1:2"][:turns]


def test_at_a_smaller_scale_less_is_asked_for(part: Part, tmp_path: Path):
    run(part.scaled(0.3), [part.scaled(0.3)], tmp_path / "progress")
    assert ran(tmp_path) == ["0:2"]
    assert report([part.scaled(0.3)], tmp_path / "progress")
    assert not report([part], tmp_path / "progress"), "which is not the full size"


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_every_part_is_made_of_tests_that_there_are_and_counts_what_they_count(part: Part):
    named = [test.partition("::") for test in part.tests]
    texts = {path: (ROOT / path).read_text("utf-8") for path, _, _ in named}
    assert all(f"def {name}(" in texts[path] for path, _, name in named if name)
    imported = "".join(path.read_text("utf-8") for path in (ROOT / "tests/support").glob("proof_*.py"))
    everything = "".join(texts.values()) + imported
    assert all(f'counted["{name}"]' in everything for name in part.counts)
    assert f'repeats("{part.variable.removeprefix("GLOSSATOR_TEST_")}"' in everything
