"""The promises of docs/resilience.md at the size people can rely on: `make proof`. Hours; a run that was killed goes on.

    python scripts/proof.py                                 all parts, one after the other
    python scripts/proof.py ingest-kills schema             these alone
    python scripts/proof.py --batches 1                     a batch of each part
    python scripts/proof.py --scale 0.02 --folder build/try everything at a fiftieth of its size

A part is a test of `make test` with larger numbers (tests/support/proof_size.py), in batches of one pytest run each. What a
batch counted is kept in `build/proof/<part>/<batch>.json`: a batch that held is not run again, one that failed is, with the
same cases. `build/proof/report.md` and `report.json` have all of it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from math import ceil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

ROOT = Path(__file__).parents[1]
COUNTED = "counted: "
"""Before the names of our counts in a JUnit report; other tools write theirs there too."""
MOST_BATCHES = 3
"""Times as many as planned, where they count less than they were asked for."""


@dataclass(frozen=True)
class Part:
    """One promise. What counts towards its goal are the tests' own names for what they did."""

    name: str
    promise: str
    goal: int
    counts: Sequence[str]
    tests: Sequence[str]
    variable: str
    """Says how often the tests repeat what they do."""
    batch: int
    """How much of the goal is left to one run of pytest."""
    share: int = 1
    """How much of the goal each repeat is worth: by so much the variable is smaller than the batch."""
    only: Sequence[str] = ("",)
    """Words of `pytest -k`; each batch takes the next."""
    fixed: Mapping[str, str] = field(default_factory=dict[str, str])

    def scaled(self, scale: float) -> Part:
        return replace(self, goal=max(1, ceil(self.goal * scale)))

    @property
    def batches(self) -> int:
        return max(ceil(self.goal / self.batch), len(self.only))

    def environment(self, batch: int) -> dict[str, str]:
        repeats = ceil(self.goal / self.batches / self.share)
        ours = {self.variable: str(repeats), "GLOSSATOR_TEST_BATCH": str(batch), **self.fixed}
        # A server that is killed a thousand times need not compile its modules a thousand times.
        compiled = {"PYTHONDONTWRITEBYTECODE": ""}
        return {**os.environ, **compiled, "HYPOTHESIS_PROFILE": "searching", **ours}

    def command(self, batch: int, junit: Path) -> list[str]:
        chosen = self.only[batch % len(self.only)]
        narrowed = ["-k", chosen] if chosen else []
        return [sys.executable, "-m", "pytest", "-n", "0", "-q", "--tb=short", f"--hypothesis-seed={batch}",
                f"--junitxml={junit}", *narrowed, *self.tests]  # fmt: skip


_KILL = "tests/web/test_kill.py::test_"
PARTS = (
    Part(
        "ingest-kills",
        "An ingest killed at any step or moment: the old book serves, the next run finishes, nothing is lost or doubled.",
        1000,
        ("ingests killed at a step", "ingests killed at a moment"),
        ("tests/ingest/test_crash.py",),
        "GLOSSATOR_TEST_KILLS",
        batch=50,
        share=2,
    ),
    Part(
        "server-ingest-kills",
        "An ingest onto a Qdrant server killed between two requests: the old book serves, the next run finishes.",
        200,
        ("ingests onto a server killed at a request",),
        (
            "tests/adapters/test_index_server_crash.py::test_an_ingest_killed_before_each_of_its_requests_loses_nothing",
        ),
        "GLOSSATOR_TEST_KILLS",
        batch=20,
    ),
    Part(
        "api-kills",
        "The API killed while four readers listen, on SQLite: no answer that was heard is lost, none is half.",
        1000,
        ("servers killed",),
        (f"{_KILL}whatever_kills_the_server_no_answer_is_lost_and_none_is_half",),
        "GLOSSATOR_TEST_KILLS",
        batch=20,
    ),
    Part(
        "api-kills-postgresql",
        "The same on PostgreSQL.",
        200,
        ("servers killed",),
        (f"{_KILL}neither_on_postgresql",),
        "GLOSSATOR_TEST_KILLS",
        batch=20,
    ),
    Part(
        "faults",
        "Each dependency fails in eight ways over real sockets: every contract says so in its own words, and recovers.",
        4 * 8 * 7,
        ("cells",),
        ("tests/web/test_matrix.py::test_every_contract_says_it_in_its_own_words",),
        "GLOSSATOR_TEST_FAULTS",
        batch=8 * 7,
        share=7,
        only=("index", "records", "writer", "embedder"),
    ),
    Part(
        "readers",
        "200 readers with 10 messages each, with pauses and without: no error, and nobody hears another's answer.",
        2 * 200 * 10,
        ("answers, each its reader's own",),
        ("tests/web/test_load.py",),
        "GLOSSATOR_TEST_READERS",
        batch=2 * 200 * 10,
        share=2 * 10,
        fixed={"GLOSSATOR_TEST_MESSAGES": "10"},
    ),
    Part(
        "schema",
        "Whatever is sent to a contract, the reply is one that its own page describes, and no failure of ours.",
        20_000,
        ("cases",),
        ("tests/web/test_schema_contracts.py", "tests/web/test_contract_openai_schema.py"),
        "GLOSSATOR_TEST_FUZZ",
        batch=2_000,
        share=30,
    ),
    Part(
        "sessions",
        "Nobody reaches a session of somebody else, with any key, user, contract and token there ever was.",
        100_000,
        ("tries refused",),
        ("tests/web/test_sessions_machine.py",),
        "GLOSSATOR_TEST_TRIES",
        batch=5_000,
        share=2,
    ),
    Part(
        "half-open",
        "Requests that are sent by half keep nobody from being answered, in no contract, and are closed in time.",
        2 * 2_000,
        ("half-open lines", "lines with half a body"),
        (
            "tests/web/test_half_open.py",
            "tests/web/test_serve_process.py::test_hundreds_of_half_sent_requests_keep_nobody_from_being_served",
        ),
        "GLOSSATOR_TEST_LINES",
        batch=2 * 2_000,
        share=2,
    ),
    Part(
        "hostile-answers",
        "Answers that try to run, load or lead away, in Chromium: the widget shows them, and nothing happens.",
        1000,
        ("answers shown in the widget",),
        ("tests/browser/test_hostile_answers.py",),
        "GLOSSATOR_TEST_HOSTILE",
        batch=250,
    ),
    Part(
        "planted-orders",
        "Orders planted in pages, and a model that obeys all of them: nothing that no page says gets out.",
        1500,
        ("orders that the model obeyed",),
        ("tests/answer/test_injection.py",),
        "GLOSSATOR_TEST_ORDERS",
        batch=150,
    ),
)


