"""What only a large book shows, in the embedded index: one for which the engine builds a graph."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from glossator.adapters.index.embedded_index import EmbeddedIndex
from glossator.adapters.index.embedded_store import EmbeddedIndexStore
from glossator.errors import IndexFault
from glossator.model import EmbedderIdentity, IndexQuery
from support.index_books import Entry, manifest_of, passage, publish, put

WIDE = EmbedderIdentity(name="wide", dimension=4096, window=256, fingerprint="wide-1")
"""The engine builds a graph from 10 MB of vectors on: wide ones make a small book a large one."""
PASSAGES = 800


def large_book(edition: int, passages: int = PASSAGES) -> list[Entry]:
    vectors = np.random.default_rng(1).normal(size=(passages, WIDE.dimension)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    texts = [f"robot number {number}" for number in range(passages)]
    texts[edition] = f"robot of edition {edition}"
    return [(passage(f"page-{number}.md", texts[number]), vectors[number]) for number in range(passages)]


def edit(home: Path, book: Sequence[Entry], edition: int) -> None:
    """Only the pages that differ from the edition before are put."""
    with EmbeddedIndexStore(home).build(WIDE, "english") as generation:
        put(generation, book[edition - 1 : edition + 1])
        generation.publish(manifest_of(generation.number, book, WIDE))


def files(home: Path, generation: int) -> dict[int, int]:
    """The bytes on disk of the files of a generation, by inode."""
    shard = home / "generations" / str(generation) / "shard"
    found = [path.stat() for path in shard.rglob("*") if path.is_file()]
    return {status.st_ino: 512 * status.st_blocks for status in found}


def contents(home: Path, generation: int) -> dict[Path, str]:
    folder = home / "generations" / str(generation)
    paths = filter(Path.is_file, folder.rglob("*"))
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


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


def test_a_book_of_several_segments_is_found_and_edited_as_one(home: Path) -> None:
    store = EmbeddedIndexStore(home, segment_passages=PASSAGES)
    publish(store, large_book(0, 2 * PASSAGES + 100), WIDE)
    segments_with_graph = [*home.rglob("id_tracker.versions")]
    assert len(segments_with_graph) == 2
    book = large_book(1, 2 * PASSAGES + 100)
    edit(home, book, 1)
    with closing(EmbeddedIndex(home)) as index:
        for number in (0, 1, PASSAGES, 2 * PASSAGES, len(book) - 1):
            entry, vector = book[number]
            found = index.search(IndexQuery(entry.chunk.text, np.asarray(vector)))
            assert found[0].passage.chunk.text == entry.chunk.text
        assert {chunk.text for chunk in index.chunks()} == {entry.chunk.text for entry, _ in book}


@pytest.fixture
def home_on_disk() -> Iterator[Path]:
    """In memory, where tests usually write, the holes of a file take as much room as what is in it."""
    with tempfile.TemporaryDirectory(prefix="glossator-test-", dir="/var/tmp") as folder:
        yield Path(folder) / "home"


def test_an_edit_writes_little_and_leaves_the_generation_before_as_it_was(home_on_disk: Path) -> None:
    home = home_on_disk
    publish(EmbeddedIndexStore(home), large_book(0), WIDE)
    for edition in range(1, 4):
        content = contents(home, edition)
        edit(home, large_book(edition), edition)
        before, now = files(home, edition), files(home, edition + 1)
        written = sum(size for inode, size in now.items() if inode not in before)
        assert written < sum(now.values()) / 4
        assert contents(home, edition) == content
        with closing(EmbeddedIndex(home)) as index:
            texts = {chunk.text for chunk in index.chunks()}
        assert texts == {entry.chunk.text for entry, _ in large_book(edition)}
    EmbeddedIndexStore(home).roll_back()
    assert EmbeddedIndexStore(home).is_whole()


def test_a_reader_that_follows_an_edit_opens_few_files_again(home: Path) -> None:
    publish(EmbeddedIndexStore(home), large_book(0), WIDE)
    with closing(EmbeddedIndex(home)) as index:
        index.manifest()
        edit(home, large_book(1), 1)
        vectors = next((home / "generations" / "2").rglob("matrix.dat"))
        damage(vectors)
        assert index.manifest().generation == 2, "it has read the vectors before"
        assert index.search(IndexQuery("edition 1", np.asarray(large_book(1)[1][1])))


def damage(file: Path) -> None:
    """Changes a byte as a bad disk does, without a trace in the file's times."""
    status = file.stat()
    with file.open("r+b") as opened:
        opened.seek(status.st_size // 2)
        byte = opened.read(1)
        opened.seek(status.st_size // 2)
        opened.write(bytes([byte[0] ^ 1]))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def test_damage_that_an_edit_does_not_see_is_found_by_a_reader_and_mended(home: Path) -> None:
    publish(EmbeddedIndexStore(home), large_book(0), WIDE)
    damage(next((home / "generations" / "1").rglob("matrix.dat")))
    edit(home, large_book(1), 1)
    with (
        closing(EmbeddedIndex(home)) as index,
        pytest.raises(IndexFault, match="run `glossator ingest PATH`"),
    ):
        index.manifest()
    store = EmbeddedIndexStore(home)
    assert not store.is_whole(), "so an ingest of the same book builds it anew"
    publish(store, large_book(1), WIDE)
    with closing(EmbeddedIndex(home)) as index:
        assert index.manifest().generation == 3
