"""Private copies of a finished shard, one a reader.

The engine locks the folder it opens, so no two readers can share one. A clone is made of hard
links: it costs no space, leaves the original as it was, and outlives it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_LOCK = "lock"
_REWRITTEN_ON_LOADING = ("edge_config.json", "mutable_id_tracker.mappings", "mutable_id_tracker.versions")
"""In place, where points were deleted: through a link the generation itself would change."""
_MADE_BY_EACH_READER = ("temp_segments",)


@dataclass(frozen=True, slots=True)
class Clone:
    folder: Path
    lock: int
    """A file descriptor; the system lets go of the lock when the process dies."""

    @property
    def shard(self) -> Path:
        return self.folder / "shard"

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self.lock)


def clone(shard: Path, readers: Path) -> Clone:
    """Raises FileNotFoundError when the shard is removed meanwhile."""
    made = _claim_folder(readers)
    try:
        link_folder(shard, made.shard, without=_MADE_BY_EACH_READER, put=_put)
    except OSError:
        made.remove()
        raise
    return made


def _claim_folder(readers: Path) -> Clone:
    folder = readers / f"{os.getpid()}-{secrets.token_hex(4)}"
    readers.mkdir(parents=True, exist_ok=True)
    with _register(readers):
        folder.mkdir()
        descriptor = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR, 0o644)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    return Clone(folder, descriptor)


@contextmanager
def _register(readers: Path) -> Generator[None]:
    """Nobody sweeps between the making of a folder and the locking of it."""
    descriptor = os.open(readers / _LOCK, os.O_CREAT | os.O_RDWR, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _put(source: Path, target: Path) -> None:
    if source.name in _REWRITTEN_ON_LOADING:
        shutil.copy2(source, target)
    else:
        link(source, target)


def sweep(readers: Path) -> None:
    """Remove the clones of readers that are no more."""
    if not readers.is_dir():
        return
    with _register(readers):
        for folder in filter(Path.is_dir, readers.iterdir()):
            # Its reader may be removing it at this very moment.
            with suppress(FileNotFoundError):
                _remove_if_abandoned(folder)


def _remove_if_abandoned(folder: Path) -> None:
    lock = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    except BlockingIOError:
        return
    finally:
        os.close(lock)


# Second names for files that never change.

Put = Callable[[Path, Path], object]


def link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise
    except OSError:
        # Some file systems have no hard links, and some allow only so many of them.
        shutil.copy2(source, target)


def link_folder(source: Path, target: Path, *, without: tuple[str, ...] = (), put: Put = link) -> None:
    """Every file in it and below; `put` may do otherwise with some."""
    target.mkdir()
    for entry in source.iterdir():
        if entry.name in without:
            continue
        if entry.is_dir():
            link_folder(entry, target / entry.name, without=without, put=put)
        else:
            put(entry, target / entry.name)


# Copies of a shard. The engine's files are mostly holes: written out, a small book would weigh 150 MB.


def copy_tree(source: Path, target: Path, *, linked: str) -> None:
    """What stands in the folder `linked` never changes, and gets a second name only."""

    def left_out(folder: str, _: list[str]) -> list[str]:
        return [linked] if Path(folder) == source else []

    shutil.copytree(source, target, ignore=left_out, copy_function=_copy_file, dirs_exist_ok=True)
    if (source / linked).is_dir():
        link_folder(source / linked, target / linked)


def _copy_file(source: str, target: str) -> str:
    with open(source, "rb") as reading, open(target, "wb") as writing:
        size = os.fstat(reading.fileno()).st_size
        os.ftruncate(writing.fileno(), size)
        for start, end in written_parts(reading.fileno(), size):
            os.lseek(reading.fileno(), start, os.SEEK_SET)
            os.lseek(writing.fileno(), start, os.SEEK_SET)
            _copy_bytes(reading.fileno(), writing.fileno(), end - start)
    return target


def written_parts(file: int, size: int) -> Iterator[tuple[int, int]]:
    """From where to where a file is no hole."""
    end = 0
    while end < size:
        try:
            start = os.lseek(file, end, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:
                return
            raise
        end = os.lseek(file, start, os.SEEK_HOLE)
        yield start, end


def _copy_bytes(reading: int, writing: int, size: int) -> None:
    while size > 0:
        block = os.read(reading, min(size, 1 << 20))
        os.write(writing, block)
        size -= len(block)
