"""Where an answer is looked for, and in which generation of the book."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from glossator.answer.evidence import retrieve_from_book
from glossator.answer.pipeline import AnswerPipeline
from glossator.answer.route import Standalone
from glossator.ingest.pipeline import IngestTools, ingest
from glossator.ingest.sites import SiteKind, site_of
from glossator.model import (
    Brief,
    Chunk,
    FoundPassage,
    IndexQuery,
    Manifest,
    Passage,
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
from support.index_books import manifest_of, meaning, passage


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
        return manifest_of(generation, [(page_of(generation), meaning(0))])

    def search(self, query: IndexQuery) -> list[FoundPassage]:
        found = page_of(self._generation)
        self._looks -= 1
        whole = Span(0, len(found.reading))
        tokens = WordEmbedder().count_tokens([found.reading])[0]
        unit = Unit(UnitKind.PROSE, found.start, found.end, tokens, whole, whole)
        return [FoundPassage(replace(found, units=(unit,)), Scores(dense=0.9, sparse=1.0, fused=0.9))]

    def chunk(self, chunk_id: str) -> Chunk | None:
        chunk = page_of(self._generation).chunk
        self._looks -= 1
        return chunk

    def chunks(self) -> Iterator[Chunk]:
        return iter(())

    def close(self) -> None:
        return


def page_of(generation: int) -> Passage:
    title = f"Generation {generation}"
    found = passage("a.md", f"{title} says that a topic is a named stream.")
    return replace(found, chunk=replace(found.chunk, page_title=title))


@pytest.mark.parametrize("text", ["What is a topic?", "What is a topic? And what is a named stream?"])
def test_whenever_another_becomes_current_it_is_the_one_that_was_searched(text: str) -> None:
    for looks in range(16):
        retrieval = retrieve_from_book(
            Standalone.of(text),
            Question(text),
            WordEmbedder(),
            WordReader(),
            ReplacedIndex(looks),
            Policy.CALIBRATED,
        )
        assert retrieval.index is not None
        [hit], [evidence] = retrieval.hits, retrieval.evidence
        title = f"Generation {retrieval.index.generation}"
        assert [hit.chunk.page_title, evidence.chunk.page_title] == [title, title]


class SearchingWriter:
    """Says what it was given, and then what it finds itself."""

    name, model = "searching", "none"

    async def write(self, brief: Brief) -> AsyncGenerator[str]:
        assert brief.search is not None
        for evidence in [*brief.evidence, *await brief.search("a named stream")]:
            yield f"{evidence.chunk.text}\n\n"


@pytest.mark.parametrize("text", ["What is a topic?", "List the chapters.", "What is this book about?"])
def test_an_answer_is_made_from_the_generation_that_it_names(text: str) -> None:
    for looks in range(16):
        assistant = AnswerPipeline(WordEmbedder(), WordReader(), ReplacedIndex(looks), SearchingWriter())
        answer = asyncio.run(assistant.answer(Question(text)))
        assert answer.index is not None
        title = f"Generation {answer.index.generation}"
        assert answer.citations
        assert all(title in (cited.quote or "") for cited in answer.citations), (looks, answer)


PAGES = {
    "01-preface.md": "# Preface\n\nThe readers whom this book is meant for are students in their last year.\n",
    "02-nodes.md": "# Nodes\n\nA node is a program of a robot.\n",
    "03-topics.md": "# Topics\n\nA topic is a named stream.\n",
    "04-other.md": "# Other books\n\nThe readers whom that other book is meant for are children at school.\n",
    "06-lidar.md": "# Lidar\n\nTake it outdoors: its laser reaches a hundred metres, whichever the weather.\n",
    "07-sonar.md": "# Sonar\n\nTake it under water.\n",
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


def relevance_of(book: MemoryIndex, text: str, page: str) -> float:
    retrieval = retrieve_from_book(
        Standalone.of(text), Question(text), WordEmbedder(), WordReader(), book, Policy.CALIBRATED
    )
    return max(
        (unit.relevance for found in retrieval.evidence if found.chunk.page == page for unit in found.units),
        default=0.0,
    )


def test_of_two_things_that_are_compared_the_one_that_the_best_section_leaves_out_is_searched_apart(
    book: MemoryIndex,
) -> None:
    compared = "Lidar or sonar, which reaches a hundred metres with its laser outdoors?"
    assert relevance_of(book, compared, "06-lidar.md") == 1.0
    assert relevance_of(book, compared, "07-sonar.md") == 1.0
    assert relevance_of(book, compared.replace("or sonar", ""), "07-sonar.md") < 1.0


def test_what_has_no_section_of_its_own_is_not_searched_apart(book: MemoryIndex) -> None:
    compared = "Lidar or a program of a robot, which reaches a hundred metres with its laser outdoors?"
    assert relevance_of(book, compared, "02-nodes.md") < 1.0
