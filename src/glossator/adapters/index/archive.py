"""Copies the current generation out of an embedded index, and installs such a copy in another."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from glossator.adapters.index.clone import clone
from glossator.adapters.index.faults import index_errors
from glossator.adapters.index.generations import (
    IndexHome,
    StoredManifest,
    UnfinishedGeneration,
    check_complete,
    read_manifest,
)
from glossator.adapters.index.opened_shard import check_inventory, open_shard


@dataclass(frozen=True, slots=True)
class GenerationCopy:
    stored: StoredManifest
    shard: Path


@contextmanager
def generation_copy(root: Path) -> Generator[GenerationCopy | None]:
    """Made of hard links, as for a reader, so that it outlives the generation; None without a book.

    Raises IndexFault where the generation is damaged.
    """
    home = IndexHome(root)
    with ExitStack() as cleanup:
        with index_errors():
            number = home.current()
            if number is None:
                yield None
                return
            stored = home.manifest(number)
            copy = clone(home.shard(number), home.readers)
            cleanup.callback(copy.remove)
            check_inventory(copy.shard, stored.files)
        yield GenerationCopy(stored, copy.shard)


def checked_generation(root: Path, copied: Path) -> StoredManifest:
    """Opens the copy in the folder `copied` as a reader does. Raises IndexFault if it is incomplete."""
    with index_errors():
        stored = read_manifest((copied / "manifest.json").read_bytes(), "the backup")
        with closing(open_shard(copied / "shard", IndexHome(root).readers, stored)) as opened:
            shard = opened.shard
            check_complete(stored.manifest, passages=shard.count(), chunks=shard.count_chunks())
        return stored


def install_generation(root: Path, stored: StoredManifest, copied: Path) -> None:
    """Makes the copy the current generation."""
    home, number = IndexHome(root), stored.manifest.generation
    with index_errors():
        home.generations.mkdir(parents=True, exist_ok=True)
        building = UnfinishedGeneration(home, number)
        copied.rename(building.folder)
        building.finish(stored)
        home.make_current(number)
