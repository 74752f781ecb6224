"""The steps that `make growth` measures, each in a process of its own: prints what it found as JSON.

python scripts/growth_steps.py STEP OPTIONS, where OPTIONS is JSON with the fields of `Stage`.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from growth_book import AskedPage, Corpus, questions

from glossator.adapters.embedders.bundled import open_tokenizer
from glossator.adapters.embedders.onnx_session import ModelCache
from glossator.adapters.embedders.weights import DIMENSION, WINDOW, open_weights
from glossator.answer.book import ServedBook
from glossator.answer.pipeline import AnswerPipeline
from glossator.answer.retrieve import DEPTH
from glossator.exam.fit import measure_fit
from glossator.ingest.pipeline import ingest
from glossator.ingest.sites import site_of
from glossator.lint import check
from glossator.model import EmbedderIdentity, Embedding, IndexQuery, PassagesFound, Question
from glossator.ports import Embedder
from glossator.settings import Settings, WriterKind
from glossator.testing import SilentProgress
from glossator.wiring import build_assistant, embedder_of, index_of, ingest_tools_of, reader_of, writer_of

AFTERTHOUGHT = "\n\n## An afterthought\n\nNobody had written this sentence about harbours before.\n"
HITS = 5


@dataclass(frozen=True)
class Stage:
    """A book, and the index that it stands in."""

    begun: float
    """When the process was started, in seconds since 1970."""
    chunks_file: str
    size: int
    book: str
    home: str
    qdrant: str | None
    vectors: str
    questions: int
    answers: int

    @cached_property
    def settings(self) -> Settings:
        return Settings(home=Path(self.home), qdrant_url=self.qdrant, search_seconds=300)

    @cached_property
    def embedder(self) -> Embedder:
        return StandIn(self.settings.cache) if self.vectors == "stand-in" else embedder_of(self.settings)

    @cached_property
    def asked(self) -> list[AskedPage]:
        return list(questions(Corpus.read(Path(self.chunks_file)), self.size, self.questions))

    @contextmanager
    def assistant(self) -> Iterator[AnswerPipeline]:
        with closing(index_of(self.settings, expects=self.embedder.identity)) as index:
            reader, writer = reader_of(self.settings), writer_of(self.settings, WriterKind.EXTRACTIVE)
            yield build_assistant(self.settings, self.embedder, reader, index, writer, rewriter=None)


class StandIn:
    """The mean of the model's word vectors, rarer words more: 50 times as fast as the model, and coarser.

    It makes no token states, which would take 44 kB a passage in index and cache.
    """

    def __init__(self, cache: Path) -> None:
        weights = open_weights(ModelCache(cache / "models"), None, lambda _: None)
        self.identity = EmbedderIdentity("stand-in", DIMENSION, WINDOW, "growth-stand-in-1")
        self._tokenizer = open_tokenizer(weights.tokenizer)
        rank = np.maximum(np.arange(len(weights.words)) - 999, 1)
        # The vocabulary is sorted by frequency, after a thousand pieces that are no words.
        self._table = (weights.words - weights.words.mean(axis=0)) * (rank / (rank + 1000))[:, None]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(pieces) for pieces in self._pieces(texts)]

    def embed_passages(self, texts: Sequence[str], *, states: bool = False) -> list[Embedding]:
        return [self._embedding(pieces) for pieces in self._pieces(texts)]

    def embed_query(self, text: str, *, states: bool = False) -> Embedding:
        return self.embed_passages([text])[0]

    def _pieces(self, texts: Sequence[str]) -> list[list[int]]:
        return [
            encoding.ids
            for encoding in self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        ]

    def _embedding(self, pieces: list[int]) -> Embedding:
        vector = self._table[pieces[:WINDOW] or [0]].sum(axis=0)
        return Embedding((vector / np.linalg.norm(vector)).astype(np.float32))


def first_ingest(stage: Stage) -> dict[str, object]:
    return run_ingest(stage)


def again(stage: Stage) -> dict[str, object]:
    return run_ingest(stage)


def edit_named(stage: Stage) -> dict[str, object]:
    """One page has changed, and the author names it."""
    with edited_page(stage, place=0.3) as page:
        return run_ingest(stage, only=[page])


def edit_whole(stage: Stage) -> dict[str, object]:
    """One page has changed, and the whole folder is ingested again."""
    with edited_page(stage, place=0.6):
        return run_ingest(stage)


def run_ingest(stage: Stage, only: Sequence[str] = ()) -> dict[str, object]:
    tools = replace(
        ingest_tools_of(stage.settings, SilentProgress(), print), embedder=stage.embedder, language="english"
    )
    book = Path(stage.book)
    report = ingest(book, site_of(book), tools, only)
    return {
        "seconds": report.seconds,
        "stages": dict(report.stages),
        "pages": report.pages,
        "chunks": report.chunks,
        "passages": report.passages,
        "embedded": report.embedded,
    }


@contextmanager
def edited_page(stage: Stage, place: float) -> Iterator[str]:
    """Its name; the file is as before afterwards, for the next run."""
    asked = stage.asked[int(place * len(stage.asked))]
    file = Path(stage.book) / asked.page
    text = file.read_text(encoding="utf-8")
    file.write_text(text + AFTERTHOUGHT, encoding="utf-8")
    try:
        yield asked.page
    finally:
        file.write_text(text, encoding="utf-8")


def start(stage: Stage) -> dict[str, object]:
    """As a server starts: until the index is open, and until the first question is searched."""
    with stage.assistant() as assistant:
        assistant.index.manifest()
        opened = time.time()
        assistant.index.search(query(stage, "How do pods start?"))
        return {"open_seconds": opened - stage.begun, "first_search_seconds": time.time() - stage.begun}


def search(stage: Stage) -> dict[str, object]:
    """Through the port, as an answer searches, without the embedding of the question."""
    with stage.assistant() as assistant:
        queries = [query(stage, asked.question) for asked in stage.asked]
        for warming in queries[: len(queries) // 4]:
            assistant.index.search(warming)
        pages, seconds, busy = list[list[str]](), list[float](), time.process_time()
        for question in queries:
            begun = time.perf_counter()
            found = assistant.index.search(question)
            seconds.append(time.perf_counter() - begun)
            chunks = {passage.passage.chunk.chunk_id: passage.passage.chunk.page for passage in found}
            pages.append([*chunks.values()][:HITS])
        busy = time.process_time() - busy
    return {**figures(seconds, busy), "hit@5": hit_rate(stage.asked, pages)}


def query(stage: Stage, text: str) -> IndexQuery:
    vector = stage.embedder.embed_query(text).vector
    return IndexQuery(text=text, vector=vector, limit=DEPTH, candidates=DEPTH, states=True)


def answer(stage: Stage) -> dict[str, object]:
    """Whole answers in sentences of the book, one after the other; hits as readers get them."""
    every = max(len(stage.asked) // stage.answers, 1)
    asked = stage.asked[::every]
    with stage.assistant() as assistant:
        asyncio.run(assistant.load())
        for question in asked[:5]:
            asyncio.run(pages_of_hits(assistant, question.question))
        pages, seconds, busy = list[list[str]](), list[float](), time.process_time()
        for question in asked:
            begun = time.perf_counter()
            pages.append(asyncio.run(pages_of_hits(assistant, question.question)))
            seconds.append(time.perf_counter() - begun)
        busy = time.process_time() - busy
    return {**figures(seconds, busy), "hit@5": hit_rate(asked, pages)}


async def pages_of_hits(assistant: AnswerPipeline, text: str) -> list[str]:
    """The answer is written to its end."""
    found = list[str]()
    async for event in assistant.stream(Question(text)):
        if isinstance(event, PassagesFound):
            found = [hit.chunk.page for hit in event.hits[:HITS]]
    return found


def figures(seconds: Sequence[float], busy: float) -> dict[str, object]:
    """Percentiles, and the mean time of this process's processor, which other programs hardly disturb."""
    times = {f"p{share}_ms": float(np.quantile(seconds, share / 100)) for share in (50, 95, 99)}
    times["cpu_ms"] = busy / len(seconds)
    return {name: round(1000 * taken, 2) for name, taken in times.items()}


