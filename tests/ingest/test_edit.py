"""An edit of one page: the book is the same as one that was ingested at once, and only the page is looked at."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from glossator.adapters.index.cache import SqliteCache
from glossator.adapters.index.embedded_index import EmbeddedIndex
from glossator.adapters.index.embedded_store import EmbeddedIndexStore
from glossator.errors import IndexUnavailable
from glossator.ingest.pipeline import IngestTools, ingest
from glossator.ingest.sites import SiteKind, site_of
from glossator.model import Embedding, IndexQuery, IngestReport, Manifest
from glossator.testing import SilentProgress, WordEmbedder
from support.small_edits import edit_at_random, write_pages

PAGES = 40


class WatchedCache(SqliteCache):
    """Counts the entries that are read, written and removed."""

    touched = 0

    def get(self, keys: Sequence[str]) -> Mapping[str, bytes]:
        found = super().get(keys)
        self.touched += len(found)
        return found

    def put(self, values: Mapping[str, bytes]) -> None:
        self.touched += len(values)
        super().put(values)

    def remove(self, keys: Iterable[str]) -> None:
        removed = list(keys)
        self.touched += len(removed)
        super().remove(removed)


class Author:
    """A folder of pages with an index and a cache on disk."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        self.home = home
        self.embedder = WordEmbedder()
        self.cache = WatchedCache(home / "cache.sqlite")

    def ingest(self, *only: str) -> IngestReport:
        site = site_of(self.folder, kind=SiteKind.PLAIN, base_url=None, route_base=None)
        tools = IngestTools(
            self.embedder, EmbeddedIndexStore(self.home), self.cache, SilentProgress(), "english"
        )
        return ingest(self.folder, site, tools, only, replace_book=True)

    def roll_back(self) -> Manifest:
        return EmbeddedIndexStore(self.home).roll_back()

    def content(self) -> tuple[Manifest, list[str], list[float]]:
        """The manifest without what is told from generation to generation, the chunks, and a search."""
        query = IndexQuery("harbour crane", self.embedder.embed_query("harbour crane").vector, limit=200)
        with closing(EmbeddedIndex(self.home)) as index:
            manifest = replace(index.manifest(), generation=0, created_at="")
            chunks = sorted(f"{chunk.chunk_id} {chunk.text}" for chunk in index.chunks())
            return manifest, chunks, [round(found.scores.fused, 4) for found in index.search(query)]

    @property
    def cached(self) -> set[str]:
        with closing(sqlite3.connect(self.home / "cache.sqlite")) as file:
            return {key for (key,) in file.execute("SELECT key FROM kept")}


@pytest.fixture
def author(tmp_path: Path) -> Author:
    folder = tmp_path / "book"
    write_pages(folder, PAGES)
    return Author(folder, tmp_path / "home")


@pytest.mark.parametrize("seed", range(2))
def test_after_any_edits_the_book_is_that_of_a_first_ingest(
    author: Author, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    author.ingest()
    for step in range(4):
        edit_at_random(author.folder, chance)
        if chance.random() < 0.2:
            author.roll_back()
        author.ingest()
        first = Author(author.folder, tmp_path / f"first-{step}")
        first.ingest()
        assert author.content() == first.content()


def test_an_edit_touches_what_the_cache_has_of_its_page_alone(author: Author) -> None:
    author.ingest()
    author.cache.touched = 0
    page = author.folder / "page-07.md"
    page.write_text(page.read_text() + "\n## An afterthought\n\nNobody wrote this before.\n")
    report = author.ingest()
    assert (report.changed, report.embedded, report.removed) == (True, 1, 1)
    assert author.cache.touched <= 20


def test_an_edit_that_names_its_page_touches_no_more(author: Author) -> None:
    author.ingest()
    author.cache.touched = 0
    (author.folder / "page-07.md").write_text("# Page 7\n\nAll of it is new.\n")
    (author.folder / "page-08.md").write_text("# Page 8\n\nNobody named this page.\n")
    report = author.ingest("page-07.md")
    assert (report.changed, report.embedded) == (True, 1)
    assert author.cache.touched <= 20
    _, chunks, _ = author.content()
    assert any("All of it is new." in chunk for chunk in chunks)
    assert not any("Nobody named this page." in chunk for chunk in chunks)


def test_a_page_that_becomes_empty_leaves_nothing_in_the_index(author: Author) -> None:
    author.ingest()
    (author.folder / "page-07.md").write_text("")
    author.ingest()
    _, chunks, _ = author.content()
    assert chunks
    assert not any(chunk.startswith("page-07.md") for chunk in chunks)


def test_the_cache_keeps_two_generations_and_no_more(author: Author) -> None:
    author.ingest()
    first = author.cached
    original = (author.folder / "page-07.md").read_text()
    for edition in range(3):
        (author.folder / "page-07.md").write_text(f"# Page 7\n\nEdition {edition} of this page.\n")
        author.ingest()
    assert len(author.cached) <= len(first) + 1
    (author.folder / "page-07.md").write_text(original)
    author.ingest()
    author.ingest()
    assert first <= author.cached
    assert len(author.cached) <= len(first) + 1


class FailingEmbedder(WordEmbedder):
    def embed_passages(self, texts: Sequence[str], *, states: bool = False) -> list[Embedding]:
        raise IndexUnavailable("not now")


def test_what_a_failed_ingest_left_in_the_cache_is_removed_by_the_next(author: Author) -> None:
    author.ingest()
    kept = len(author.cached)
    author.embedder = FailingEmbedder()
    for edition in range(3):
        (author.folder / "page-07.md").write_text(f"# Page 7\n\nEdition {edition}, which fails.\n")
        with pytest.raises(IndexUnavailable):
            author.ingest()
    author.embedder = WordEmbedder()
    (author.folder / "page-07.md").write_text("# Page 7\n\nThe edition that stands.\n")
    author.ingest()
    assert len(author.cached) <= kept + 1


def test_a_manifest_of_an_earlier_version_is_built_upon(author: Author, tmp_path: Path) -> None:
    """It does not say how many passages a page has, nor where it stands in the reading order."""
    author.ingest()
    manifest = author.home / "generations" / "1" / "manifest.json"
    lines = manifest.read_text().splitlines()
    kept = [line for line in lines if '"order"' not in line]
    assert '"passages"' in manifest.read_text()
    manifest.write_text("\n".join(kept))
    (author.folder / "page-07.md").write_text("# Page 7\n\nThe harbour has a new crane.\n")
    author.ingest()
    first = Author(author.folder, tmp_path / "first")
    first.ingest()
    assert author.content() == first.content()
