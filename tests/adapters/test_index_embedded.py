"""What the index in a folder promises beyond the contract: processes, crashes, disks."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from glossator.adapters.index.embedded_index import EmbeddedIndex
from glossator.adapters.index.embedded_store import EmbeddedIndexStore
from glossator.errors import DiskFull, IndexFault, NoBookYet
from glossator.ports import Index
from support.index_books import (
    TOY,
    asking,
    fill,
    meaning,
    numbered_book,
    pages,
    passage,
    publish,
    three_chapters,
    with_states_and_units,
)
from support.index_process import another_process, first_line

MEGABYTE = 2**20
LONG = "".join(f"word{number} " for number in range(20_000))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def index(home: Path) -> Iterator[EmbeddedIndex]:
    with closing(EmbeddedIndex(home)) as opened:
        yield opened


def test_several_processes_read_the_same_book_at_once(home: Path, index: Index) -> None:
    publish(EmbeddedIndexStore(home), three_chapters())
    with ExitStack() as started:
        readers = [started.enter_context(another_process("read", home)) for _ in range(3)]
        assert [first_line(reader) for reader in readers] == ["urdf.md"] * 3
        assert pages(index, asking("joints", axis=2))[0] == "urdf.md"


def test_reading_leaves_the_generation_as_it_was(home: Path) -> None:
    publish(EmbeddedIndexStore(home), numbered_book(300, "robot") + three_chapters())
    before = fingerprints(home / "generations")
    with closing(EmbeddedIndex(home)) as index:
        pages(index, asking("joints", axis=2))
    with another_process("read", home) as reader:
        first_line(reader)
        reader.kill()
    assert fingerprints(home / "generations") == before


def test_nor_does_it_change_one_from_which_pages_were_removed(home: Path) -> None:
    publish(EmbeddedIndexStore(home), numbered_book(300, "robot") + three_chapters())
    publish(EmbeddedIndexStore(home), three_chapters())
    before = fingerprints(home / "generations")
    for _ in range(2):
        with closing(EmbeddedIndex(home)) as index:
            assert pages(index, asking("joints", axis=2))[0] == "urdf.md"
    assert fingerprints(home / "generations") == before


def test_the_copy_of_a_killed_reader_is_removed_by_the_next(home: Path, index: EmbeddedIndex) -> None:
    publish(EmbeddedIndexStore(home), three_chapters())
    with another_process("read", home) as killed, another_process("read", home) as living:
        first_line(killed)
        first_line(living)
        killed.kill()
        killed.wait()
        index.manifest()
        assert owners(home) == {living.pid, os.getpid()}
    index.close()
    publish(EmbeddedIndexStore(home), three_chapters())
    assert owners(home) == set()


def test_closing_an_index_leaves_no_copy_behind(home: Path, index: EmbeddedIndex) -> None:
    publish(EmbeddedIndexStore(home), three_chapters())
    index.manifest()
    assert owners(home) == {os.getpid()}
    index.close()
    assert owners(home) == set()


def test_a_closed_index_opens_again_when_it_is_asked_again(home: Path, index: EmbeddedIndex) -> None:
    publish(EmbeddedIndexStore(home), three_chapters())
    index.manifest()
    index.close()
    assert pages(index, asking("joints", axis=2))[0] == "urdf.md"


def test_a_killed_build_leaves_the_old_book_serving(home: Path, index: Index) -> None:
    old = publish(EmbeddedIndexStore(home), three_chapters())
    with another_process("build", home) as builder:
        assert first_line(builder) == "2"
        builder.kill()
        builder.wait()
    assert index.manifest() == old
    assert pages(index, asking("joints", axis=2))[0] == "urdf.md"
    publish(EmbeddedIndexStore(home), numbered_book(3, "robot"))
    assert sorted(path.name for path in (home / "generations").iterdir()) == ["1", "2"]


def test_a_build_in_another_process_is_followed(home: Path, index: Index) -> None:
    publish(EmbeddedIndexStore(home), three_chapters())
    assert index.manifest().generation == 1
    with another_process("build", home) as builder:
        first_line(builder)
        builder.communicate()
    assert index.manifest().generation == 2
    assert len(pages(index, asking("robot"))) == 20


def test_a_listing_that_was_begun_stays_within_its_generation(home: Path, index: EmbeddedIndex) -> None:
    publish(EmbeddedIndexStore(home), numbered_book(600, "old"))
    listing = index.chunks()
    next(listing)
    publish(EmbeddedIndexStore(home), numbered_book(3, "new"))
    assert index.manifest().chunks == 3
    assert sum(1 for _ in listing) == 599
    assert len(owners(home)) == 1


def test_of_the_old_generations_only_the_one_before_is_kept(home: Path) -> None:
    for _ in range(4):
        publish(EmbeddedIndexStore(home), three_chapters())
    assert sorted(path.name for path in (home / "generations").iterdir()) == ["3", "4"]


def test_a_damaged_generation_is_not_gone_back_to(home: Path, index: Index) -> None:
    publish(EmbeddedIndexStore(home), three_chapters())
    new = publish(EmbeddedIndexStore(home), numbered_book(3, "robot"))
    next((home / "generations" / "1").rglob("*id_tracker.mappings")).unlink()
    with pytest.raises(IndexFault):
        EmbeddedIndexStore(home).roll_back()
    assert index.manifest() == new


def test_a_home_that_was_emptied_has_no_book(home: Path, index: Index) -> None:
    publish(EmbeddedIndexStore(home), three_chapters())
    index.manifest()
    shutil.rmtree(home)
    with pytest.raises(NoBookYet):
        index.manifest()
    publish(EmbeddedIndexStore(home), numbered_book(3, "robot"))
    assert index.manifest().chunks == 3


def test_where_hard_links_are_impossible_readers_copy(home: Path, index: Index, elsewhere: Path) -> None:
    publish(EmbeddedIndexStore(home), three_chapters())
    shutil.rmtree(home / "readers")
    (home / "readers").symlink_to(elsewhere)
    assert pages(index, asking("joints", axis=2))[0] == "urdf.md"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Path]:
    places = [place for place in (Path("/dev/shm"), Path("/var/tmp")) if place.is_dir()]
    others = [place for place in places if place.stat().st_dev != tmp_path.stat().st_dev]
    if not others:
        pytest.skip("this machine has no second file system to write to")
    folder = others[0] / f"glossator-test-{os.getpid()}"
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)


def test_a_disk_too_small_to_begin_is_said_before_anything_is_written(home: Path) -> None:
    index_store = EmbeddedIndexStore(home, free_space=lambda _: 10 * MEGABYTE)
    with pytest.raises(DiskFull, match="64 MB are needed and 10 MB are free"):
        publish(index_store, three_chapters())
    assert not list((home / "generations").iterdir())


def test_a_disk_that_fills_up_while_adding_leaves_the_old_book_serving(home: Path, index: Index) -> None:
    old = publish(EmbeddedIndexStore(home), three_chapters())
    free = iter([1000 * MEGABYTE] * 3 + [64 * MEGABYTE] * 100)
    index_store = EmbeddedIndexStore(home, free_space=lambda _: next(free))
    with pytest.raises(DiskFull, match="The old book still serves"):
        publish(index_store, numbered_book(2000, "robot"))
    assert index.manifest() == old
    assert [path.name for path in (home / "generations").iterdir()] == ["1"]


def test_a_disk_too_small_for_the_graph_leaves_the_old_book_serving(home: Path, index: Index) -> None:
    old = publish(EmbeddedIndexStore(home), three_chapters())
    free = iter([1000 * MEGABYTE] * 2 + [64 * MEGABYTE])
    index_store = EmbeddedIndexStore(home, free_space=lambda _: next(free))
    with pytest.raises(DiskFull):
        publish(index_store, numbered_book(3, "robot"))
    assert index.manifest() == old


def test_on_a_disk_that_really_is_full_the_old_book_still_serves(tiny_disk: Path) -> None:
    old = publish(EmbeddedIndexStore(tiny_disk), three_chapters())
    with pytest.raises(DiskFull):
        publish(EmbeddedIndexStore(tiny_disk), [(passage(f"{n}.md", LONG), meaning(n)) for n in range(2000)])
    with closing(EmbeddedIndex(tiny_disk)) as index:
        assert index.manifest() == old
        assert pages(index, asking("joints", axis=2))[0] == "urdf.md"


def test_what_the_disk_says_while_building_becomes_a_reason_of_ours(home: Path) -> None:
    def broken(_: Path) -> int:
        raise OSError(errno.EIO, "Input/output error")

    with pytest.raises(IndexFault, match="Input/output error"):
        publish(EmbeddedIndexStore(home, free_space=broken), three_chapters())


Damage = Callable[[Path], None]


def remove_the_manifest(home: Path) -> None:
    (home / "generations" / "1" / "manifest.json").unlink()


def cut_the_manifest_short(home: Path) -> None:
    manifest = home / "generations" / "1" / "manifest.json"
    os.truncate(manifest, manifest.stat().st_size // 2)


def remove_the_ids(home: Path) -> None:
    next((home / "generations").rglob("*id_tracker.mappings")).unlink()


def cut_the_vectors_short(home: Path) -> None:
    os.truncate(next((home / "generations").rglob("chunk_0.mmap")), 100)


def states_file(home: Path) -> Path:
    return home / "generations" / "1" / "shard" / "states" / "1"


def remove_the_states(home: Path) -> None:
    states_file(home).unlink()


def cut_the_states_short(home: Path) -> None:
    os.truncate(states_file(home), 100)


def garble_a_segment(home: Path) -> None:
    segment = next((home / "generations").rglob("segment.json"))
    segment.write_bytes(b"x" * segment.stat().st_size)


def remove_the_generation(home: Path) -> None:
    shutil.rmtree(home / "generations" / "1")


def write_nonsense_into_the_pointer(home: Path) -> None:
    (home / "CURRENT").write_bytes(b"\xff\xfe seven")


def empty_the_pointer(home: Path) -> None:
    (home / "CURRENT").write_bytes(b"")


DAMAGES = [
    remove_the_manifest,
    cut_the_manifest_short,
    remove_the_ids,
    cut_the_vectors_short,
    remove_the_states,
    cut_the_states_short,
    garble_a_segment,
    remove_the_generation,
    write_nonsense_into_the_pointer,
    empty_the_pointer,
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_index_says_what_to_do_and_the_next_ingest_mends_it(
    home: Path, index: Index, damage: Damage
) -> None:
    publish(EmbeddedIndexStore(home), with_states_and_units())
    damage(home)
    with pytest.raises(IndexFault, match="run `glossator ingest PATH`"):
        index.search(asking("joints", axis=2))
    assert not EmbeddedIndexStore(home).is_whole()
    assert owners(home) == set()
    publish(EmbeddedIndexStore(home), with_states_and_units())
    assert pages(index, asking("joints", axis=2))[0] == "urdf.md"


def test_a_generation_with_a_changed_byte_is_named_and_not_served(home: Path) -> None:
    publish(EmbeddedIndexStore(home), numbered_book(300, "robot") + three_chapters())
    shard = home / "generations" / "1" / "shard"
    largest = max(filter(Path.is_file, shard.rglob("*")), key=lambda path: path.stat().st_blocks)
    content = bytearray(largest.read_bytes())
    place = next(place for place, byte in enumerate(content) if byte)
    content[place] ^= 1
    largest.write_bytes(content)
    with closing(EmbeddedIndex(home)) as index, pytest.raises(IndexFault, match="Generation 1 "):
        index.manifest()
    assert not EmbeddedIndexStore(home).is_whole(), "so that the next ingest builds it anew"
    publish(EmbeddedIndexStore(home), three_chapters())
    with closing(EmbeddedIndex(home)) as index:
        assert pages(index, asking("joints", axis=2))[0] == "urdf.md"


def test_states_of_unchanged_passages_are_not_written_again(home: Path) -> None:
    publish(EmbeddedIndexStore(home), with_states_and_units())
    before = states_file(home).stat()
    publish(EmbeddedIndexStore(home), with_states_and_units(changed=1))
    folder = home / "generations" / "2" / "shard" / "states"
    assert (folder / "1").stat().st_ino == before.st_ino
    assert (folder / "2").stat().st_size < before.st_size / 2


def test_states_that_nobody_needs_any_more_do_not_pile_up(home: Path, index: Index) -> None:
    publish(EmbeddedIndexStore(home), with_states_and_units())
    whole = states_file(home).stat().st_size
    for edition in range(1, 20):
        publish(EmbeddedIndexStore(home), with_states_and_units(changed=edition))
        kept = [path.stat() for path in home.rglob("states/*") if "generations" in path.parts]
        # Two generations are kept, which share files.
        assert sum({status.st_ino: status.st_size for status in kept}.values()) <= 4 * whole
    found = index.search(asking("joints", axis=2, limit=4, states=True))
    assert all(hit.states is not None for hit in found)


def test_states_are_read_to_the_end_from_a_generation_that_was_replaced(home: Path) -> None:
    publish(EmbeddedIndexStore(home), with_states_and_units())
    with closing(EmbeddedIndex(home)) as index:
        listing = index.chunks()
        next(listing)
        before = index.search(asking("joints", axis=2, states=True))
        publish(EmbeddedIndexStore(home), numbered_book(3, "robot"))
        assert len(list(listing)) == 3
        assert all(hit.states is not None for hit in before)
        assert float(sum(hit.states.sum() for hit in before if hit.states is not None)) != 0


def test_a_vector_of_the_wrong_length_is_refused(home: Path) -> None:
    with (
        EmbeddedIndexStore(home).build(TOY, "english") as generation,
        pytest.raises(IndexFault, match="dimension"),
    ):
        fill(generation, [(passage("short.md", "Short."), meaning(0)[:8])])


def test_a_folder_that_cannot_be_written_is_named(home: Path) -> None:
    home.parent.mkdir(exist_ok=True)
    home.write_text("a file where the folder should be")
    with pytest.raises(IndexFault, match=str(home)):
        publish(EmbeddedIndexStore(home), three_chapters())


def owners(home: Path) -> set[int]:
    """The processes that have a copy of the book."""
    readers = home / "readers"
    folders = [path for path in readers.iterdir() if path.is_dir()] if readers.is_dir() else []
    return {int(path.name.split("-")[0]) for path in folders}


def fingerprints(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
