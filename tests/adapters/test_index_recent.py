"""What was read last is kept, and no more than that."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from glossator.adapters.index.embedded_index import EmbeddedIndex
from glossator.adapters.index.embedded_store import EmbeddedIndexStore
from glossator.adapters.index.shard import LruCache
from support.index_books import asking, meaning, passage, publish, three_chapters, with_states_and_units


def test_what_was_put_is_there_and_nothing_else() -> None:
    kept = LruCache[str, int](3)
    kept.put({"a": 1, "b": 2})
    assert kept.get(["b", "c", "a"]) == {"b": 2, "a": 1}


def test_what_nobody_asked_for_longest_makes_room() -> None:
    kept = LruCache[str, int](3)
    kept.put({"a": 1, "b": 2, "c": 3})
    kept.get(["a"])
    kept.put({"d": 4})
    assert kept.get("abcd") == {"a": 1, "c": 3, "d": 4}


def test_never_more_is_kept_than_there_is_room_for() -> None:
    kept = LruCache[int, int](10)
    kept.put(dict.fromkeys(range(1000), 0))
    assert list(kept.get(range(1000))) == list(range(990, 1000))


def test_many_threads_put_and_get_at_once() -> None:
    kept = LruCache[int, int](50)

    def use(seed: int) -> bool:
        for step in range(2000):
            keys = range((seed + step) % 90, (seed + step) % 90 + 10)
            found = kept.get(keys)
            if any(value != key for key, value in found.items()):
                return False
            kept.put({key: key for key in keys if key not in found})
        return len(kept.get(range(100))) <= 50

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(use, range(8)))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def index(home: Path) -> Iterator[EmbeddedIndex]:
    with closing(EmbeddedIndex(home)) as opened:
        yield opened


def test_a_passage_is_read_from_the_book_once(home: Path, index: EmbeddedIndex) -> None:
    publish(EmbeddedIndexStore(home), three_chapters())
    once, again = (index.search(asking("joints", axis=2)) for _ in range(2))
    assert once == again
    assert all(one.passage is other.passage for one, other in zip(once, again, strict=True))


def test_what_was_read_without_states_has_them_when_they_are_asked_for(
    home: Path, index: EmbeddedIndex
) -> None:
    publish(EmbeddedIndexStore(home), with_states_and_units())
    query = asking("joints", axis=2, limit=4)
    assert all(found.states is None for found in index.search(query))
    assert all(found.states is not None for found in index.search(replace(query, states=True)))


def test_the_passages_of_a_chunk_share_it(home: Path, index: EmbeddedIndex) -> None:
    entries = [(passage("long.md", "A long chunk.", number=number), meaning(number)) for number in range(3)]
    publish(EmbeddedIndexStore(home), entries)
    found = index.search(asking("chunk"))
    assert len(found) == 3
    assert len({id(hit.passage.chunk) for hit in found}) == 1


def test_what_was_read_of_one_edition_is_not_taken_for_the_next(home: Path, index: EmbeddedIndex) -> None:
    for edition in range(3):
        changed = (passage("urdf.md", f"Edition {edition} of joints."), meaning(2))
        publish(EmbeddedIndexStore(home), [*three_chapters()[:2], changed])
        first = index.search(asking("joints", axis=2, limit=1))[0]
        assert first.passage.chunk.text == f"Edition {edition} of joints."


def test_many_threads_find_the_same_in_a_book_that_nobody_has_read_yet(
    home: Path, index: EmbeddedIndex
) -> None:
    publish(EmbeddedIndexStore(home), with_states_and_units())
    query = asking("joints node", axis=2, limit=4, states=True)

    def search(_: int) -> list[tuple[object, bytes]]:
        return [
            (found.passage, b"" if found.states is None else found.states.tobytes())
            for found in index.search(query)
        ]

    with ThreadPoolExecutor(8) as threads:
        first, *others = threads.map(search, range(32))
    assert len(first) == 4
    assert all(other == first for other in others)
