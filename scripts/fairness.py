"""How long one reader waits beside another who asks as much as he can: `python scripts/fairness.py`. Prints JSON.

A real server; two secret keys. One reader asks one question after the other, first alone and then while the other one
keeps so many questions under way that he is always at his limit. See docs/resilience.md.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import httpx2
from load import GLOSSATOR, QUESTIONS, ROOT

GREEDY = "How does Gazebo simulate physics, and what is a digital twin good for?"


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="glossator-fairness-") as scratch:
        home = {
            "GLOSSATOR_HOME": scratch,
            "GLOSSATOR_REQUESTS_PER_MINUTE": "1000000",
            "GLOSSATOR_SEARCH_SECONDS": "60",
            "GLOSSATOR_ANSWER_SECONDS": "120",
        }
        environment = {**os.environ, **home}
        _run(environment, "ingest", str(ROOT / "examples" / "physical-ai-book"))
        modest, greedy = (_run(environment, "keys", "create").split()[-1] for _ in "12")
        log = Path(scratch) / "log"
        with log.open("wb") as output:
            server = subprocess.Popen(
                [GLOSSATOR, "serve", "--port", "0"], env=environment, stdout=output, stderr=output
            )
        try:
            print(json.dumps(asyncio.run(_measured(_address(log), modest, greedy, options)), indent=2))
        finally:
            server.terminate()
            server.wait()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=60, help="Of the modest reader, each time.")
    parser.add_argument(
        "--at-once", type=int, default=64, help="Questions that the greedy one has under way."
    )
    return parser.parse_args()


def _run(environment: dict[str, str], *words: str) -> str:
    done = subprocess.run([GLOSSATOR, *words], env=environment, check=True, capture_output=True, text=True)
    return done.stdout


def _address(log: Path) -> str:
    while not (found := re.search(r" at (http://\S+)", log.read_text("utf-8", "replace"))):
        time.sleep(0.1)
    return found[1]


async def _measured(url: str, modest: str, greedy: str, options: argparse.Namespace) -> dict[str, object]:
    async with httpx2.AsyncClient(base_url=url, timeout=300, trust_env=False) as client:
        await _asked(client, modest, len(QUESTIONS))
        alone = await _asked(client, modest, options.questions)
        others = [asyncio.create_task(_greedy(client, greedy)) for _ in range(options.at_once)]
        beside = await _asked(client, modest, options.questions)
        for other in others:
            other.cancel()
        await asyncio.wait(others)
    ratios = {name: round(beside[name] / alone[name], 2) for name in alone}
    return {"alone_ms": alone, "beside_ms": beside, "times": ratios}


async def _asked(client: httpx2.AsyncClient, key: str, many: int) -> dict[str, float]:
    waited = list[float]()
    for number in range(many):
        begun = time.perf_counter()
        reply = await _ask(client, key, QUESTIONS[number % len(QUESTIONS)])
        reply.raise_for_status()
        waited.append((time.perf_counter() - begun) * 1000)
    waited.sort()
    last = waited[min(len(waited) - 1, round(0.99 * len(waited)))]
    return {"p50": round(statistics.median(waited), 1), "p99": round(last, 1)}


async def _greedy(client: httpx2.AsyncClient, key: str) -> None:
    while True:
        reply = await _ask(client, key, GREEDY)
        if reply.status_code != 200:
            await asyncio.sleep(0.5)


async def _ask(client: httpx2.AsyncClient, key: str, question: str) -> httpx2.Response:
    sent = {"question": question, "remember": False}
    return await client.post("/v1/ask", json=sent, headers={"Authorization": f"Bearer {key}"})


if __name__ == "__main__":
    main()