@dataclass(frozen=True)
class Batch:
    """What one run of pytest came to."""

    number: int
    counts: Mapping[str, int]
    failed: Sequence[str]
    known: Sequence[str]
    """What is known not to hold yet, by the reason that its test gives."""
    seconds: float
    commit: str
    failed_before: Sequence[str] = ()
    """In earlier runs of the same cases."""


def main() -> None:
    options = _options()
    parts = [part.scaled(options.scale) for part in PARTS]
    chosen = [part for part in parts if not options.parts or part.name in options.parts]
    for part in chosen:
        run(part, parts, options.folder, options.batches)
    report(parts, options.folder)
    sys.exit(0 if all(_told(part, options.folder)["is_held"] for part in chosen) else 1)


def _options() -> argparse.Namespace:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    names = [part.name for part in PARTS]
    arguments.add_argument("parts", nargs="*", metavar="PART", help=f"all, or some of: {', '.join(names)}")
    arguments.add_argument("--scale", type=float, default=1.0, help="1 is the size of the promise")
    arguments.add_argument("--batches", type=int, help="of each part at most, so that all have their turn")
    arguments.add_argument("--folder", type=Path, help="where progress and report are kept")
    options = arguments.parse_args()
    if unknown := set(options.parts) - set(names):
        arguments.error(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    if options.folder is None:
        # Progress at one size says nothing of another.
        options.folder = ROOT / "build" / ("proof" if options.scale == 1 else f"proof-{options.scale:g}")
    return options


def run(part: Part, parts: Sequence[Part], folder: Path, most: int | None = None) -> None:
    for number in islice(_numbers(part, folder), most):
        before = _kept(part, folder, number)
        print(f"{part.name}: batch {number + 1}, {_reached(part, folder)} of {part.goal} so far", flush=True)
        batch = _ran(part, number, folder / part.name)
        if before:
            batch = replace(batch, failed_before=[*before.failed_before, *before.failed])
        _write(folder / part.name / f"{number}.json", json.dumps(asdict(batch), indent=2))
        report(parts, folder)


def _numbers(part: Part, folder: Path) -> Iterator[int]:
    """Batches that failed, and as many others as it takes: some count more than they were asked for, and some less."""
    for number in range(part.batches * MOST_BATCHES):
        kept = _kept(part, folder, number)
        is_needed = number < len(part.only) or _reached(part, folder) < part.goal
        if kept.failed if kept else is_needed:
            yield number


def _ran(part: Part, number: int, folder: Path) -> Batch:
    folder.mkdir(parents=True, exist_ok=True)
    junit, log = folder / f"{number}.xml", folder / f"{number}.log"
    junit.unlink(missing_ok=True)
    begun = time.monotonic()
    with log.open("wb") as output:
        done = subprocess.run(part.command(number, junit), cwd=ROOT, env=part.environment(number),
                              stdout=output, stderr=output, check=False)  # fmt: skip
    seconds = round(time.monotonic() - begun, 1)
    if not junit.exists():
        reason = f"pytest ended with {done.returncode}; see {log}"
        return Batch(number, {}, [reason], [], seconds, _commit())
    counts, failed, known = _read(junit)
    if done.returncode and not failed:
        failed = [f"pytest ended with {done.returncode}; see {log}"]
    return Batch(number, counts, failed, known, seconds, _commit())


def _read(junit: Path) -> tuple[dict[str, int], list[str], list[str]]:
    """Counts, failures and what is known to fail, of a JUnit report that pytest wrote."""
    tree = ElementTree.parse(junit)
    properties = [(entry.attrib["name"], entry.attrib["value"]) for entry in tree.iter("property")]
    counts = {
        name.removeprefix(COUNTED): int(value) for name, value in properties if name.startswith(COUNTED)
    }
    failed, known = list[str](), list[str]()
    for test in tree.iter("testcase"):
        name = f"{test.get('classname')}::{test.get('name')}"
        failed += [
            f"{name}: {outcome.get('message', '')[:300]}"
            for outcome in test
            if outcome.tag in ("failure", "error")
        ]
        known += [
            f"{name}: {outcome.get('message')}" for outcome in test if outcome.get("type") == "pytest.xfail"
        ]
    return counts, failed, known


def _kept(part: Part, folder: Path, number: int) -> Batch | None:
    path = folder / part.name / f"{number}.json"
    return Batch(**json.loads(path.read_text("utf-8"))) if path.exists() else None


def _all_kept(part: Part, folder: Path) -> list[Batch]:
    found = (_kept(part, folder, number) for number in range(part.batches * MOST_BATCHES))
    return [batch for batch in found if batch]


def _reached(part: Part, folder: Path) -> int:
    batches = _all_kept(part, folder)
    return sum(batch.counts.get(name, 0) for batch in batches if not batch.failed for name in part.counts)


def report(parts: Sequence[Part], folder: Path) -> bool:
    """Whether every promise was held at its size."""
    told = [_told(part, folder) for part in parts]
    _write(folder / "report.json", json.dumps(told, indent=2, ensure_ascii=False))
    _write(folder / "report.md", _page(told))
    return all(part["is_held"] for part in told)


def _told(part: Part, folder: Path) -> dict[str, Any]:
    batches, reached = _all_kept(part, folder), _reached(part, folder)
    counts = sum((Counter(batch.counts) for batch in batches if not batch.failed), Counter[str]())
    failed = [name for batch in batches for name in batch.failed]
    return {
        "part": part.name,
        "promise": part.promise,
        "goal": part.goal,
        "reached": reached,
        "is_held": reached >= part.goal and not failed,
        "counts": dict(sorted(counts.items())),
        "failed": failed,
        "failed_before": sorted({name for batch in batches for name in batch.failed_before}),
        "known": sorted({name for batch in batches for name in batch.known}),
        "seconds": round(sum(batch.seconds for batch in batches)),
        "commits": sorted({batch.commit for batch in batches}),
    }


def _page(told: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        f"| {part['part']} | {part['promise']} | {part['goal']} | {part['reached']} | {_verdict(part)} | {part['seconds']} |"
        for part in told
    ]
    head = ["# Proof", "", "| part | promise | asked for | done | | seconds |", "|---|---|---|---|---|---|"]
    return "\n".join([*head, *rows, "", *(line for part in told for line in _details(part))])


def _verdict(part: Mapping[str, Any]) -> str:
    if part["failed"]:
        return f"**{len(part['failed'])} failed**"
    if not part["is_held"]:
        return "not done"
    return f"held, but for {len(part['known'])} that are known" if part["known"] else "held"


def _details(part: Mapping[str, Any]) -> Iterator[str]:
    if not part["seconds"]:
        return
    yield f"## {part['part']}\n"
    yield f"At {', '.join(part['commits'])}.\n"
    yield from (f"- {name}: {many}" for name, many in part["counts"].items())
    yield from (f"- **failed:** {_line(text)}" for text in part["failed"])
    yield from (
        f"- failed before, and held when it was run again: {_line(text)}" for text in part["failed_before"]
    )
    yield from (f"- known not to hold: {_line(text)}" for text in part["known"])
    yield ""


def _line(text: str) -> str:
    return " ".join(text.split())


def _commit() -> str:
    said = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True,
                          check=False)  # fmt: skip
    return said.stdout.strip() or "an unknown commit"


def _write(path: Path, text: str) -> None:
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(".half")
    half.write_text(text, "utf-8")
    half.replace(path)


if __name__ == "__main__":
    main()
