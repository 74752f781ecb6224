"""What only a large book shows, in the embedded index: one for which the engine builds a graph."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from glossator.adapters.index.embedded_index import EmbeddedIndex
from glossator.adapters.index.embedded_store import EmbeddedIndexStore
from glossator.model import EmbedderIdentity, IndexQuery
from support.index_books import Entry, passage, publish

WIDE = EmbedderIdentity(name="wide", dimension=4096, window=256, fingerprint="wide-1")
"""The engine builds a graph from 10 MB of vectors on: wide ones make a small book a large one."""
PASSAGES = 800


def large_book(edition: int) -> list[Entry]:
    vectors = np.random.default_rng(1).normal(size=(PASSAGES, WIDE.dimension)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    texts = [f"robot number {number}" for number in range(PASSAGES)]
    texts[edition] = f"robot of edition {edition}"
    return [(passage(f"page-{number}.md", texts[number]), vectors[number]) for number in range(PASSAGES)]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def test_a_large_book_can_be_edited_again_and_again(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    for edition in range(4):
        book = large_book(edition)
        publish(EmbeddedIndexStore(home), book, WIDE)
        with closing(EmbeddedIndex(home)) as index:
            found = index.search(IndexQuery(f"edition {edition}", np.asarray(book[edition][1])))
            assert found[0].passage.chunk.text == f"robot of edition {edition}"
    has_graph = any(home.rglob("id_tracker.versions"))
    assert has_graph
    assert "cannot be used" not in caplog.text
