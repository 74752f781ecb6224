"""Where the bundled model is kept: built once, by one process, and visible only when it is whole."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from glossator.errors import EmbedderError

Build = Callable[[Path], None]


@dataclass(frozen=True, slots=True)
class ModelCache:
    root: Path

    def folder(self, name: str, build: Build) -> Path:
        """The finished folder of that name; `build` fills it when there is none yet."""
        finished = self.root / name
        if finished.is_dir():
            return finished
        with _disk_errors(self.root):
            self.root.mkdir(parents=True, exist_ok=True)
            with _lock(self.root / f"{name}.lock"):
                # Another process may have built it while this one waited.
                if not finished.is_dir():
                    self._build(finished, build)
        return finished

    def _build(self, finished: Path, build: Build) -> None:
        unfinished = self.root / f".building-{finished.name}"
        # The lock is ours, so if there is one already it was left by a process that died.
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        try:
            build(unfinished)
            _make_durable(unfinished)
            unfinished.rename(finished)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)


@contextmanager
def _disk_errors(root: Path) -> Generator[None]:
    try:
        yield
    except OSError as problem:
        if problem.errno in (errno.ENOSPC, errno.EDQUOT):
            full = f"The disk that holds {root} is full: building the embedding model takes 150 MB there."
            raise EmbedderError(full) from problem
        raise EmbedderError(f"The embedding model cannot be kept in {root}: {problem.strerror}.") from problem


@contextmanager
def _lock(path: Path) -> Generator[None]:
    """Held by one process at a time; the system lets go of it when that process dies."""
    with path.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _make_durable(folder: Path) -> None:
    # Without this a power cut could leave the new name in place over files that are still empty.
    for path in folder.iterdir():
        with path.open("rb+") as file:
            os.fsync(file.fileno())
