"""From `glossator serve` to its first answer, and the memory of its processes: `make start`.

The sample book is in an index, and the models are built. On a machine that is busy, the seconds of processor time
say more than those of the clock.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[1]
BOOK = ROOT / "examples" / "physical-ai-book"
GLOSSATOR = Path(sys.executable).with_name("glossator")
QUESTIONS = (
    "What is domain randomization good for?",
    "When should I use a service instead of a topic?",
    "Which company makes the best robot arm?",
    "What is URDF?",
    "How do I write a publisher in Python?",
)
STARTS, ROUNDS = 5, 4


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="glossator-start-") as home:
        environment = {**os.environ, "GLOSSATOR_HOME": home}
        subprocess.run([GLOSSATOR, "ingest", BOOK], env=environment, check=True, capture_output=True)
        starts = [measure(environment) for _ in range(STARTS)]
    for name, unit in (
        ("clock", "s"),
        ("processor", "s"),
        ("worker", "MB"),
        ("own", "MB"),
        ("first process", "MB"),
    ):
        values = sorted(start[name] for start in starts)
        print(f"{name:<14} {statistics.median(values):6.1f} {unit}   ({values[0]:.1f} to {values[-1]:.1f})")


def measure(environment: dict[str, str]) -> dict[str, float]:
    begin = time.monotonic()
    command = [GLOSSATOR, "serve", "--port", "0"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            line = next(line for line in process.stderr if line.startswith("Glossator serves"))
            url = line.rpartition(" at ")[2].strip()
            ask(url, QUESTIONS[0])
            clock = time.monotonic() - begin
            server = psutil.Process(process.pid)
            spent = sum(sum(member.cpu_times()[:2]) for member in (server, *server.children(recursive=True)))
            for question in QUESTIONS * ROUNDS:
                ask(url, question)
            worker = max(server.children(recursive=True), key=lambda child: child.memory_info().rss)
            return {
                "clock": clock,
                "processor": spent,
                "worker": worker.memory_info().rss / 1e6,
                "own": worker.memory_full_info().uss / 1e6,
                "first process": server.memory_info().rss / 1e6,
            }
        finally:
            process.terminate()


def ask(url: str, question: str) -> None:
    body = json.dumps({"question": question}).encode()
    request = urllib.request.Request(f"{url}/v1/ask", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=120) as reply:
        assert json.load(reply)["outcome"], question


if __name__ == "__main__":
    main()
