"""A finished shard, opened for reading."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from glossator.adapters.index.bm25 import WordWeights
from glossator.adapters.index.clone import Clone, clone, written_parts
from glossator.adapters.index.faults import index_errors
from glossator.adapters.index.generations import StoredManifest
from glossator.adapters.index.shard import Shard
from glossator.errors import IndexFault


@dataclass(frozen=True, slots=True)
class OpenedShard:
    shard: Shard
    copy: Clone

    def close(self) -> None:
        self.shard.close()
        self.copy.remove()


def open_shard(folder: Path, readers: Path, stored: StoredManifest) -> OpenedShard:
    """Raises FileNotFoundError where the shard is not whole, or is removed meanwhile."""
    copy = clone(folder, readers)
    try:
        check_inventory(copy.shard, stored.files)
        with index_errors():
            return OpenedShard(Shard.load(copy.shard, WordWeights(stored.language)), copy)
    except (OSError, IndexFault):
        copy.remove()
        raise


# Which files a finished shard consists of, and what is in them.
#
# The engine does not miss what is gone or damaged: it opens, and finds nothing or something else.

Inventory = Mapping[str, tuple[int, str]]
"""The size and the checksum of each file, by its path in the shard."""

_BLOCK = 2**16


def take_inventory(shard: Path) -> dict[str, tuple[int, str]]:
    files = (path for path in sorted(shard.rglob("*")) if path.is_file())
    return {path.relative_to(shard).as_posix(): (path.stat().st_size, _checksum(path)) for path in files}


def check_inventory(shard: Path, expected: Inventory) -> None:
    """Raises FileNotFoundError for a file that is gone, cut short or damaged."""
    for name, (size, checksum) in expected.items():
        path = shard / name
        if path.stat().st_size != size or _checksum(path) != checksum:
            raise FileNotFoundError(f"{path} is not the file that was written")


def _checksum(path: Path) -> str:
    """Of the blocks that are not empty: most of the engine's files are, and a copy may have other holes."""
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        done = 0
        for start, end in written_parts(file.fileno(), size):
            for offset in range(max(start - start % _BLOCK, done), end, _BLOCK):
                block = os.pread(file.fileno(), _BLOCK, offset)
                if block.count(0) != len(block):
                    digest.update(offset.to_bytes(8) + block)
                done = offset + _BLOCK
    return digest.hexdigest()
