"""Chapters are named in filters as people name them."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from glossator.adapters.writers.extractive import ExtractiveWriter
from glossator.answer.book import ServedBook
from glossator.answer.compose import compose
from glossator.answer.pipeline import AnswerPipeline
from glossator.model import Filters, PageRecord
from glossator.testing import MemoryGeneration, MemoryIndex, MemoryIndexStore, WordEmbedder, WordReader
from support.index_books import manifest_of

PAGES = {
    "intro": "Introduction",
    "module-1/nodes": "Module 1: The Nervous System",
    "module-1/topics": "Module 1: The Nervous System",
    "module-2/worlds": "Module 2: The Digital Twin",
    "module-12/speech": "Module 12: Voice",
    "03-motion/arms": "Motion",
    "03-motion/legs": "Motion",
}


@pytest.fixture
def numbered() -> ServedBook:
    """A book with the chapters above, and no words."""
    pages = tuple(PageRecord(f"{path}.md", path, path, chapter, "", 1, "") for path, chapter in PAGES.items())
    embedder = WordEmbedder()
    manifest = replace(manifest_of(1, [], embedder.identity), pages=pages)
    index_store = MemoryIndexStore()
    index_store.serving = MemoryGeneration(1, index_store, manifest=manifest)
    return ServedBook(
        AnswerPipeline(embedder, WordReader(), MemoryIndex(index_store), ExtractiveWriter(compose))
    )


@pytest.mark.parametrize(
    ("named", "titles"),
    [
        ("Motion", ["Motion"]),
        ("motion", ["Motion"]),
        (" INTRODUCTION ", ["Introduction"]),
        ("module 1: the nervous system", ["Module 1: The Nervous System"]),
        ("module-1", ["Module 1: The Nervous System"]),
        ("03-motion", ["Motion"]),
        ("intro", ["Introduction"]),
        ("Module 1", ["Module 1: The Nervous System"]),
        ("module 02", ["Module 2: The Digital Twin"]),
        ("Module 12", ["Module 12: Voice"]),
        ("Module 3", ["Motion"]),
        ("3", ["Motion"]),
        ("Module 9", ["Module 9"]),
        ("nowhere", ["nowhere"]),
        ("(a+)+$", ["(a+)+$"]),
    ],
)
def test_a_chapter_is_named_by_title_id_or_number(numbered: ServedBook, named: str, titles: list[str]):
    found = asyncio.run(numbered.resolve_chapters(Filters(chapter=(named,), section=("Nodes",))))
    assert found == Filters(chapter=tuple(titles), section=("Nodes",))


def test_two_names_of_one_chapter_are_one(numbered: ServedBook):
    found = asyncio.run(numbered.resolve_chapters(Filters(chapter=("module 1", "module-1", "Motion"))))
    assert found.chapter == ("Module 1: The Nervous System", "Motion")


def test_without_a_chapter_nothing_is_looked_up(numbered: ServedBook):
    assert asyncio.run(numbered.resolve_chapters(Filters(page=("a.md",)))) == Filters(page=("a.md",))
