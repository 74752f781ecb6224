"""A finished shard, opened for reading."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from glossator.adapters.index.bm25 import WordWeights
from glossator.adapters.index.clone import Clone, clone
from glossator.adapters.index.faults import index_errors
from glossator.adapters.index.inventory import check_inventory
from glossator.adapters.index.manifests import StoredManifest
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
