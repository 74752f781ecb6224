"""Seconds of CPU that the engine takes for the worst requests it accepts, beside the median of usual questions.

`python scripts/worst.py` prints JSON; no request may cost more than ten times the median (docs/resilience.md).
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace

from load import GLOSSATOR, QUESTIONS, ROOT

from glossator.adapters.writers.service import warm_up
from glossator.answer.pipeline import AnswerPipeline
from glossator.errors import GlossatorError
from glossator.model import Exchange, Filters, Question, Selection
from glossator.settings import load_settings
from glossator.web.contracts.openai import CompletionRequest
from glossator.wiring import assistant_of
from glossator.wiring.engine import MAX_QUESTION_CHARACTERS

ROUNDS = 2
SMALL = "What is a topic?"
FOLLOW_UP = "Can you give an example of it?"
WORDS = ("robot", "node", "topic", "sensor", "the", "of", "simulate", "ROS", "action", "policy")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="glossator-worst-") as scratch:
        os.environ |= {
            "GLOSSATOR_HOME": scratch,
            # However slow the machine is: what is measured is not how long it takes.
            "GLOSSATOR_SEARCH_SECONDS": "300",
            # Each request is made twice.
            "GLOSSATOR_RESULT_CACHE_ENTRIES": "0",
        }
        subprocess.run([GLOSSATOR, "ingest", ROOT / "examples" / "physical-ai-book"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        warm_up().join()
        with assistant_of(load_settings()) as assistant:
            as_served = replace(assistant, longest=MAX_QUESTION_CHARACTERS)
            print(json.dumps(asyncio.run(_measured(as_served)), indent=2))


async def _measured(assistant: AnswerPipeline) -> dict[str, object]:
    for question in QUESTIONS:
        await assistant.answer(Question(question))
    usual = [await _cpu(assistant, Question(question)) for question in QUESTIONS]
    median = statistics.median(usual)
    costs = {name: await _cpu(assistant, question) / median for name, question in _worst()}
    worst_first = sorted(costs.items(), key=lambda pair: -pair[1])
    return {
        "median_ms": round(median * 1000, 1),
        "worst usual question": round(max(usual) / median, 1),
        "times the median": {name: round(times, 1) for name, times in worst_first},
    }


async def _cpu(assistant: AnswerPipeline, question: Question) -> float:
    spent = list[float]()
    for _ in range(ROUNDS):
        begun = time.process_time()
        try:
            await assistant.answer(question)
        except GlossatorError as error:
            print(type(error).__name__, file=sys.stderr)
        spent.append(time.process_time() - begun)
    return min(spent)


def _worst() -> Iterator[tuple[str, Question]]:
    yield from ((f"selection of {name}, only", _selected(text, True)) for name, text in _texts(10_000))
    yield from ((f"selection of {name}", _selected(text, False)) for name, text in _texts(10_000))
    yield from ((f"question of {name}", Question(text)) for name, text in _texts(2_000))
    long = ((name, text) for name, text in _texts(MAX_QUESTION_CHARACTERS))
    yield from ((f"long question of {name}", Question(text)) for name, text in long)
    filters = Filters(chapter=tuple(str(number) for number in range(50)), section=("x" * 1000,) * 50)
    yield "filters", Question(SMALL, filters=filters)
    yield "20 hits", Question("How do nodes communicate in ROS 2?", top_k=20)
    for name, text in _texts(4_000):
        history = (Exchange(SMALL, text),) * 4
        yield f"follow-up to {name}", Question(FOLLOW_UP, history=history)
    for name, text in _texts(3 * 31_000):
        yield f"conversation of {name}", _conversation(text)


def _conversation(text: str) -> Question:
    """As long as the OpenAI contract takes one."""
    said = (text[:31_000], text[31_000:62_000], SMALL, text[62_000:], FOLLOW_UP)
    messages = [{"role": ("user", "assistant")[at % 2], "content": part} for at, part in enumerate(said)]
    return CompletionRequest.model_validate({"model": "m", "messages": messages}).to_question()


def _selected(text: str, only: bool) -> Question:
    return Question("What is a robot node?", selection=Selection(text, only))


def _texts(length: int) -> Iterator[tuple[str, str]]:
    book = "\n\n".join(path.read_text() for path in sorted((ROOT / "examples").rglob("*.md")))
    some = random.Random(7)
    distinct = " ".join("".join(some.choices("abcdefghijklmnop", k=3)) for _ in range(length))
    known = " ".join(some.choices(WORDS, k=length))
    kinds = {
        "tiny sentences": "A b. ",
        "tiny questions": "What is a robot? ",
        "greetings": "hello, ",
        "one letter lines": "a\n\n",
        "letters": "a",
        "stars": "*",
        "dots": ". ",
        "signs": "?!",
        "kanji": "機械",
        "emoji": "🤖",
    }
    yield from ((name, (kind * length)[:length].strip()) for name, kind in kinds.items())
    yield "the book", book[:length].strip()
    yield "distinct words", distinct[:length].strip()
    yield "known words", known[:length].strip()
    yield "known sentences", known.replace(" the ", ". ")[:length].strip()


if __name__ == "__main__":
    main()
