"""Where an answer is looked for, and in which generation of the book."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from glossator.answer.evidence import retrieve_from_book
from glossator.answer.route import Standalone
from glossator.ingest.pipeline import IngestTools, ingest
from glossator.ingest.sites import SiteKind, site_of
from glossator.model import (
    Chunk,
    FoundPassage,
    IndexQuery,
    Manifest,
    Policy,
    Question,
    Scores,
    Span,
    Unit,
    UnitKind,
)
from glossator.testing import (
    MemoryCache,
    MemoryIndex,
    MemoryIndexStore,
    SilentProgress,
    WordEmbedder,
    WordReader,
)
from support.index_books import manifest_of, passage


class ReplacedIndex:
    """Another generation becomes current after so many looks at the manifest."""

    def __init__(self, looks: int) -> None:
        self._looks = looks

    @property
    def _generation(self) -> int:
        return 1 if self._looks > 0 else 2

    def manifest(self) -> Manifest:
        generation = self._generation
        self._looks -= 1
        return manifest_of(generation, [])

    def search(self, query: IndexQuery) -> list[FoundPassage]:
        found = passage("a.md", f"The topic of generation {self._generation} is a named stream.")
        self._looks -= 1
        whole = Span(0, len(found.reading))
        tokens = WordEmbedder().count_tokens([found.reading])[0]
        unit = Unit(UnitKind.PROSE, found.start, found.end, tokens, whole, whole)
        return [FoundPassage(replace(found, units=(unit,)), Scores(dense=0.9, sparse=1.0, fused=0.9))]

    def chunk(self, chunk_id: str) -> Chunk | None:
        return None

    def chunks(self) -> Iterator[Chunk]:
        return iter(())

    def close(self) -> None:
        return


def test_whenever_another_becomes_current_it_is_the_one_that_was_searched() -> None:
    for looks in range(8):
        retrieval = retrieve_from_book(
            Standalone.of("What is a topic?"),
            Question("What is a topic?"),
            WordEmbedder(),
            WordReader(),
            ReplacedIndex(looks),
            Policy.CALIBRATED,
        )
        assert retrieval.index is not None
        [hit] = retrieval.hits
        assert f"generation {retrieval.index.generation} " in hit.chunk.text


PAGES = {
    "01-preface.md": "# Preface\n\nThe readers whom this book is meant for are students in their last year.\n",
    "02-nodes.md": "# Nodes\n\nA node is a program of a robot.\n",
    "03-topics.md": "# Topics\n\nA topic is a named stream.\n",
    "04-other.md": "# Other books\n\nThe readers whom that other book is meant for are children at school.\n",
    "05-power.md": "# Power\n\nWhat this book says about swollen batteries: never charge them.\n",
}


@pytest.fixture
def book(tmp_path: Path) -> MemoryIndex:
    for name, text in PAGES.items():
        (tmp_path / name).write_text(text)
    tools = IngestTools(
        embedder=WordEmbedder(),
        index_store=(index_store := MemoryIndexStore()),
        cache=MemoryCache(),
        progress=SilentProgress(),
    )
    ingest(tmp_path, site_of(tmp_path, kind=SiteKind.PLAIN), tools)
    return MemoryIndex(index_store)


def pages_found(book: MemoryIndex, text: str) -> set[str]:
    question = Question(text)
    retrieval = retrieve_from_book(
        Standalone.of(text), question, WordEmbedder(), WordReader(), book, Policy.CALIBRATED
    )
    return {hit.chunk.page for hit in retrieval.hits}


def test_what_a_book_says_of_itself_is_looked_for_on_the_pages_that_open_it(book: MemoryIndex) -> None:
    assert pages_found(book, "Which readers is this book meant for?") <= set(list(PAGES)[:3])
    assert "04-other.md" in pages_found(book, "Which readers are books meant for?")


def test_what_they_do_not_say_is_looked_for_in_all_of_it(book: MemoryIndex) -> None:
    assert "05-power.md" in pages_found(book, "What does this book say about swollen batteries?")
