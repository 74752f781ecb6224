"""What was worked out before is still there, whatever happens to the file."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from glossator.adapters.index.cache import SqliteCache
from glossator.errors import DiskFull, IndexFault
from glossator.ports import Cache
from glossator.testing import MemoryCache


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "home" / "cache.sqlite"


@pytest.fixture(params=["file", "memory"])
def cache(request: pytest.FixtureRequest, file: Path) -> Cache:
    return SqliteCache(file) if request.param == "file" else MemoryCache()


def test_what_is_put_is_found_again_by_another(file: Path) -> None:
    SqliteCache(file).put({"a": b"1", "b": b"\x00\xff"})
    assert SqliteCache(file).get(["a", "b", "c"]) == {"a": b"1", "b": b"\x00\xff"}


def test_before_anything_is_put_nothing_is_found(cache: Cache) -> None:
    assert cache.get(["a"]) == {}
    assert cache.get([]) == {}


def test_a_second_value_replaces_the_first(cache: Cache) -> None:
    cache.put({"a": b"1"})
    cache.put({"a": b"2"})
    assert cache.get(["a"]) == {"a": b"2"}


def test_thousands_of_keys_are_asked_for_at_once(cache: Cache) -> None:
    values = {f"key-{number}": str(number).encode() for number in range(5000)}
    cache.put(values)
    assert cache.get(list(values)) == values


def test_only_what_is_wanted_is_kept(cache: Cache) -> None:
    cache.put({"a": b"1", "b": b"2"})
    cache.keep_only(["b", "b", "unknown"])
    assert cache.get(["a", "b", "unknown"]) == {"b": b"2"}


def test_only_what_is_wanted_is_kept_and_the_file_shrinks(file: Path) -> None:
    cache = SqliteCache(file)
    cache.put({f"key-{number}": os.urandom(1536) for number in range(5000)})
    before = file.stat().st_size
    cache.keep_only(["key-7", "key-7", "unknown"])
    assert list(cache.get([f"key-{number}" for number in range(5000)])) == ["key-7"]
    assert file.stat().st_size < before / 10


def test_what_was_put_before_a_kill_is_still_there(file: Path) -> None:
    script = (
        "import os, sys, pathlib\n"
        "from glossator.adapters.index.cache import SqliteCache\n"
        "SqliteCache(pathlib.Path(sys.argv[1])).put({'a': b'1'})\n"
        "os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", script, str(file)], check=False)
    assert SqliteCache(file).get(["a"]) == {"a": b"1"}


def test_several_threads_put_and_get_at_once(file: Path) -> None:
    cache = SqliteCache(file)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda number: cache.put({str(number): b"x"}), range(40)))
    assert len(cache.get([str(number) for number in range(40)])) == 40


@pytest.mark.parametrize("content", [b"not a database at all, and longer than its header is" * 100, b"short"])
def test_a_file_that_is_no_database_is_put_aside(
    file: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    file.parent.mkdir()
    file.write_bytes(content)
    cache = SqliteCache(file)
    with caplog.at_level(logging.WARNING):
        assert cache.get(["a"]) == {}
    assert "damaged" in caplog.text
    assert file.with_suffix(".damaged").read_bytes() == content
    cache.put({"a": b"1"})
    assert cache.get(["a"]) == {"a": b"1"}


def test_a_database_damaged_in_the_middle_is_put_aside(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = SqliteCache(file)
    cache.put({f"key-{number}": os.urandom(1536) for number in range(500)})
    with file.open("r+b") as opened:
        opened.seek(4096)
        opened.write(os.urandom(file.stat().st_size - 4096))
    with caplog.at_level(logging.WARNING):
        cache.put({"a": b"1"})
        assert cache.get(["a", "key-7"]) == {"a": b"1"}
    assert "damaged" in caplog.text


def test_a_full_disk_is_said(tiny_disk: Path) -> None:
    cache = SqliteCache(tiny_disk / "cache.sqlite")
    cache.put({"a": b"1"})
    with pytest.raises(DiskFull):
        cache.put({"b": os.urandom(400 * 2**20)})
    assert cache.get(["a"]) == {"a": b"1"}


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file where the folder should be")
    with pytest.raises(IndexFault, match="home"):
        SqliteCache(tmp_path / "home" / "cache.sqlite").put({"a": b"1"})
