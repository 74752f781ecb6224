"""The load of `make load`, in small: many readers, no errors, nobody hears another's answer."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_many_readers_at_once_get_their_own_answers_and_too_many_are_told_so() -> None:
    few = ["--readers", "12", "--messages", "3", "--beyond", "60", "--pauses", "0.05", "0.2"]
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "load.py", *few], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads(done.stdout)
    for run in (figures["with pauses"], figures["without pauses"]):
        assert run["answers"] == 12 * 3
        assert (run["failed"], run["wrong"], run["refused"]) == ({}, [], 0)
    beyond = figures["beyond"]
    assert beyond["refused"] > 0
    assert beyond["answers"] + beyond["refused"] == 60 * 5
    assert (beyond["failed"], beyond["wrong"]) == ({}, [])
