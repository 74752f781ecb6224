"""The load of `make load`, in small: many readers, no errors, nobody hears another's answer.

`GLOSSATOR_TEST_READERS=200 GLOSSATOR_TEST_MESSAGES=10` is its full size.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from support.proof_size import repeats

ROOT = Path(__file__).parents[2]
READERS = repeats("READERS", 12)
MESSAGES = repeats("MESSAGES", 3)
BEYOND = max(48, 3 * READERS)
PATIENT = {
    f"GLOSSATOR_{name}_SECONDS": "300" for name in ("ANSWER", "SEARCH", "WRITE", "DATABASE", "WATCHDOG")
}
"""A machine that is busy with other things is not what is tried here; how long answers take, `make load` says."""
PAUSES = [] if "GLOSSATOR_TEST_READERS" in os.environ else ["--pauses", "0.05", "0.2"]


@pytest.mark.slow
def test_many_readers_at_once_get_their_own_answers_and_too_many_are_told_so(
    sample_home: Path, counted: Counter[str]
) -> None:
    size = ["--readers", str(READERS), "--messages", str(MESSAGES), "--beyond", str(BEYOND)]
    prepared = ["--home", str(sample_home), "--engine-rounds", "0"]
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "load.py", *size, *prepared, *PAUSES],
        env={**os.environ, **PATIENT},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads(done.stdout)
    for run in (figures["with pauses"], figures["without pauses"]):
        counted["answers, each its reader's own"] += run["answers"]
        assert run["answers"] == READERS * MESSAGES
        assert (run["failed"], run["wrong"], run["refused"]) == ({}, [], 0)
    beyond = figures["beyond"]
    assert beyond["refused"] > 0
    counted["told to come back"] += beyond["refused"]
    assert beyond["answers"] + beyond["refused"] == BEYOND * 5
    assert (beyond["failed"], beyond["wrong"]) == ({}, [])
