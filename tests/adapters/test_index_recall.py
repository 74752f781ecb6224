"""The graph finds what looking at every passage would find."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from glossator.adapters.index.embedded_index import EmbeddedIndex
from glossator.adapters.index.embedded_store import EmbeddedIndexStore
from glossator.model import EmbedderIdentity, IndexQuery, Vector
from support.index_books import fill, manifest_of, passage

PASSAGES = 12_000
DIMENSION = 384
QUESTIONS = 100


@pytest.mark.slow
def test_of_the_ten_nearest_passages_the_graph_misses_next_to_none(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    middles = random.normal(size=(200, DIMENSION))
    vectors = unit(middles[random.integers(0, 200, PASSAGES)] + random.normal(size=(PASSAGES, DIMENSION)))
    questions = unit(vectors[:QUESTIONS] + 0.03 * random.normal(size=(QUESTIONS, DIMENSION)))
    entries = [(passage(f"{number}.md", f"Page {number}."), vector) for number, vector in enumerate(vectors)]
    identity = EmbedderIdentity("toy", DIMENSION, 256, "toy")
    with EmbeddedIndexStore(tmp_path).build(identity, "english") as generation:
        fill(generation, entries)
        generation.publish(manifest_of(generation.number, entries, identity))
    assert list(tmp_path.rglob("graph.bin")), "below a certain size the engine builds no graph"
    with closing(EmbeddedIndex(tmp_path)) as index:
        found = [index.search(IndexQuery("", question, limit=10, candidates=10)) for question in questions]
    shares = [
        len({int(hit.passage.chunk.page.removesuffix(".md")) for hit in hits} & nearest(vectors, question))
        / 10
        for hits, question in zip(found, questions, strict=True)
    ]
    assert np.mean(shares) >= 0.98


def nearest(vectors: Vector, question: Vector) -> set[int]:
    return set(np.argsort(vectors @ question)[-10:].tolist())


def unit(vectors: np.ndarray) -> Vector:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
