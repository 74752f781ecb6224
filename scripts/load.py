"""Many readers at once on the embedded default: `make load`. Prints JSON; the figures of docs/benchmarks.md.

A real server in processes of its own; readers over raw sockets, so that they cost little beside it. Every answer
is compared with those that the engine alone gives to the same question: nobody may hear somebody else's.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from load_client import Answer, Refused, ask

ROOT = Path(__file__).parents[1]
GLOSSATOR = Path(sys.executable).with_name("glossator")
QUESTIONS = (
    "What is domain randomization good for?",
    "How do nodes communicate in ROS 2?",
    "What does a URDF file describe?",
    "What is the difference between a topic and a service?",
    "How does Gazebo simulate physics?",
    "What is a digital twin?",
    "How does Isaac Sim create synthetic data?",
    "What is visual SLAM used for?",
    "Which battery chemistry lasts longest?",
    "How does Nav2 plan a path?",
    "What is a vision-language-action model?",
    "Why is balance hard for humanoid robots?",
    "Who won the football world cup in 1998?",
    "What sensors does a depth camera replace?",
    "How do I write a publisher in Python?",
)

Right = dict[str, list[str]]
"""The answers that a question may get: a busy server reads fewer windows."""


@dataclass
class Run:
    """What the readers of one run met with."""

    first: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)
    refused: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    failed: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    cpu: float = 0.0
    """Seconds, of the server."""
    own_cpu: float = 0.0
    """Of the readers."""


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="glossator-load-") as scratch:
        environment = _environment(Path(scratch), options)
        if options.home:
            shutil.copytree(options.home, environment["GLOSSATOR_HOME"])
        else:
            _ingest_sample(environment)
        right = _right_answers(environment)
        figures: dict[str, object] = {"cores": os.cpu_count(), "workers": options.workers}
        for name, pauses in (("with pauses", options.pauses), ("without pauses", (0.0, 0.0))):
            figures[name] = _measured(environment, options, pauses, right)
        if options.beyond:
            figures["beyond"] = _beyond(environment, options, right)
    print(json.dumps(figures, indent=2))
    sys.exit(_is_wrong(figures))


def _options() -> argparse.Namespace:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--readers", type=int, default=200)
    arguments.add_argument("--messages", type=int, default=10)
    arguments.add_argument("--workers", type=int, default=2)
    arguments.add_argument(
        "--beyond", type=int, default=600, help="readers of the run that is too much; 0 for none"
    )
    arguments.add_argument(
        "--engine-rounds", type=int, default=10, help="how often to measure the engine alone; 0 for never"
    )
    arguments.add_argument("--home", type=Path, help="of the ingested sample book, instead of ingesting it")
    arguments.add_argument("--cache", action="store_true", help="let the server cache what it finds")
    arguments.add_argument("--pauses", type=float, nargs=2, default=(3.0, 7.0), metavar="SECONDS")
    return arguments.parse_args()


def _environment(scratch: Path, options: argparse.Namespace) -> dict[str, str]:
    ours = {"GLOSSATOR_HOME": str(scratch / "home"), "GLOSSATOR_REQUESTS_PER_MINUTE": "1000000",
            "GLOSSATOR_WORKERS": str(options.workers), "GLOSSATOR_PORT": "0"}  # fmt: skip
    if not options.cache:
        # Readers have few questions here: after a moment all answers would come from the cache.
        ours["GLOSSATOR_RESULT_CACHE_ENTRIES"] = "0"
    return {**os.environ, **ours, "OPENBLAS_NUM_THREADS": "1"}


def _ingest_sample(environment: dict[str, str]) -> None:
    command = [GLOSSATOR, "ingest", ROOT / "examples" / "physical-ai-book"]
    silent = subprocess.DEVNULL
    subprocess.run(command, env=environment, check=True, stdout=silent, stderr=silent)


def _right_answers(environment: dict[str, str]) -> Right:
    command = [sys.executable, ROOT / "scripts" / "load_answers.py", *QUESTIONS]
    return json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)


def _engine_cpu(environment: dict[str, str], options: argparse.Namespace) -> float:
    """Seconds of CPU that the engine alone takes for an answer, with as many processes at work as in the server."""
    if not options.engine_rounds:
        return math.nan
    command = [sys.executable, ROOT / "scripts" / "load_engine.py", str(options.engine_rounds), *QUESTIONS]
    running = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) for _ in range(options.workers)
    ]
    return statistics.mean(float(process.communicate()[0]) for process in running)


def _measured(
    environment: dict[str, str], options: argparse.Namespace, pauses: tuple[float, float], right: Right
) -> dict[str, object]:
    engine = _engine_cpu(environment, options)
    with Server(environment) as server:
        asyncio.run(_single_reader(server))
        before = server.memory()
        cpu, own = server.cpu(), time.process_time()
        run = asyncio.run(_all(server, right, options.readers, options.messages, pauses))
        run.cpu, run.own_cpu = server.cpu() - cpu, time.process_time() - own
        memory = {"memory_mb_before": before, "memory_mb_after": server.memory()}
    engine = (engine + _engine_cpu(environment, options)) / 2
    return _told(run, engine) | memory


def _beyond(environment: dict[str, str], options: argparse.Namespace, right: Right) -> dict[str, object]:
    """More than it can carry: the rest hear so early, and those inside are served as before."""
    with Server(environment | {"GLOSSATOR_CONCURRENCY": "8", "GLOSSATOR_QUEUE": "8"}) as server:
        asyncio.run(_single_reader(server))
        run = asyncio.run(_all(server, right, options.beyond, 5, (0.0, 0.0)))
    return {
        "answers": len(run.whole),
        "refused": len(run.refused),
        "refusal_ms_p50_p99": _milliseconds(run.refused),
        "whole_ms_p50_p99": _milliseconds(run.whole),
        "failed": dict(run.failed),
        "wrong": run.wrong[:3],
    }


async def _single_reader(server: Server) -> None:
    for question in QUESTIONS:
        await ask(server.port, question)


async def _all(server: Server, right: Right, readers: int, messages: int, pauses: tuple[float, float]) -> Run:
    run = Run()
    begun = time.perf_counter()
    await asyncio.gather(*(_reader(server, right, seed, messages, pauses, run) for seed in range(readers)))
    run.seconds = time.perf_counter() - begun
    return run


async def _reader(
    server: Server, right: Right, seed: int, messages: int, pauses: tuple[float, float], run: Run
) -> None:
    chance = random.Random(seed)
    session: str | None = None
    await asyncio.sleep(chance.uniform(0, pauses[1]))
    for _ in range(messages):
        question = chance.choice(QUESTIONS)
        try:
            answer = await ask(server.port, question, session)
        except Refused as refused:
            run.refused.append(refused.seconds)
            await asyncio.sleep(chance.uniform(0.5, 1.5) * refused.retry_after)
        except (OSError, EOFError, ValueError) as error:
            run.failed[f"{type(error).__name__}: {error}"[:80]] += 1
        else:
            session = answer.session
            _note(run, question, answer, right)
        await asyncio.sleep(chance.uniform(*pauses))


def _note(run: Run, question: str, answer: Answer, right: Right) -> None:
    run.first.append(answer.first)
    run.whole.append(answer.whole)
    if answer.text not in right[question]:
        run.wrong.append(f"{question} -> {answer.text[:80]}")


def _told(run: Run, engine: float) -> dict[str, object]:
    answers = max(len(run.whole), 1)
    return {
        "answers": len(run.whole),
        "seconds": round(run.seconds, 1),
        "answers_per_second": round(len(run.whole) / run.seconds, 1),
        "first_text_ms_p50_p99": _milliseconds(run.first),
        "whole_ms_p50_p99": _milliseconds(run.whole),
        "cpu_ms_per_answer": round(run.cpu / answers * 1000, 1),
        **_compared_with_engine(run.cpu / answers, engine),
        "readers_cpu_ms_per_answer": round(run.own_cpu / answers * 1000, 1),
        "refused": len(run.refused),
        "failed": dict(run.failed),
        "wrong": run.wrong[:3],
    }


def _compared_with_engine(seconds: float, engine: float) -> dict[str, object]:
    if math.isnan(engine):
        return {}
    return {
        "engine_cpu_ms_per_answer": round(engine * 1000, 1),
        "cpu_over_engine": round(seconds / engine, 2),
    }


def _milliseconds(seconds: Sequence[float]) -> tuple[float, float] | None:
    if len(seconds) < 2:
        return None
    cuts = statistics.quantiles(seconds, n=100, method="inclusive")
    return round(cuts[49] * 1000, 1), round(cuts[98] * 1000, 1)


def _is_wrong(figures: dict[str, object]) -> int:
    runs = [figures["with pauses"], figures["without pauses"]]
    return int(any(run["failed"] or run["wrong"] or run["refused"] for run in runs))  # type: ignore[index]


class Server:
    """`glossator serve` on a port of its own."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._environment = environment

    def __enter__(self) -> Server:
        self._process = subprocess.Popen([GLOSSATOR, "serve"], env=self._environment, stderr=subprocess.PIPE,
                                         stdout=subprocess.DEVNULL, text=True, start_new_session=True)  # fmt: skip
        self.port = self._announced()
        self._reading = subprocess.Popen(["cat"], stdin=self._process.stderr, stdout=subprocess.DEVNULL)
        _wait_until_ready(self.port)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(timeout=20)
        self._reading.kill()
        self._reading.wait()

    def cpu(self) -> float:
        """Seconds, of all its processes."""
        return sum(_ticks(pid) for pid in self._pids()) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> int:
        """Megabytes, of all its processes; what they share is counted once."""
        return round(sum(_proportional_kilobytes(pid) for pid in self._pids()) / 1024)

    def _announced(self) -> int:
        assert self._process.stderr
        for line in self._process.stderr:
            if found := re.search(r"http://127\.0\.0\.1:(\d+)", line):
                return int(found[1])
        raise SystemExit("load: the server did not start")

    def _pids(self) -> list[int]:
        found = [self._process.pid]
        for pid in found:
            children = Path(f"/proc/{pid}/task/{pid}/children")
            found += [int(child) for child in children.read_text().split()] if children.exists() else []
        return found


def _wait_until_ready(port: int) -> None:
    ends = time.monotonic() + 60
    while time.monotonic() < ends:
        try:
            asyncio.run(ask(port, QUESTIONS[0]))
            return
        except (OSError, EOFError, ValueError, Refused):
            time.sleep(0.1)
    raise SystemExit("load: the server did not become ready")


def _ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def _proportional_kilobytes(pid: int) -> int:
    found = re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
    return int(found[1]) if found else 0


if __name__ == "__main__":
    main()
