from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from glossator.adapters.lock import ingest_lock
from glossator.answer.retrieve import RankedPassages, retrieve
from glossator.errors import BookNotFound, IngestRunning, NoBookYet, PathOutsideBook
from glossator.ingest.pipeline import IngestTools, ingest
from glossator.ingest.sites import SiteKind, site_of
from glossator.model import Embedding, Filters, IndexQuery, IngestReport, PackedStates
from glossator.testing import (
    MemoryCache,
    MemoryIndex,
    MemoryIndexStore,
    SilentProgress,
    WordEmbedder,
    WordReader,
)
from glossator.text.words import stems

NODES = "# Nodes\n\nA node is a process that computes.\n\n## Executors\n\nAn executor runs callbacks.\n"
TOPICS = "# Topics\n\nA topic carries messages from publishers to subscribers.\n"


class Author:
    """Somebody with a folder of Markdown and an empty index."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.embedder = WordEmbedder()
        self.index_store = MemoryIndexStore()
        self.cache = MemoryCache()
        self.index = MemoryIndex(self.index_store)
        self.language = "english"
        self.write("nodes.md", NODES)
        self.write("topics.md", TOPICS)

    def write(self, page: str, text: str | bytes) -> Path:
        path = self.folder / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def ingest(self, *only: str, path: Path | None = None, replace: bool = True) -> IngestReport:
        root = path or self.folder
        site = site_of(root, kind=SiteKind.PLAIN, base_url=None, route_base=None)
        tools = IngestTools(self.embedder, self.index_store, self.cache, SilentProgress(), self.language)
        return ingest(root, site, tools, only, replace_book=replace)

    def search(self, text: str, filters: Filters | None = None) -> RankedPassages:
        return retrieve(text, self.embedder, WordReader(), self.index, filters=filters)

    @property
    def chunk_ids(self) -> list[str]:
        return sorted(chunk.chunk_id for chunk in self.index.chunks())

    @property
    def text(self) -> str:
        return "\n".join(chunk.text for chunk in self.index.chunks())


@pytest.fixture
def author(tmp_path: Path) -> Author:
    folder = tmp_path / "book"
    folder.mkdir()
    return Author(folder)


def test_a_folder_becomes_a_searchable_book(author: Author):
    report = author.ingest()
    assert (report.pages, report.chunks, report.skipped, report.changed) == (2, 2, (), True)
    best = author.search("what does an executor do?").hits[0]
    assert (best.chunk.chunk_id, best.passage.section.title) == ("nodes.md#0", "Executors")
    assert best.chunk.text == NODES[best.chunk.start : best.chunk.end]


def test_a_second_ingest_of_an_unchanged_book_changes_and_embeds_nothing(author: Author):
    first = author.ingest()
    embedded = len(author.embedder.embedded)
    second = author.ingest()
    assert (second.changed, second.generation, second.embedded) == (False, first.generation, 0)
    assert len(author.embedder.embedded) == embedded


def test_only_the_passages_of_an_edited_page_are_embedded(author: Author):
    author.ingest()
    author.write("topics.md", TOPICS + "\n## Quality of service\n\nBoth ends must agree.\n")
    report = author.ingest()
    assert report.changed
    assert author.embedder.embedded[-report.embedded :] == [
        "Topics > Quality of service\nBoth ends must agree."
    ]


def test_what_is_found_comes_with_its_states_and_units(author: Author):
    author.ingest()
    asked = author.embedder.embed_query("executor")
    best = author.index.search(IndexQuery("executor", asked.vector, states=True))[0]
    [unit] = best.passage.units
    assert NODES[unit.start : unit.end] == "An executor runs callbacks."
    assert best.states is not None
    assert len(best.states) == author.embedder.count_tokens([best.passage.reading])[0]
    one_by_one = author.embedder.embed_query(best.passage.reading, states=True).states
    assert one_by_one is not None
    assert best.states == pytest.approx(PackedStates.of(one_by_one).unpacked())


def test_states_of_an_unchanged_book_come_from_the_cache(author: Author):
    author.ingest()
    embedded = len(author.embedder.embedded)
    author.index_store.serving = None
    assert author.ingest().embedded == 0
    assert len(author.embedder.embedded) == embedded
    found = author.index.search(IndexQuery("", author.embedder.embed_query("node").vector, states=True))
    assert all(hit.states is not None for hit in found)


def test_states_that_the_cache_lost_meanwhile_are_made_again(author: Author):
    author.ingest()
    author.index_store.serving = None
    lost = [key for key in author.cache.values if key.endswith("states")]
    for key in lost:
        del author.cache.values[key]
    author.ingest()
    found = author.index.search(IndexQuery("", author.embedder.embed_query("node").vector, states=True))
    assert lost
    assert all(hit.states is not None for hit in found)


class WithoutStates(WordEmbedder):
    """Like the embedders behind a network."""

    def embed_passages(self, texts: Sequence[str], *, states: bool = False) -> list[Embedding]:
        return super().embed_passages(texts, states=False)


def test_an_embedder_without_states_makes_a_book_without_them(author: Author):
    author.embedder = WithoutStates()
    author.ingest()
    asked = len(author.embedder.embedded)
    found = author.index.search(IndexQuery("", author.embedder.embed_query("node").vector, states=True))
    assert found
    assert all(hit.states is None for hit in found)
    author.index_store.serving = None
    author.ingest()
    assert len(author.embedder.embedded) == asked


def test_the_lexicon_counts_the_passages_of_each_word_by_its_stem(author: Author):
    author.ingest()
    lexicon = author.index.manifest().lexicon
    assert (lexicon.language, lexicon.passages) == ("english", 3)
    counts = {word: lexicon.counts.get(stem) for word, [stem] in stems_of("nodes executors callback rover")}
    assert counts == {"nodes": 2, "executors": 1, "callback": 1, "rover": None}


def test_the_lexicon_follows_an_edited_and_a_removed_page(author: Author):
    author.ingest()
    author.write("nodes.md", "# Nodes\n\nA rover drives.")
    (author.folder / "topics.md").unlink()
    author.ingest()
    lexicon = author.index.manifest().lexicon
    assert lexicon.passages == 1
    assert dict(lexicon.counts) == {stem: 1 for _, [stem] in stems_of("nodes a rover drives")}


def test_another_language_has_other_stems(author: Author):
    author.ingest()
    english = author.index.manifest().lexicon
    author.language = "none"
    author.ingest()
    plain = author.index.manifest().lexicon
    assert "callbacks" in plain.counts
    assert "callbacks" not in english.counts


def stems_of(text: str) -> list[tuple[str, list[str]]]:
    return [(word, stems(word, "english")) for word in text.split()]


def test_a_page_that_moves_keeps_its_vectors(author: Author):
    author.ingest()
    (author.folder / "part").mkdir()
    (author.folder / "nodes.md").rename(author.folder / "part" / "nodes.md")
    report = author.ingest()
    assert (report.embedded, author.chunk_ids) == (0, ["part/nodes.md#0", "topics.md#0"])


def test_a_removed_page_leaves_nothing_behind(author: Author):
    author.ingest()
    (author.folder / "nodes.md").unlink()
    report = author.ingest()
    assert (report.removed, author.chunk_ids) == (1, ["topics.md#0"])
    assert "executor" not in author.text
    author.write("topics.md", f"{TOPICS}\nAnd more.\n")
    author.ingest()
    # The generation before is kept for a rollback, and its pages with it; now it is another one.
    assert not any(b"executor" in value for value in author.cache.values.values())


def test_a_shrunken_page_leaves_nothing_behind(author: Author):
    author.write(
        "long.md", "# Long\n\n" + "\n\n".join(f"Paragraph {n} says little. " * 20 for n in range(40))
    )
    author.ingest()
    assert len(author.chunk_ids) > 4
    author.write("long.md", "# Long\n\nNo more.")
    author.ingest()
    assert author.chunk_ids == ["long.md#0", "nodes.md#0", "topics.md#0"]


def test_naming_pages_reads_just_those_again(author: Author):
    author.ingest()
    author.write("topics.md", "# Topics\n\nChanged.")
    author.write("nodes.md", "# Nodes\n\nChanged too, but not named.")
    author.write("new.md", "# New\n\nNever named.")
    author.ingest("topics.md")
    assert author.chunk_ids == ["nodes.md#0", "topics.md#0"]
    assert "Changed." in author.text
    assert "not named" not in author.text


def test_a_named_page_that_is_gone_is_removed(author: Author):
    author.ingest()
    (author.folder / "topics.md").unlink()
    author.ingest("topics.md")
    assert author.chunk_ids == ["nodes.md#0"]


def test_named_pages_that_were_kept_are_read_again_when_the_cache_is_lost(author: Author):
    author.ingest()
    author.cache.values.clear()
    author.write("topics.md", "# Topics\n\nChanged.")
    author.ingest("topics.md")
    assert author.chunk_ids == ["nodes.md#0", "topics.md#0"]


@pytest.mark.parametrize("page", ["../secret.md", "/etc/passwd", "a/../../secret.md"])
def test_a_named_page_outside_the_book_is_refused(author: Author, page: str):
    author.ingest()
    (author.folder.parent / "secret.md").write_text("secret")
    with pytest.raises(PathOutsideBook):
        author.ingest(page)


def test_a_named_page_that_is_none_is_said(author: Author):
    author.ingest()
    with pytest.raises(BookNotFound, match=r"absent\.md"):
        author.ingest("absent.md")


def test_naming_pages_of_a_book_that_was_never_ingested_is_an_error(author: Author):
    with pytest.raises(NoBookYet):
        author.ingest("nodes.md")


def test_a_single_page_is_a_book(author: Author):
    report = author.ingest(path=author.folder / "nodes.md")
    assert (report.pages, author.chunk_ids) == (1, ["nodes.md#0"])


def test_a_folder_without_pages_is_an_error_and_the_old_book_stays(author: Author, tmp_path: Path):
    author.ingest()
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(BookNotFound):
        author.ingest(path=empty)
    with pytest.raises(BookNotFound):
        author.ingest(path=tmp_path / "nowhere")
    assert author.chunk_ids == ["nodes.md#0", "topics.md#0"]


def link_out(folder: Path) -> str:
    (folder.parent / "secret.md").write_text("# Secret")
    (folder / "out.md").symlink_to(folder.parent / "secret.md")
    return "out.md is a link that leads out of the book"


def link_loop(folder: Path) -> str:
    (folder / "loop").symlink_to(folder)
    return "loop is a link that goes in a circle"


def link_circle(folder: Path) -> str:
    (folder / "a.md").symlink_to(folder / "b.md")
    (folder / "b.md").symlink_to(folder / "a.md")
    return "a.md is a link that goes in a circle"


def link_nowhere(folder: Path) -> str:
    (folder / "gone.md").symlink_to(folder / "absent.md")
    return "gone.md is a link that leads nowhere"


def not_utf8(folder: Path) -> str:
    (folder / "latin.md").write_bytes("# Überraschung".encode("latin-1"))
    return "latin.md is not UTF-8 (byte 2)"


def a_pipe(folder: Path) -> str:
    os.mkfifo(folder / "pipe.md")
    return "pipe.md is not a regular file"


@pytest.mark.parametrize("spoil", [link_out, link_loop, link_circle, link_nowhere, not_utf8, a_pipe])
def test_a_page_that_cannot_be_read_is_named_and_the_rest_is_ingested(
    author: Author, spoil: Callable[[Path], str]
):
    reason = spoil(author.folder)
    report = author.ingest()
    assert reason in [f"{skip.page} {skip.reason}" for skip in report.skipped]
    assert author.chunk_ids == ["nodes.md#0", "topics.md#0"]


def test_a_link_inside_the_book_is_a_page_of_its_own(author: Author):
    (author.folder / "again.md").symlink_to(author.folder / "nodes.md")
    assert author.ingest().pages == 3
    hits = author.search("executor").hits
    assert len({hit.chunk.content_hash for hit in hits}) == len(hits)


def test_a_byte_order_mark_is_not_part_of_the_text(author: Author):
    author.write("nodes.md", b"\xef\xbb\xbf" + NODES.encode())
    author.ingest()
    [chunk] = [chunk for chunk in author.index.chunks() if chunk.page == "nodes.md"]
    assert (chunk.start, chunk.text[:7]) == (0, "# Nodes")


def test_two_pages_of_one_name_do_not_collide(author: Author):
    author.write("a/index.md", "# First\n\nOne.")
    author.write("b/index.md", "# Second\n\nTwo.")
    author.ingest()
    assert {"a/index.md#0", "b/index.md#0"} <= set(author.chunk_ids)


def test_filters_narrow_the_search(author: Author):
    author.ingest()
    only = Filters(page=("topics.md",))
    hits = author.search("a node or a topic", only).hits
    assert {hit.chunk.page for hit in hits} == {"topics.md"}


def test_a_second_ingest_at_once_is_told_who_holds_the_lock(tmp_path: Path):
    second = ingest_lock(tmp_path)
    with ingest_lock(tmp_path), pytest.raises(IngestRunning, match=f"process {os.getpid()} on "):
        second.__enter__()
    with ingest_lock(tmp_path):
        pass


@pytest.mark.parametrize(
    ("config", "text", "title"),
    [
        ("docusaurus.config.js", "module.exports = {title: 'Robots', url: 'https://x.example', baseUrl: '/'}", "Robots"),
        ("book.toml", '[book]\ntitle = "Robots"\nsrc = "docs"\n', "Robots"),
        ("mkdocs.yml", "site_name: Robots\n", "Robots"),
        ("conf.py", "project = 'Robots'\nextensions = ['myst_parser']\n", "Robots"),
        ("README.md", "# All of it\n", "All of it"),
        ("SUMMARY.md", "# The *robots*\n\n[Page](docs/page.md)\n", "The robots"),
        ("SUMMARY.md", "# Summary\n\n[Page](docs/page.md)\n", "My own book"),
        ("notes.md", "# Notes\n", "My own book"),
    ],
)  # fmt: skip
def test_the_title_of_a_book_is_its_sites_and_no_reader_sees_the_name_of_a_folder(
    tmp_path: Path, config: str, text: str, title: str
) -> None:
    book = tmp_path / "my-own-book"
    (book / "docs").mkdir(parents=True)
    (book / "docs" / "page.md").write_text("# Page\n\nWords.\n")
    (book / config).write_text(text)
    for given, shown in ((None, title), ("Given", "Given")):
        store = MemoryIndexStore()
        tools = IngestTools(WordEmbedder(), store, MemoryCache(), SilentProgress())
        ingest(book, site_of(book, title=given), tools)
        assert MemoryIndex(store).manifest().book == shown


def test_another_title_makes_another_generation(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("# Page\n\nWords.\n")
    store = MemoryIndexStore()
    tools = IngestTools(WordEmbedder(), store, MemoryCache(), SilentProgress())
    ingest(tmp_path, site_of(tmp_path, title="One"), tools)
    assert not ingest(tmp_path, site_of(tmp_path, title="One"), tools).changed
    assert ingest(tmp_path, site_of(tmp_path, title="Two"), tools).changed


class InterruptedEmbedder(WordEmbedder):
    """Something happens while it counts the tokens of a page."""

    def __init__(self, interruption: Callable[[], object]) -> None:
        super().__init__()
        self._interruptions = iter([interruption])

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        for interruption in self._interruptions:
            interruption()
        return super().count_tokens(texts)


def test_what_another_machine_publishes_meanwhile_is_not_undone(author: Author, tmp_path: Path) -> None:
    author.ingest()
    other = Author(tmp_path / "other machine")
    other.index_store = author.index_store
    author.write("topics.md", TOPICS + "\nTopics have names.\n")
    other.write("nodes.md", NODES + "\nNodes have names.\n")
    author.embedder = InterruptedEmbedder(lambda: other.ingest("nodes.md"))
    with pytest.raises(IngestRunning, match="generation 2 meanwhile") as raised:
        author.ingest("topics.md")
    assert raised.value.retryable
    assert "Nodes have names." in author.text
    assert "Topics have names." not in author.text
