"""Private copies of a finished shard, one a reader.

The engine locks the folder it opens, so no two readers can share one. A clone is made of hard
links: it costs no space, leaves the original as it was, and outlives it.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from glossator.adapters.index.links import link, link_folder

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
