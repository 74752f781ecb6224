"""The answers that the questions given may get: one for each number of windows a busy server reads. For load.py."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import replace

from glossator.answer.pipeline import AnswerPipeline
from glossator.answer.retrieve import SearchLoad, windows_to_read
from glossator.model import Question
from glossator.settings import load_settings
from glossator.wiring import assistant_of

# One number of questions at once for each number of windows.
CORES = 8
LOADS = {windows_to_read(questions / CORES): questions for questions in range(1, 8 * CORES)}


def main() -> None:
    with assistant_of(load_settings()) as assistant:
        print(json.dumps(asyncio.run(_answers(assistant, sys.argv[1:]))))


async def _answers(assistant: AnswerPipeline, questions: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {question: [] for question in questions}
    for questions_at_once in LOADS.values():
        load = SearchLoad(cores=CORES, searching=questions_at_once - 1)
        busy = replace(assistant, search_load=load)
        for question, texts in found.items():
            texts.append((await busy.answer(Question(question))).text)
    return {question: sorted(set(texts)) for question, texts in found.items()}


if __name__ == "__main__":
    main()
