"""Seconds of CPU that the engine alone takes for an answer: rounds, then the questions; for load.py."""

from __future__ import annotations

import asyncio
import sys
import time

from glossator.adapters.writers.service import warm_up
from glossator.answer.pipeline import AnswerPipeline
from glossator.model import Question
from glossator.settings import load_settings
from glossator.wiring import assistant_of


def main() -> None:
    warm_up().join()
    with assistant_of(load_settings()) as assistant:
        print(asyncio.run(_cpu(assistant, int(sys.argv[1]), sys.argv[2:])))


async def _cpu(assistant: AnswerPipeline, rounds: int, questions: list[str]) -> float:
    for question in questions:
        await assistant.answer(Question(question))
    begun = time.process_time()
    for question in questions * rounds:
        await assistant.answer(Question(question))
    return (time.process_time() - begun) / len(questions) / rounds


if __name__ == "__main__":
    main()
