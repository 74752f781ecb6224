"""An ingest that would lose much of the book stops; a page of the book is read again in its place."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from glossator.adapters.index.cache import SqliteCache
from glossator.adapters.index.embedded_index import EmbeddedIndex
from glossator.adapters.index.embedded_store import EmbeddedIndexStore
from glossator.errors import BookWouldShrink, PageUnreadable
from glossator.ingest.choose import place_in_book
from glossator.ingest.pipeline import IngestTools, ingest
from glossator.ingest.sites import SiteKind, site_of
from glossator.model import IngestReport, Manifest
from glossator.testing import SilentProgress, WordEmbedder

TOPICS = ("nodes", "topics", "services", "actions", "frames", "sensors")


class Author:
    """Somebody with a book of six pages in an index on disk."""

    def __init__(self, folder: Path) -> None:
        self.book = folder / "book"
        self.home = folder / "home"
        self.store = EmbeddedIndexStore(self.home)
        self.cache = SqliteCache(self.home / "cache.sqlite")
        for topic in TOPICS:
            self.write(f"{topic}.md", f"# {topic.title()}\n\nWhat a robot does with {topic}.\n")
        self.ingest()

    def write(self, page: str, text: str) -> Path:
        path = self.book / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def ingest(self, path: Path | None = None, *only: str, replace: bool = False) -> IngestReport:
        root = path or self.book
        site = site_of(root, kind=SiteKind.PLAIN, base_url=None, route_base=None)
        tools = IngestTools(WordEmbedder(), self.store, self.cache, SilentProgress())
        return ingest(root, site, tools, only, replace_book=replace)

    @property
    def manifest(self) -> Manifest:
        manifest = self.store.current()
        assert manifest is not None
        return manifest

    @property
    def texts(self) -> dict[str, str]:
        with closing(EmbeddedIndex(self.home)) as index:
            return {chunk.page: chunk.text for chunk in index.chunks()}

    @property
    def pages(self) -> set[str]:
        return {record.path for record in self.manifest.pages}


@pytest.fixture
def author(tmp_path: Path) -> Author:
    return Author(tmp_path)


def test_a_third_of_the_pages_may_go_and_not_more(author: Author):
    for page in ("nodes.md", "topics.md"):
        (author.book / page).unlink()
    assert author.ingest().pages == 4
    for page in ("services.md", "actions.md"):
        (author.book / page).unlink()
    with pytest.raises(BookWouldShrink) as refused:
        author.ingest()
    assert str(refused.value) == (
        "This would remove 2 of the 4 pages of “Book” (actions.md, services.md): add --replace if that is meant. "
        "Nothing was changed."
    )
    assert len(author.pages) == 4
    assert author.ingest(replace=True).pages == 2


def test_pages_that_moved_are_not_lost(author: Author):
    (author.book / "docs").mkdir()
    for topic in TOPICS:
        (author.book / f"{topic}.md").rename(author.book / "docs" / f"{topic}.md")
    assert author.ingest().pages == 6


def test_pages_that_cannot_be_read_any_more_are_lost(author: Author):
    for topic in TOPICS[:3]:
        (author.book / f"{topic}.md").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(BookWouldShrink, match="3 of the 6 pages"):
        author.ingest()


def test_another_book_or_a_file_of_its_own_does_not_replace_it_unasked(author: Author, tmp_path: Path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "essay.md").write_text("# Essay\n\nSomething else.\n")
    with pytest.raises(BookWouldShrink, match="6 of the 6 pages"):
        author.ingest(other)
    with pytest.raises(BookWouldShrink, match=r"essay.md would replace the whole book “Book” \(6 pages\)"):
        author.ingest(other / "essay.md")
    assert author.ingest(other / "essay.md", replace=True).pages == 1


def test_a_file_inside_the_book_is_read_again_in_its_place(author: Author, tmp_path: Path):
    new = author.write("more/maps.md", "# Maps\n\nWhat a robot does with maps.\n")
    assert place_in_book(new, author.manifest) == (author.book, ["more/maps.md"])
    root, only = place_in_book(author.book / "nodes.md", author.manifest)
    assert (root, only) == (author.book, ["nodes.md"])
    author.write("nodes.md", "# Nodes\n\nRewritten.\n")
    assert author.ingest(root, *only).pages == 6
    outside = tmp_path / "essay.md"
    outside.write_text("# Essay\n")
    assert place_in_book(outside, author.manifest) == (outside, ())
    assert place_in_book(outside, None) == (outside, ())


def test_a_book_of_one_page_is_that_page_alone(author: Author, tmp_path: Path):
    first, second = tmp_path / "a.md", tmp_path / "b.md"
    for copy in (first, second):
        shutil.copy(author.book / "nodes.md", copy)
    author.ingest(first, replace=True)
    assert place_in_book(first, author.manifest) == (tmp_path, ["a.md"])
    assert place_in_book(second, author.manifest) == (second, ())


@pytest.mark.parametrize("name", ["book.docx", "notes.txt", "Makefile"])
def test_a_file_of_an_unknown_kind_is_refused(author: Author, tmp_path: Path, name: str):
    (tmp_path / name).write_text("# Not a page\n")
    with pytest.raises(PageUnreadable, match=f"{name} is no page of a book"):
        author.ingest(tmp_path / name)
    with pytest.raises(PageUnreadable, match=f"{name} is no page of a book"):
        author.ingest(tmp_path / name, replace=True)


def test_after_a_rollback_the_old_pages_are_built_upon_though_the_disk_has_newer_ones(author: Author):
    """The text of the pages that were not named is the old generation's own, not the newer one on disk."""
    author.write("topics.md", "# Topics\n\nA newer text.\n")
    author.ingest()
    author.store.roll_back()
    author.write("nodes.md", "# Nodes\n\nRewritten.\n")
    author.ingest(author.book, "nodes.md")
    assert "Rewritten." in author.texts["nodes.md"]
    assert "What a robot does with topics." in author.texts["topics.md"]


def test_without_the_cache_a_page_that_was_not_named_is_not_mixed_up_with_its_newer_text(author: Author):
    """As after a restore, which brings no cache."""
    author.cache.keep_only([])
    author.write("nodes.md", "# Nodes\n\nRewritten.\n")
    author.ingest(author.book, "nodes.md")
    author.cache.keep_only([])
    author.write("topics.md", "# Topics\n\nA newer text.\n")
    author.write("nodes.md", "# Nodes\n\nRewritten again.\n")
    with pytest.raises(PageUnreadable, match=r"topics.md has changed too: name it as well"):
        author.ingest(author.book, "nodes.md")
    author.ingest(author.book, "nodes.md", "topics.md")
    assert "A newer text." in author.texts["topics.md"]
