"""Copies of a shard: clones for readers, made of hard links, and full copies for the next build.

The engine locks the folder it opens, so every reader needs a clone of its own. Hard links cost no
space, leave the original as it was, and outlive it.
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
_REWRITTEN_ON_LOADING = (
    "edge_config.json",
    "mutable_id_tracker.mappings",
    "mutable_id_tracker.versions",
    # Of segments with a graph, which only a large book has.
    "id_tracker.deleted",
    "id_tracker.mappings",
    "id_tracker.versions",
)
"""Copied: the engine rewrites them in place where points were deleted, and a link would pass that on."""
_MADE_BY_EACH_READER = ("temp_segments",)


@dataclass(frozen=True, slots=True)
class Clone:
    folder: Path
    lock: int
    """A file descriptor; the operating system releases the lock when the process dies."""

    @property
    def shard(self) -> Path:
        return self.folder / "shard"

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self.lock)


def clone(shard: Path, readers: Path) -> Clone:
    """Raises FileNotFoundError when the shard is removed meanwhile."""
    copy = _claim_folder(readers)
    try:
        link_folder(shard, copy.shard, exclude=_MADE_BY_EACH_READER, place_file=_link_or_copy)
    except OSError:
        copy.remove()
        raise
    return copy


def _claim_folder(readers: Path) -> Clone:
    folder = readers / f"{os.getpid()}-{secrets.token_hex(4)}"
    readers.mkdir(parents=True, exist_ok=True)
    with _registry_lock(readers):
        folder.mkdir()
        descriptor = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR, 0o644)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    return Clone(folder, descriptor)


@contextmanager
def _registry_lock(readers: Path) -> Generator[None]:
    """Prevents the removal of a folder that was created and is not locked yet."""
    descriptor = os.open(readers / _LOCK, os.O_CREAT | os.O_RDWR, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _link_or_copy(source: Path, target: Path) -> None:
    if source.name in _REWRITTEN_ON_LOADING:
        shutil.copy2(source, target)
    else:
        link(source, target)


def remove_abandoned_clones(readers: Path) -> None:
    """Removes the clones whose readers have died."""
    if not readers.is_dir():
        return
    with _registry_lock(readers):
        for folder in filter(Path.is_dir, readers.iterdir()):
            # Its reader may be removing it at the same time.
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


PlaceFile = Callable[[Path, Path], object]


def link(source: Path, target: Path) -> None:
    """A hard link, for files that never change."""
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise
    except OSError:
        # Some file systems have no hard links, and some allow only so many of them.
        shutil.copy2(source, target)


def link_folder(
    source: Path, target: Path, *, exclude: tuple[str, ...] = (), place_file: PlaceFile = link
) -> None:
    """Recursive; `place_file` decides how each file gets to its target."""
    target.mkdir()
    for entry in source.iterdir():
        if entry.name in exclude:
            continue
        if entry.is_dir():
            link_folder(entry, target / entry.name, exclude=exclude, place_file=place_file)
        else:
            place_file(entry, target / entry.name)


def copy_tree(source: Path, target: Path, *, linked: str) -> None:
    """Files in the folder `linked` never change, so they are linked instead of copied."""

    def skip_linked(folder: str, _: list[str]) -> list[str]:
        return [linked] if Path(folder) == source else []

    shutil.copytree(source, target, ignore=skip_linked, copy_function=_copy_file, dirs_exist_ok=True)
    if (source / linked).is_dir():
        link_folder(source / linked, target / linked)


def _copy_file(source: str, target: str) -> str:
    """Keeps the holes of sparse files: with them written out, a small book would take 150 MB."""
    with open(source, "rb") as source_file, open(target, "wb") as target_file:
        size = os.fstat(source_file.fileno()).st_size
        os.ftruncate(target_file.fileno(), size)
        for start, end in data_ranges(source_file.fileno(), size):
            os.lseek(source_file.fileno(), start, os.SEEK_SET)
            os.lseek(target_file.fileno(), start, os.SEEK_SET)
            _copy_bytes(source_file.fileno(), target_file.fileno(), end - start)
    return target


def data_ranges(file: int, size: int) -> Iterator[tuple[int, int]]:
    """Start and end of each part of a sparse file that is not a hole."""
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


def _copy_bytes(source: int, target: int, size: int) -> None:
    while size > 0:
        block = os.read(source, min(size, 1 << 20))
        os.write(target, block)
        size -= len(block)
