"""Opens a finished shard for reading, once its files are checked against their inventory."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from glossator.adapters.index.bm25 import WordWeights
from glossator.adapters.index.clone import Clone, clone, data_ranges
from glossator.adapters.index.faults import index_errors
from glossator.adapters.index.generations import StoredManifest
from glossator.adapters.index.shard import Shard
from glossator.errors import IndexFault

FileState = tuple[int, int, int, int]
"""Device, inode, size and time of the last change: while they are the same, so is the content."""

Checksums = Mapping[FileState, str]
NOTHING: Checksums = {}


@dataclass(frozen=True, slots=True)
class OpenedShard:
    shard: Shard
    copy: Clone
    checked: Checksums
    """The checksums of its files, as they were when it was opened."""

    def close(self) -> None:
        self.shard.close()
        self.copy.remove()


def open_shard(
    folder: Path, readers: Path, stored: StoredManifest, known: Checksums = NOTHING
) -> OpenedShard:
    """Files of `known` are not read again: a generation shares most of its files with the one before.

    Raises FileNotFoundError when the shard is incomplete, or is removed meanwhile.
    """
    copy = clone(folder, readers)
    try:
        check_inventory(copy.shard, stored.files, known)
        checked = checksums_of(copy.shard, stored.files)
        with index_errors():
            return OpenedShard(Shard.load(copy.shard, WordWeights(stored.language)), copy, checked)
    except (OSError, IndexFault):
        copy.remove()
        raise


Inventory = Mapping[str, tuple[int, str]]
"""The size and the checksum of each file, by its path in the shard.

The engine does not notice missing or damaged files: it opens, and finds nothing or something else.
"""

_BLOCK = 2**16


def take_inventory(shard: Path, known: Checksums = NOTHING) -> dict[str, tuple[int, str]]:
    files = (path for path in sorted(shard.rglob("*")) if path.is_file())
    return {
        path.relative_to(shard).as_posix(): (path.stat().st_size, _checksum(path, known)) for path in files
    }


def check_inventory(shard: Path, expected: Inventory, known: Checksums = NOTHING) -> None:
    """Raises FileNotFoundError for a file that is missing, cut short or damaged."""
    for name, (size, checksum) in expected.items():
        path = shard / name
        if path.stat().st_size != size or _checksum(path, known) != checksum:
            raise FileNotFoundError(f"{path} is not the file that was written")


def checksums_of(shard: Path, inventory: Inventory) -> dict[FileState, str]:
    """The checksums that the inventory has of files that nobody has to read again."""
    return {state_of(shard / name): checksum for name, (_, checksum) in inventory.items()}


def state_of(path: Path) -> FileState:
    status = path.stat()
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def _checksum(path: Path, known: Checksums) -> str:
    return known.get(state_of(path)) or _read_checksum(path)


def _read_checksum(path: Path) -> str:
    """Covers only blocks with data: the engine's files are mostly holes, and a copy may have other holes."""
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        hashed_until = 0
        for start, end in data_ranges(file.fileno(), size):
            for offset in range(max(start - start % _BLOCK, hashed_until), end, _BLOCK):
                block = os.pread(file.fileno(), _BLOCK, offset)
                if block.count(0) != len(block):
                    digest.update(offset.to_bytes(8) + block)
                hashed_until = offset + _BLOCK
    return digest.hexdigest()
