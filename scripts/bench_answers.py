"""What an answer without a language model costs, beside its floor: embedding, search and reading. Prints JSON.

python scripts/bench_answers.py [--book FOLDER]; a part of `make bench`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from glossator.answer.pipeline import AnswerPipeline
from glossator.answer.retrieve import DEPTH, ReaderQuery, candidates, retrieve
from glossator.ingest.pipeline import ingest
from glossator.ingest.sites import site_of
from glossator.model import IndexQuery, Question
from glossator.question_generation import BookSections, heading_questions
from glossator.settings import Settings
from glossator.testing import SilentProgress
from glossator.wiring import assistant_of, ingest_tools_of

SAMPLE = Path(__file__).parents[1] / "examples" / "physical-ai-book"
QUESTIONS = 60
WINDOWS = (1, 2, 4, 6, 8, 10, 12, 16)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--book", type=Path, default=SAMPLE)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as home:
        settings = Settings(home=Path(home))
        ingest(options.book, site_of(options.book), ingest_tools_of(settings, SilentProgress(), print))
        with assistant_of(settings) as assistant:
            print(json.dumps({"answers": figures(assistant)}, indent=2), flush=True)


def figures(assistant: AnswerPipeline) -> dict[str, object]:
    index = assistant.index
    made = heading_questions(BookSections(index), assistant.language)
    questions = [question.text for question in made][:: max(len(made) // QUESTIONS, 1)][:QUESTIONS]
    asyncio.run(assistant.load())

    async def answer(text: str) -> None:
        await assistant.answer(Question(text))

    whole = taken(lambda text: asyncio.run(answer(text)), questions)
    floor = taken(
        lambda text: retrieve(text, assistant.embedder, assistant.reader, index, top_k=5), questions
    )
    return {
        "questions": len(questions),
        "whole answer, ms p50": whole[0],
        "whole answer, ms of CPU": whole[1],
        "embedding, search and reading, ms p50": floor[0],
        "whole answer, of that": round(whole[0] / floor[0], 2),
        "reading, ms p50 by windows": {
            count: taken(lambda text, most=count: read(assistant, text, most), questions)[0]
            for count in WINDOWS
        },
    }


def read(assistant: AnswerPipeline, text: str, most: int) -> None:
    embedding = assistant.embedder.embed_query(text, states=True)
    wanted = IndexQuery(text=text, vector=embedding.vector, limit=DEPTH, candidates=DEPTH, states=True)
    query = ReaderQuery((text,), embedding, assistant.index.manifest().lexicon)
    chosen = candidates(query, assistant.index.search(wanted), most)
    assistant.reader.read(text, [candidate.window for candidate in chosen])


def taken(work: Callable[[str], object], questions: Sequence[str]) -> tuple[float, float]:
    """Milliseconds: the median, and the mean of the processor's."""
    work(questions[0])
    walls, busy = list[float](), time.process_time()
    for text in questions:
        begun = time.perf_counter()
        work(text)
        walls.append(1000 * (time.perf_counter() - begun))
    busy = 1000 * (time.process_time() - busy) / len(questions)
    return round(statistics.median(walls), 1), round(busy, 1)


if __name__ == "__main__":
    main()
