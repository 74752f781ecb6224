"""Copies of a shard: clones for readers, made of hard links, and copies for the next build.

The engine locks the folder it opens, so every reader needs a clone of its own. Hard links cost no
space, leave the original as it was, and outlive it. A build copies only the files that it may change.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

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
    target.mkdir(exist_ok=True)
    for entry in source.iterdir():
        if entry.name in exclude:
            continue
        if entry.is_dir():
            link_folder(entry, target / entry.name, exclude=exclude, place_file=place_file)
        else:
            place_file(entry, target / entry.name)


_GRAPH_SEGMENT = "id_tracker.mappings"
"""Only segments with a graph have this file. The engine adds no points to them, it marks some as deleted."""
_DATA_FILES = frozenset(
    {
        "matrix.dat",
        "inverted_index.dat",
        "links_compressed.bin",
        "point_to_values.bin",
        "values_to_points.bin",
        "data.bin",
    }
)
_PAGE_FILE = re.compile(r"page_\d++\.dat")


def unchanging(files: Iterable[str], *, always: str) -> frozenset[str]:
    """The files of a shard that a build never changes: the folder `always`, and the data below a graph.

    Vectors, payloads and words are most of a large shard. The engine marks deleted points in other files.
    """
    paths = [PurePosixPath(file) for file in files]
    segments = {path.parent for path in paths if path.name == _GRAPH_SEGMENT}
    return frozenset(
        path.as_posix()
        for path in paths
        if path.parts[0] == always or (_is_data(path.name) and not segments.isdisjoint(path.parents))
    )


def _is_data(name: str) -> bool:
    return name in _DATA_FILES or _PAGE_FILE.fullmatch(name) is not None


def copy_shard(source: Path, target: Path, *, linked: Collection[str]) -> None:
    """The files in `linked` are linked, all others copied."""

    def place(file: Path, place: Path) -> None:
        is_linked = file.relative_to(source).as_posix() in linked
        (link if is_linked else _copy_file)(file, place)

    link_folder(source, target, place_file=place)


def _copy_file(source: Path, target: Path) -> None:
    """Keeps the holes of sparse files: with them written out, a small book would take 150 MB."""
    with source.open("rb") as source_file, target.open("wb") as target_file:
        size = os.fstat(source_file.fileno()).st_size
        os.ftruncate(target_file.fileno(), size)
        for start, end in data_ranges(source_file.fileno(), size):
            os.lseek(source_file.fileno(), start, os.SEEK_SET)
            os.lseek(target_file.fileno(), start, os.SEEK_SET)
            _copy_bytes(source_file.fileno(), target_file.fileno(), end - start)


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
