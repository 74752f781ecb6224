"""Measure what a passage weighs on a Qdrant server, and what its token states add in each form they could have.

    python scripts/bench_server.py                    examples/physical-ai-book, ten copies of it
    python scripts/bench_server.py --copies 1

Starts a server of its own. Prints JSON: bytes on disk a passage, without the write-ahead log, which does not grow
with the book; milliseconds to read 40 passages.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from get_qdrant import get_qdrant
from qdrant_client import QdrantClient
from qdrant_client.models import (
    Datatype,
    Distance,
    HnswConfigDiff,
    MultiVectorComparator,
    MultiVectorConfig,
    PointStruct,
    VectorParams,
)

from glossator.adapters.embedders.bundled import BundledEmbedder
from glossator.adapters.index.server import Server
from glossator.adapters.index.server_index import ServerIndex
from glossator.adapters.index.server_store import ServerIndexStore
from glossator.adapters.index.state_codes import EncodedStates, encode_states
from glossator.ingest.codec import pack_states
from glossator.ingest.pipeline import IngestTools, ingest
from glossator.ingest.sites import site_of
from glossator.model import Embedding, IndexQuery, Manifest, Passage
from glossator.testing import MemoryCache, MemoryIndexStore, SilentProgress

BOOK = Path(__file__).parents[1] / "examples" / "physical-ai-book"
PORT = 6399
SECONDS_UNTIL_FLUSHED = 8
READS = 20

Entry = tuple[Passage, Embedding]


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
        figures = {
            "passages": len(many),
            "index": index_figures(url, storage, manifest, many),
            "states": states_figures(url, storage, many),
        }
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
        ("without-states", [(passage, Embedding(made.vector)) for passage, made in entries]),
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


def states_figures(url: str, storage: Path, entries: Sequence[Entry]) -> dict[str, object]:
    """Token states alone, in each form."""
    states = [made.states for _, made in entries if made.states is not None]
    forms: dict[str, tuple[Callable[[np.ndarray], Any], Callable[[Any], object], int]] = {
        "8 bits as text": (lambda s: b64encode(pack_states(s).tobytes()).decode(), lambda p: p.payload, 0),
        "2 bits as text": (encode_states, lambda p: EncodedStates(str(p.payload["s"])).unpacked(), 0),
        "8 bits as a multivector": (eight_bits, vector_of, states[0].shape[1]),
        "2 bits as a multivector": (two_bits, vector_of, states[0].shape[1] // 4),
    }
    with closing(QdrantClient(url, timeout=120, check_compatibility=False)) as client:
        return {
            name: form_figures(client, storage, f"form{number}", states, *form)
            for number, (name, form) in enumerate(forms.items())
        }


def eight_bits(states: np.ndarray) -> Any:
    return (pack_states(states).astype(np.int16) + 128).tolist()


def two_bits(states: np.ndarray) -> Any:
    width = states.shape[1]
    codes = np.frombuffer(b64decode(encode_states(states)), np.uint8, offset=2 + width)
    return codes.reshape(-1, width // 4).tolist()


def vector_of(point: Any) -> object:
    return np.array(point.vector["s"], np.uint8)


def form_figures(
    client: QdrantClient,
    storage: Path,
    name: str,
    states: Sequence[np.ndarray],
    encode: Callable[[np.ndarray], Any],
    decode: Callable[[Any], object],
    width: int,
) -> dict[str, object]:
    client.create_collection(name, vectors_config={"s": multivector(width)} if width else {})
    for start in range(0, len(states), 64):
        encoded = [encode(state) for state in states[start : start + 64]]
        points = [
            PointStruct(id=start + at, vector={"s": vector})
            if width
            else PointStruct(id=start + at, vector={}, payload={"s": vector})
            for at, vector in enumerate(encoded)
        ]
        client.upsert(name, points, wait=True)

    def read() -> None:
        for point in client.retrieve(name, list(range(40)), with_vectors=bool(width)):
            decode(point)

    return {"bytes": bytes_a_passage(storage / name, len(states)), "read_40_ms": milliseconds(read)}


def multivector(width: int) -> VectorParams:
    return VectorParams(
        size=width,
        distance=Distance.DOT,
        datatype=Datatype.UINT8,
        on_disk=True,
        hnsw_config=HnswConfigDiff(m=0),
        multivector_config=MultiVectorConfig(comparator=MultiVectorComparator.MAX_SIM),
    )


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
