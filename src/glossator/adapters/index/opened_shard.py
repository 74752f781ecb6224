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


@dataclass(frozen=True, slots=True)
class OpenedShard:
    shard: Shard
    copy: Clone

    def close(self) -> None:
        self.shard.close()
        self.copy.remove()


def open_shard(folder: Path, readers: Path, stored: StoredManifest) -> OpenedShard:
    """Raises FileNotFoundError when the shard is incomplete, or is removed meanwhile."""
    copy = clone(folder, readers)
    try:
        check_inventory(copy.shard, stored.files)
        with index_errors():
            return OpenedShard(Shard.load(copy.shard, WordWeights(stored.language)), copy)
    except (OSError, IndexFault):
        copy.remove()
        raise


Inventory = Mapping[str, tuple[int, str]]
"""The size and the checksum of each file, by its path in the shard.

The engine does not notice missing or damaged files: it opens, and finds nothing or something else.
"""

_BLOCK = 2**16


def take_inventory(shard: Path) -> dict[str, tuple[int, str]]:
    files = (path for path in sorted(shard.rglob("*")) if path.is_file())
    return {path.relative_to(shard).as_posix(): (path.stat().st_size, _checksum(path)) for path in files}


def check_inventory(shard: Path, expected: Inventory) -> None:
    """Raises FileNotFoundError for a file that is missing, cut short or damaged."""
    for name, (size, checksum) in expected.items():
        path = shard / name
        if path.stat().st_size != size or _checksum(path) != checksum:
            raise FileNotFoundError(f"{path} is not the file that was written")


def _checksum(path: Path) -> str:
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
