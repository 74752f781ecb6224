"""Measure the index: how fast it is built and searched, how much it finds, what it weighs.

    python scripts/bench_index.py                            50 000 made-up passages
    python scripts/bench_index.py --texts chunks.jsonl.gz    real texts, each in many variations
    python scripts/bench_index.py --states 170               with the token states of so many tokens each
    python scripts/bench_index.py --qdrant http://…:6333     on a server instead

Prints JSON.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from glossator.adapters.index.embedded_index import EmbeddedIndex
from glossator.adapters.index.embedded_store import EmbeddedIndexStore
from glossator.model import (
    Chunk,
    EmbedderIdentity,
    IndexQuery,
    Lexicon,
    Manifest,
    PackedStates,
    PageRecord,
    Passage,
    PassageEmbedding,
    Section,
)
from glossator.ports import Index, IndexStore

Matrix = NDArray[np.float32]

PASSAGES_A_CHUNK = 4
SPREADS = (0.3, 0.6, 1.0, 1.5)
"""How far a vector lies from the middle of its cluster, which has length one."""
QUESTIONS = 500


@dataclass(frozen=True)
class Corpus:
    texts: Sequence[str]
    vectors: Matrix
    questions: Sequence[IndexQuery]


def main() -> None:
    options = parse()
    random = np.random.default_rng(options.seed)
    corpus = real_corpus(options, random) if options.texts else made_up_corpus(options, random)
    with ExitStack() as opened:
        index_store, index, size = places(options, opened)
        figures = build(index_store, corpus, states_of(options, random)) | search(index, corpus)
        figures["bytes_a_passage"] = size() // len(corpus.texts)
    print(
        json.dumps({"passages": len(corpus.texts), "dimension": corpus.vectors.shape[1]} | figures, indent=1)
    )


def states_of(options: argparse.Namespace, random: np.random.Generator) -> Matrix | None:
    """The same for every passage: only their size matters here."""
    return unit(random.normal(size=(options.states, 128))) if options.states else None


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--passages", type=int, default=50_000)
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--texts", type=Path, help="a .jsonl.gz with a `text` in each line")
    parser.add_argument("--qdrant", help="the url of a server to measure instead")
    parser.add_argument("--states", type=int, default=0, help="tokens a passage that are stored with it")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def made_up_corpus(options: argparse.Namespace, random: np.random.Generator) -> Corpus:
    """Clusters of several widths, and words as unevenly used as people use them."""
    middles = unit(random.normal(size=(500, options.dimension)))
    members = middles[random.integers(0, len(middles), options.passages)]
    vectors = scattered(members, random.choice(SPREADS, options.passages), random)
    words = np.array([f"word{number}" for number in range(20_000)])
    share = 1 / np.arange(1, len(words) + 1)
    drawn = random.choice(words, size=(options.passages, 150), p=share / share.sum())
    return with_questions([" ".join(row) for row in drawn], vectors, random)


def real_corpus(options: argparse.Namespace, random: np.random.Generator) -> Corpus:
    """As many variations of each real text and its real vector as are needed."""
    from glossator.adapters.embedders.bundled import BundledEmbedder

    with gzip.open(options.texts, "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines]
    cache = Path(os.environ.get("GLOSSATOR_CACHE", Path.home() / ".cache" / "glossator"))
    embeddings = BundledEmbedder.open(cache).embed_passages(texts)
    originals = np.array([embedding.vector for embedding in embeddings])
    chosen = np.arange(options.passages) % len(texts)
    vectors = scattered(originals[chosen], random.choice((0.1, 0.3, 0.5), options.passages), random)
    return with_questions([texts[number] for number in chosen], vectors, random)


def scattered(middles: Matrix, spreads: NDArray[np.float64], random: np.random.Generator) -> Matrix:
    noise = random.normal(size=middles.shape) / np.sqrt(middles.shape[1])
    return unit(middles + spreads[:, None] * noise)


def unit(vectors: NDArray[np.floating]) -> Matrix:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def with_questions(texts: Sequence[str], vectors: Matrix, random: np.random.Generator) -> Corpus:
    asked = random.integers(0, len(texts), QUESTIONS)
    near = scattered(vectors[asked], np.full(QUESTIONS, 0.7), random)
    words = [" ".join(random.choice(texts[int(number)].split(), 8)) for number in asked]
    questions = [IndexQuery(text, vector) for text, vector in zip(words, near, strict=True)]
    return Corpus(texts, vectors, questions)


def places(options: argparse.Namespace, opened: ExitStack) -> tuple[IndexStore, Index, Callable[[], int]]:
    if options.qdrant:
        return server_places(options.qdrant, opened)
    home = Path(opened.enter_context(tempfile.TemporaryDirectory()))
    index = opened.enter_context(closing(EmbeddedIndex(home)))
    return EmbeddedIndexStore(home), index, lambda: bytes_under(home / "generations")


def server_places(url: str, opened: ExitStack) -> tuple[IndexStore, Index, Callable[[], int]]:
    from glossator.adapters.index.server import Server
    from glossator.adapters.index.server_index import ServerIndex
    from glossator.adapters.index.server_store import ServerIndexStore

    server = Server.connect(url, "bench", api_key=None, timeout=60)
    return ServerIndexStore(server), opened.enter_context(closing(ServerIndex(server))), lambda: 0


def bytes_under(folder: Path) -> int:
    return sum(512 * path.stat().st_blocks for path in folder.rglob("*") if path.is_file())


def build(index_store: IndexStore, corpus: Corpus, states: Matrix | None) -> dict[str, float]:
    identity = EmbedderIdentity("bench", corpus.vectors.shape[1], 256, "bench")
    passages = list(passages_of(corpus.texts))
    with index_store.build(identity, "english") as generation:
        begun = time.perf_counter()
        for start in range(0, len(passages), 1024):
            batch = slice(start, start + 1024)
            pages = sorted({passage.chunk.page for passage in passages[batch]})
            generation.put(pages, passages[batch], list(embeddings_of(corpus.vectors[batch], states)))
        added = time.perf_counter()
        generation.publish(manifest_of(generation.number, passages, identity))
        published = time.perf_counter()
    return {
        "upserts_a_second": round(len(passages) / (added - begun)),
        "publish_seconds": round(published - added, 1),
    }


def embeddings_of(vectors: Matrix, states: Matrix | None) -> Iterator[PassageEmbedding]:
    packed = None if states is None else PackedStates.of(states)
    return (PassageEmbedding(vector, packed) for vector in vectors)


def passages_of(texts: Sequence[str]) -> Iterator[Passage]:
    for first in range(0, len(texts), PASSAGES_A_CHUNK):
        windows = texts[first : first + PASSAGES_A_CHUNK]
        chunk = chunk_of(first // PASSAGES_A_CHUNK, "\n".join(windows))
        for number, reading in enumerate(windows):
            yield Passage(chunk, number, 0, len(reading), reading)


def chunk_of(number: int, text: str) -> Chunk:
    page = f"chapter-{number // 50}/page-{number // 10}.md"
    return Chunk(
        page=page,
        page_title=f"Page {number // 10}",
        page_url=f"/docs/{page.removesuffix('.md')}",
        chapter=f"Chapter {number // 50}",
        index=number % 10,
        sections=(Section("A heading of some length", "a-heading", ("A part", "A heading"), 0),),
        text=text,
        start=0,
        end=len(text),
        token_count=len(text) // 4,
        content_hash=hashlib.sha256(text.encode()).hexdigest(),
    )


def manifest_of(number: int, passages: Sequence[Passage], identity: EmbedderIdentity) -> Manifest:
    chunks = {passage.chunk.chunk_id: passage.chunk for passage in passages}
    pages = {chunk.page: chunk for chunk in chunks.values()}
    return Manifest(
        generation=number,
        book="bench",
        site="plain",
        embedder=identity,
        splitter="bench",
        lexicon=Lexicon("english", len(passages), {f"word{number}": 1 for number in range(5000)}),
        pages=tuple(
            PageRecord(
                chunk.page, chunk.page_title, chunk.page_url, chunk.chapter, chunk.content_hash, 10, ""
            )
            for chunk in pages.values()
        ),
        chunks=len(chunks),
        passages=len(passages),
        content_hash="bench",
        created_at="2026-01-01T00:00:00Z",
    )


def search(index: Index, corpus: Corpus) -> dict[str, float]:
    begun = time.perf_counter()
    index.manifest()
    opened = time.perf_counter()
    for question in corpus.questions[:50]:
        index.search(question)
    seconds = [timed(index, question) for question in corpus.questions]
    return {
        "open_ms": round(1000 * (opened - begun), 1),
        "search_ms_p50": round(1000 * float(np.median(seconds)), 2),
        "search_ms_p99": round(1000 * float(np.quantile(seconds, 0.99)), 2),
        **forty_figures(index, corpus),
        "searches_a_second_of_4_threads": round(rate_of_threads(index, corpus, 4)),
        "recall_at_10": round(recall(index, corpus), 4),
    }


def forty_figures(index: Index, corpus: Corpus) -> dict[str, float]:
    """What a search costs that is to be ranked anew, without the token states and with them."""
    deep = [replace(question, limit=40, candidates=40) for question in corpus.questions[:200]]
    without = np.median([timed(index, question) for question in deep])
    stated = np.median([timed(index, replace(question, states=True)) for question in deep])
    return {
        "search_of_40_ms_p50": round(1000 * float(without), 2),
        "search_of_40_with_states_ms_p50": round(1000 * float(stated), 2),
    }


def timed(index: Index, question: IndexQuery) -> float:
    begun = time.perf_counter()
    index.search(question)
    return time.perf_counter() - begun


def rate_of_threads(index: Index, corpus: Corpus, count: int) -> float:
    def ask_all() -> None:
        for question in corpus.questions:
            index.search(question)

    threads = [threading.Thread(target=ask_all) for _ in range(count)]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return count * len(corpus.questions) / (time.perf_counter() - begun)


def recall(index: Index, corpus: Corpus) -> float:
    """Of the ten nearest passages, how many the dense leg finds; a question without words has no other."""
    passages = list(passages_of(corpus.texts))
    place = {passage.point_id: number for number, passage in enumerate(passages)}
    shares: list[float] = []
    for question in corpus.questions:
        cosines = corpus.vectors @ question.vector
        nearest = cosines >= np.partition(cosines, -10)[-10] - 1e-6
        found = index.search(IndexQuery("", question.vector, limit=10, candidates=10))
        shares.append(sum(nearest[place[hit.passage.point_id]] for hit in found) / 10)
    return float(np.mean(shares))


if __name__ == "__main__":
    main()
