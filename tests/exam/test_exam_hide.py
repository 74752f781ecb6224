"""The book without some of its chunks."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.exam.elsewhere import ChunkWords, IndexWithout
from glossator.ingest.pipeline import IngestTools, ingest
from glossator.ingest.sites import SiteKind, site_of
from glossator.model import IndexQuery
from glossator.ports import Index
from glossator.testing import MemoryCache, MemoryIndex, MemoryIndexStore, SilentProgress, WordEmbedder
from glossator.text.words import stems
from support.harbour_book import PAGES, write_book

EMBEDDER = WordEmbedder()


def read(folder: Path) -> MemoryIndex:
    index_store = MemoryIndexStore()
    tools = IngestTools(EMBEDDER, index_store, MemoryCache(), SilentProgress())
    ingest(folder, site_of(folder, kind=SiteKind.PLAIN), tools)
    return MemoryIndex(index_store)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return read(write_book(tmp_path_factory.mktemp("book")))


def without(index: Index, pages: set[str]) -> IndexWithout:
    chunks = list(index.chunks())
    hidden = [chunk.chunk_id for chunk in chunks if chunk.page in pages]
    return IndexWithout(index, hidden, ChunkWords.of(chunks, "english"))


def query(text: str, limit: int) -> IndexQuery:
    return IndexQuery(text, EMBEDDER.embed_query(text).vector, limit=limit, candidates=limit)


@given(pages=st.sets(st.sampled_from(sorted(PAGES))), limit=st.integers(1, 30))
def test_what_is_found_is_what_would_be_found_if_it_had_never_been_there(
    index: Index, pages: set[str], limit: int
):
    every = index.search(query("the fog bell on the wall", 1000))
    left = [hit.passage.point_id for hit in every if hit.passage.chunk.page not in pages]
    found = without(index, pages).search(query("the fog bell on the wall", limit))
    assert [hit.passage.point_id for hit in found] == left[:limit]


def test_a_hidden_chunk_cannot_be_opened_or_listed(index: Index):
    hiding = without(index, {"fog.md"})
    assert hiding.chunk("fog.md#0") is None
    assert hiding.chunk("lamps.md#0") is not None
    assert {chunk.page for chunk in hiding.chunks()} == set(PAGES) - {"fog.md"}


def test_a_word_that_only_hidden_chunks_have_is_unknown(index: Index):
    oakum, bell = stems("oakum bell", "english")
    whole, less = index.manifest().lexicon, without(index, {"repairs.md"}).manifest().lexicon
    assert oakum in whole.counts
    assert oakum not in less.counts
    assert less.counts[bell] == whole.counts[bell]
    assert less.rarity(oakum) > whole.rarity(oakum)


def test_the_words_left_are_nearly_counted_as_in_a_book_that_never_had_the_page(index: Index, tmp_path: Path):
    write_book(tmp_path)
    tmp_path.joinpath("fog.md").unlink()
    really = read(tmp_path).manifest().lexicon
    estimated = without(index, {"fog.md"}).manifest().lexicon
    assert set(estimated.counts) == set(really.counts)
    assert all(abs(count - really.counts[stem]) <= 2 for stem, count in estimated.counts.items())
