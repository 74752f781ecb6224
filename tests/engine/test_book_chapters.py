"""Chapters are named in filters as people name them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from glossator.engine import Book
from glossator.model import Filters
from glossator.ports import Embedder, Reader
from glossator.settings import Settings
from glossator.testing import MemoryIndex
from glossator.wiring import assembled, index_of, writer_of

PAGES = {
    "intro": "Introduction",
    "module-1/nodes": "Module 1: The Nervous System",
    "module-1/topics": "Module 1: The Nervous System",
    "module-2/worlds": "Module 2: The Digital Twin",
    "module-12/speech": "Module 12: Voice",
    "03-motion/arms": "Motion",
    "03-motion/legs": "Motion",
}


@pytest.fixture(scope="module")
def book(home: Path, embedder: Embedder, reader: Reader) -> Book:
    """One with the chapters above."""
    settings = Settings(home=home)
    index = index_of(settings, expects=embedder.identity)
    known = index.manifest()
    page = known.pages[0]
    pages = tuple(replace(page, path=f"{path}.md", chapter=chapter) for path, chapter in PAGES.items())

    class Numbered(MemoryIndex):
        def __init__(self) -> None:
            pass

        def manifest(self):
            return replace(known, pages=pages)

    index.close()
    return Book(assembled(settings, embedder, reader, Numbered(), writer_of(settings, settings.writer), None))


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
def test_a_chapter_is_named_by_title_id_or_number(book: Book, named: str, titles: list[str]):
    found = asyncio.run(book.known(Filters(chapter=(named,), section=("Nodes",))))
    assert found == Filters(chapter=tuple(titles), section=("Nodes",))


def test_two_names_of_one_chapter_are_one(book: Book):
    found = asyncio.run(book.known(Filters(chapter=("module 1", "module-1", "Motion"))))
    assert found.chapter == ("Module 1: The Nervous System", "Motion")


def test_without_a_chapter_nothing_is_looked_up(book: Book):
    assert asyncio.run(book.known(Filters(page=("a.md",)))) == Filters(page=("a.md",))
