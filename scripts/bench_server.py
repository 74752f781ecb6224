"""Measure what a passage weighs on a Qdrant server, with its token states and without them.

    python scripts/bench_server.py                    examples/physical-ai-book, ten copies of it
    python scripts/bench_server.py --copies 1

Starts a server of its own. Prints JSON: bytes on disk a passage, without the write-ahead log, which does not grow
with the book; milliseconds to find 40 passages.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
from get_qdrant import get_qdrant

from glossator.adapters.embedders.bundled import BundledEmbedder
from glossator.adapters.index.server import Server
from glossator.adapters.index.server_index import ServerIndex
from glossator.adapters.index.server_store import ServerIndexStore
from glossator.ingest.pipeline import IngestTools, ingest
from glossator.ingest.sites import site_of
from glossator.model import IndexQuery, Manifest, Passage, PassageEmbedding
from glossator.testing import MemoryCache, MemoryIndexStore, SilentProgress

BOOK = Path(__file__).parents[1] / "examples" / "physical-ai-book"
PORT = 6399
SECONDS_UNTIL_FLUSHED = 8
READS = 20

Entry = tuple[Passage, PassageEmbedding]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--copies", type=int, default=10)
    copies = parser.parse_args().copies
    manifest, entries = embedded_book()
    many = [copied(entry, number) for number in range(copies) for entry in entries]
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder)) as url:
        storage = Path(folder) / "storage" / "collections"
        figures = {"passages": len(many), "index": index_figures(url, storage, manifest, many)}
    print(json.dumps(figures, indent=1))


def embedded_book() -> tuple[Manifest, list[Entry]]:
    store = MemoryIndexStore()
    embedder = BundledEmbedder.open(Path.home() / ".cache" / "glossator")
    ingest(BOOK, site_of(BOOK), IngestTools(embedder, store, MemoryCache(), SilentProgress()))
    assert store.serving is not None
    assert store.serving.manifest is not None
    return store.serving.manifest, list(store.serving.entries)


def copied(entry: Entry, number: int) -> Entry:
    passage, embedding = entry
    chunk = replace(passage.chunk, page=f"{number}/{passage.chunk.page}")
    noise = np.random.default_rng(number).normal(scale=0.01, size=embedding.vector.shape)
    vector = embedding.vector + noise.astype(np.float32)
    return replace(passage, chunk=chunk), replace(embedding, vector=vector / np.linalg.norm(vector))


@contextmanager
def running_server(folder: Path) -> Iterator[str]:
    environment = {
        "QDRANT__SERVICE__HTTP_PORT": str(PORT),
        "QDRANT__SERVICE__GRPC_PORT": str(PORT + 1),
        "QDRANT__STORAGE__STORAGE_PATH": str(folder / "storage"),
    }
    server = subprocess.Popen(
        [get_qdrant(), "--disable-telemetry"], cwd=folder, env=environment, stdout=subprocess.DEVNULL
    )
    try:
        time.sleep(3)
        yield f"http://127.0.0.1:{PORT}"
    finally:
        server.kill()
        server.wait()


def index_figures(url: str, storage: Path, manifest: Manifest, entries: Sequence[Entry]) -> dict[str, object]:
    """The index as it is, with its token states and without them."""
    figures = dict[str, object]()
    for name, chosen in (
        ("with-states", entries),
        ("without-states", [(passage, PassageEmbedding(made.vector)) for passage, made in entries]),
    ):
        server = Server.connect(url, name, api_key=None, timeout=120)
        with closing(server.client):
            begun = time.perf_counter()
            publish(ServerIndexStore(server), manifest, chosen)
            first = time.perf_counter() - begun
            size = bytes_a_passage(storage / server.collection(1), len(entries))
            query = IndexQuery("node topic", entries[0][1].vector, limit=40, candidates=40, states=True)
            index = ServerIndex(server)
            search = milliseconds(lambda index=index, query=query: index.search(query))
            figures[name] = {"bytes": size, "search_of_40_ms": search, "build_seconds": round(first, 1)}
    return figures


def publish(store: ServerIndexStore, manifest: Manifest, entries: Sequence[Entry]) -> None:
    chunks = {passage.chunk.chunk_id for passage, _ in entries}
    with store.build(manifest.embedder, "english") as generation:
        passages, embeddings = [passage for passage, _ in entries], [embedding for _, embedding in entries]
        generation.put([*{passage.chunk.page for passage in passages}], passages, embeddings)
        counted = replace(manifest, generation=generation.number, passages=len(entries), chunks=len(chunks))
        generation.publish(counted)


def bytes_a_passage(collection: Path, passages: int) -> int:
    time.sleep(SECONDS_UNTIL_FLUSHED)
    files = [path for path in (collection / "0" / "segments").rglob("*") if path.is_file()]
    return sum(512 * path.stat().st_blocks for path in files) // passages


def milliseconds(call: Callable[[], object]) -> float:
    seconds = list[float]()
    for _ in range(READS):
        begun = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begun)
    return round(1000 * float(np.median(seconds)), 1)


if __name__ == "__main__":
    sys.exit(main())