def hit_rate(asked: Sequence[AskedPage], pages: Sequence[Sequence[str]]) -> float:
    return round(
        float(np.mean([question.page in found for question, found in zip(asked, pages, strict=True)])), 3
    )


def chapters(stage: Stage) -> dict[str, object]:
    """Chapters and sections, which the desk, the gaps and the widget show."""
    with stage.assistant() as assistant:
        book = ServedBook(assistant)
        return timed(lambda: asyncio.run(chapters_and_places(book)))


async def chapters_and_places(book: ServedBook) -> None:
    await book.chapters()
    await book.places()


def fit(stage: Stage) -> dict[str, object]:
    """The calibration that the desk shows."""
    with stage.assistant() as assistant:
        asyncio.run(assistant.load())
        return timed(
            lambda: measure_fit(assistant.embedder, assistant.reader, assistant.index, SilentProgress())
        )


def lint(stage: Stage) -> dict[str, object]:
    """`glossator check` without questions to the index."""
    book = Path(stage.book)
    return timed(lambda: check(book, site_of(book)))


def timed(work: Callable[[], object]) -> dict[str, object]:
    begun = time.perf_counter()
    work()
    return {"seconds": round(time.perf_counter() - begun, 3)}


STEPS: dict[str, Callable[[Stage], dict[str, object]]] = {
    step.__name__: step
    for step in (first_ingest, start, search, answer, again, edit_named, edit_whole, chapters, fit, lint)
}


def main() -> None:
    logging.disable(logging.WARNING)
    name, options = sys.argv[1:]
    found = STEPS[name](Stage(**json.loads(options)))
    print(json.dumps(found | {"cpu_seconds": round(time.process_time(), 2)}))


if __name__ == "__main__":
    main()
