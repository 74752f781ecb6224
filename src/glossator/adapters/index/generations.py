"""The folder of generations, the pointer to the current one, and the manifest of each.

<home>/CURRENT                      the number of the serving generation
<home>/generations/<n>/             a finished generation: manifest.json, shard/
<home>/generations/<n>.building/    an unfinished generation
<home>/readers/                     the clones of readers, see clone.py
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ValidationError

from glossator.adapters.index.faults import REBUILD
from glossator.errors import GenerationIncomplete, IndexFault, WrongModel
from glossator.model import EmbedderIdentity, Manifest

_BUILDING = ".building"

Stamp = tuple[int, int]
"""Inode and modification time of the pointer file; they identify one write of it."""


@dataclass(frozen=True, slots=True)
class IndexHome:
    root: Path

    @property
    def generations(self) -> Path:
        return self.root / "generations"

    @property
    def readers(self) -> Path:
        return self.root / "readers"

    @property
    def pointer(self) -> Path:
        return self.root / "CURRENT"

    def folder(self, number: int) -> Path:
        return self.generations / str(number)

    def shard(self, number: int) -> Path:
        return self.folder(number) / "shard"

    def stamp(self) -> Stamp | None:
        """Changes whenever another generation becomes current; None before the first."""
        try:
            status = os.stat(self.pointer)
        except FileNotFoundError:
            return None
        return (status.st_ino, status.st_mtime_ns)

    def current(self) -> int | None:
        try:
            number = self.pointer.read_text(encoding="ascii", errors="replace").strip()
        except FileNotFoundError:
            return None
        if not (number.isascii() and number.isdigit()):
            raise IndexFault(f"{self.pointer} does not name a generation: {REBUILD}.")
        return int(number)

    def manifest(self, number: int) -> StoredManifest:
        content = (self.folder(number) / "manifest.json").read_bytes()
        return read_manifest(content, f"generation {number}")

    def begin(self) -> UnfinishedGeneration:
        """Creates an empty folder for the next generation, and removes the leftovers of killed builds."""
        self.generations.mkdir(parents=True, exist_ok=True)
        for leftover in self.generations.glob(f"*{_BUILDING}"):
            shutil.rmtree(leftover)
        number = max([*self._finished(), self._readable_current() or 0]) + 1
        building = UnfinishedGeneration(self, number)
        building.shard.mkdir(parents=True)
        return building

    def before(self, number: int) -> int | None:
        return max((other for other in self._finished() if other < number), default=None)

    def publish(self, number: int) -> None:
        """Makes it current, and keeps the one that was current until now, for a rollback.

        Readers of the others are not disturbed: their clones hold links to the files.
        """
        before = self._readable_current()
        self.make_current(number)
        for other in self._finished():
            if other not in (number, before):
                shutil.rmtree(self.folder(other))

    def make_current(self, number: int) -> None:
        new = self.pointer.with_suffix(".new")
        _write(new, f"{number}\n".encode())
        new.replace(self.pointer)
        _sync(self.root)

    def remove(self) -> None:
        """The pointer first: without it there is no book, though its files may still be there."""
        self.pointer.unlink(missing_ok=True)
        _sync(self.root)
        shutil.rmtree(self.generations, ignore_errors=True)

    def _finished(self) -> list[int]:
        return [int(path.name) for path in self.generations.iterdir() if path.name.isdigit()]

    def _readable_current(self) -> int | None:
        try:
            return self.current()
        except IndexFault:
            # An unreadable pointer must not stop the ingest that replaces it.
            return None


@dataclass(frozen=True, slots=True)
class UnfinishedGeneration:
    """The folder of a generation during its build."""

    home: IndexHome
    number: int

    @property
    def folder(self) -> Path:
        return self.home.generations / f"{self.number}{_BUILDING}"

    @property
    def shard(self) -> Path:
        return self.folder / "shard"

    def empty(self) -> None:
        shutil.rmtree(self.shard)
        self.shard.mkdir()

    def finish(self, stored: StoredManifest, *, linked: Collection[str] = ()) -> None:
        """Syncs every file before the rename, so that a finished generation survives a power cut.

        Files of the shard that are `linked` from a finished generation were synced with that one.
        """
        _write(self.folder / "manifest.json", stored.model_dump_json(indent=1).encode())
        synced = {self.shard / name for name in linked}
        for path in [self.folder, *self.folder.rglob("*")]:
            if path not in synced:
                _sync(path)
        self.folder.rename(self.home.folder(self.number))
        _sync(self.home.generations)

    def discard(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class StoredManifest(BaseModel, frozen=True):
    """A generation's manifest as it is stored, with what the index itself needs."""

    format: Literal[5] = 5
    """Raised whenever a payload is stored differently, so that the next ingest builds everything again."""
    language: str
    """How words were stemmed; questions must be stemmed the same way."""
    manifest: Manifest
    files: dict[str, tuple[int, str]] = {}
    """The inventory of an embedded shard, see opened_shard.py."""
    states_size: int = 0
    """Bytes of an embedded shard's token states that are in use; its files may hold others."""


def read_manifest(content: str | bytes, owner: str) -> StoredManifest:
    try:
        return StoredManifest.model_validate_json(content)
    except ValidationError as error:
        raise IndexFault(f"The manifest of {owner} cannot be read: {REBUILD}.") from error


def refuse_another_model(manifest: Manifest, expected: EmbedderIdentity | None) -> None:
    made_with = manifest.embedder
    if expected is None or made_with.fingerprint == expected.fingerprint:
        return
    raise WrongModel(
        f"The book was ingested with {_describe(made_with)} and would be searched with "
        f"{_describe(expected)}: run `glossator ingest PATH`, "
        f"or set GLOSSATOR_EMBEDDER back to {made_with.name}."
    )


def _describe(identity: EmbedderIdentity) -> str:
    return f"{identity.name} ({identity.fingerprint[:12]})"


def check_complete(manifest: Manifest, *, passages: int, chunks: int) -> None:
    if (passages, chunks) == (manifest.passages, manifest.chunks):
        return
    raise GenerationIncomplete(
        f"Generation {manifest.generation} should hold {manifest.passages} passages of "
        f"{manifest.chunks} chunks and holds {passages} of {chunks}; the old one still serves."
    )
