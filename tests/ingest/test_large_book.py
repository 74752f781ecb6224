"""A book with more pages than are held in memory at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from glossator.ingest.pipeline import IngestTools, ingest
from glossator.ingest.sites import SiteKind, site_of
from glossator.model import IngestReport
from glossator.testing import MemoryCache, MemoryIndex, MemoryIndexStore, SilentProgress, WordEmbedder

PAGES = 600


class WatchedCache(MemoryCache):
    """Remembers the most values that it was asked for at once."""

    most = 0

    def get(self, keys: Sequence[str]) -> Mapping[str, bytes]:
        self.most = max(self.most, len(keys))
        return super().get(keys)


class LargeBook:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.embedder = WordEmbedder()
        self.index_store = MemoryIndexStore()
        self.cache = WatchedCache()
        for number in range(PAGES):
            self.write(number, f"# Page {number}\n\nThe harbour of number {number} has a crane.\n")

    def write(self, number: int, text: str) -> None:
        (self.folder / f"page-{number:03}.md").write_text(text)

    def ingest(self) -> IngestReport:
        site = site_of(self.folder, kind=SiteKind.PLAIN, base_url=None, route_base=None)
        tools = IngestTools(self.embedder, self.index_store, self.cache, SilentProgress(), "english")
        return ingest(self.folder, site, tools)


@pytest.fixture
def book(tmp_path: Path) -> LargeBook:
    return LargeBook(tmp_path)


def test_every_page_is_in_the_index_in_reading_order_and_counted(book: LargeBook):
    report = book.ingest()
    manifest = MemoryIndex(book.index_store).manifest()
    assert (report.pages, report.passages, report.embedded) == (PAGES, PAGES, PAGES)
    assert [page.path for page in manifest.pages] == [f"page-{number:03}.md" for number in range(PAGES)]
    assert (manifest.lexicon.passages, manifest.lexicon.counts["harbour"]) == (PAGES, PAGES)


def test_it_is_read_from_the_cache_a_few_pages_at_a_time(book: LargeBook):
    book.ingest()
    book.cache.most = 0
    book.write(7, "# Page 7\n\nThe harbour of number 7 has no crane any more.\n")
    report = book.ingest()
    assert (report.embedded, report.removed, report.changed) == (1, 1, True)
    assert 0 < book.cache.most < PAGES / 2


def test_what_it_no_longer_says_leaves_the_cache(book: LargeBook):
    book.ingest()
    kept = len(book.cache.values)
    for number in range(200):
        (book.folder / f"page-{number:03}.md").unlink()
    book.ingest()
    vectors_and_states_of_200 = 400
    assert len(book.cache.values) == kept - vectors_and_states_of_200
