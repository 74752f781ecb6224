"""Generations of the book in a folder of this machine."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

from glossator.adapters.index.bm25 import WordWeights
from glossator.adapters.index.clone import copy_tree, sweep
from glossator.adapters.index.faults import index_errors
from glossator.adapters.index.generations import (
    IndexHome,
    StoredManifest,
    UnfinishedGeneration,
    check_complete,
)
from glossator.adapters.index.opened_shard import check_inventory, open_shard, take_inventory
from glossator.adapters.index.payload import mark_of
from glossator.adapters.index.shard import Shard, ShardEntry
from glossator.adapters.index.states import FOLDER, StatesWriter
from glossator.errors import DiskFull, IndexFault
from glossator.model import EmbedderIdentity, Embedding, Manifest, Passage

logger = logging.getLogger(__name__)

_UNUSABLE = "The generation that is there cannot be used: %s"
_BATCH = 256
_SPARE_BYTES = 64 * 2**20


def free_space(folder: Path) -> int:
    return shutil.disk_usage(folder).free


class EmbeddedIndexStore:
    """One ingest at a time may build here; any number of readers follow."""

    def __init__(
        self,
        home: Path,
        *,
        language: str = "english",
        free_space: Callable[[Path], int] = free_space,
    ) -> None:
        self._home = IndexHome(home)
        self._language = language
        self._free_space = free_space

    @property
    def recipe(self) -> str:
        return self._language

    def current(self) -> Manifest | None:
        """None also when what is there cannot be read, so that the next ingest builds it anew."""
        stored = self._stored()
        return stored.manifest if stored else None

    def is_whole(self) -> bool:
        stored = self._stored()
        if stored is None:
            return False
        try:
            with index_errors():
                _verify(self._home.shard(stored.manifest.generation), self._home.readers, stored)
        except IndexFault as fault:
            logger.warning(_UNUSABLE, fault)
            return False
        return True

    def _stored(self) -> StoredManifest | None:
        try:
            with index_errors():
                number = self._home.current()
                return None if number is None else self._home.manifest(number)
        except IndexFault as fault:
            logger.warning(_UNUSABLE, fault)
            return None

    @contextmanager
    def build(self, identity: EmbedderIdentity) -> Generator[EmbeddedGeneration]:
        words = WordWeights.for_window(self._language, identity.window)
        with index_errors():
            sweep(self._home.readers)
            building = self._home.begin()
        with ExitStack() as leaving:
            leaving.callback(building.discard)
            room = _Room(building.folder, self._free_space)
            shard = self._begin_shard(building, identity, words, room)
            generation = EmbeddedGeneration(building, shard, room)
            leaving.callback(generation.close)
            yield generation

    def _begin_shard(
        self, building: UnfinishedGeneration, identity: EmbedderIdentity, words: WordWeights, room: _Room
    ) -> Shard:
        """A copy of the shard that serves, to be changed where the book was; else an empty one."""
        with index_errors():
            room.require(0)
            stored = self._stored()
            if stored and self._may_follow(stored, identity):
                try:
                    return self._copied(stored, building, words, room)
                except DiskFull:
                    raise
                except IndexFault as fault:
                    logger.warning(_UNUSABLE, fault)
                    building.empty()
            return Shard.create(building.shard, identity.dimension, words)

    def _may_follow(self, stored: StoredManifest, identity: EmbedderIdentity) -> bool:
        is_alike = stored.manifest.embedder == identity and stored.language == self._language
        states = sum(size for file, (size, _) in stored.files.items() if file.startswith(f"{FOLDER}/"))
        # Nothing is ever taken out of the files of states: when most of them is of no use, all is built anew.
        return is_alike and states <= 2 * stored.states_size

    def _copied(
        self, stored: StoredManifest, building: UnfinishedGeneration, words: WordWeights, room: _Room
    ) -> Shard:
        """Raises IndexFault where the shard that serves is damaged."""
        base = self._home.shard(stored.manifest.generation)
        with index_errors(), ExitStack() as failing:
            room.require(_bytes_under(base))
            check_inventory(base, stored.files)
            copy_tree(base, building.shard, linked=FOLDER)
            shard = Shard.load(building.shard, words)
            failing.callback(shard.close)
            check_complete(stored.manifest, passages=shard.count(), chunks=shard.count_chunks())
            failing.pop_all()
            return shard


class EmbeddedGeneration:
    """Written beside the generation that serves, which it replaces when it is published."""

    def __init__(self, building: UnfinishedGeneration, shard: Shard, room: _Room) -> None:
        self._building = building
        self._shard = shard
        self._room = room
        self._created_at = datetime.now(UTC).isoformat(timespec="seconds")
        with index_errors():
            self._there = shard.stock()
        self._states = StatesWriter(building.shard, building.number)
        self._states_size = dict[UUID, int]()
        """Of each passage that is wanted, in bytes."""

    @property
    def number(self) -> int:
        return self._building.number

    def add(self, passages: Sequence[Passage], embeddings: Sequence[Embedding]) -> None:
        """Looks only at the embeddings of passages that are not there yet."""
        new = [number for number, passage in enumerate(passages) if not self._has(passage)]
        for start in range(0, len(new), _BATCH):
            batch = [(passages[number], embeddings[number]) for number in new[start : start + _BATCH]]
            with index_errors():
                self._room.require(3 * _bytes_of(batch))
                self._shard.add([self._entry(*one) for one in batch], self._created_at)

    def _has(self, passage: Passage) -> bool:
        stocked = self._there.get(passage.point_id)
        if stocked is None or stocked.mark != mark_of(passage):
            return False
        self._states_size[passage.point_id] = stocked.states_size
        return True

    def _entry(self, passage: Passage, embedding: Embedding) -> ShardEntry:
        address = None if embedding.states is None else self._states.add(embedding.states)
        self._states_size[passage.point_id] = address.size if address else 0
        return ShardEntry(passage, embedding.vector, address)

    def publish(self, manifest: Manifest) -> None:
        home = self._building.home
        with index_errors():
            self._shard.remove([point for point in self._there if point not in self._states_size])
            self._finish_shard()
            stored = StoredManifest(
                language=self._shard.language,
                manifest=manifest,
                files=take_inventory(self._building.shard),
                states_size=sum(self._states_size.values()),
            )
            _verify(self._building.shard, home.readers, stored)
            self._building.finish(stored)
            home.make_current(self.number)
            home.keep_only(self.number)

    def _finish_shard(self) -> None:
        # Building the graph writes everything a second time before it drops the first.
        self._room.require(2 * _bytes_under(self._building.shard / "segments"))
        self._states.close()
        self._shard.finish()
        self._shard.close()

    def close(self) -> None:
        with index_errors():
            self._states.close()
            self._shard.close()


def _verify(folder: Path, readers: Path, stored: StoredManifest) -> None:
    """Count through a reader's own door, so that what was counted is what will be read."""
    with closing(open_shard(folder, readers, stored)) as opened:
        shard = opened.shard
        check_complete(stored.manifest, passages=shard.count(), chunks=shard.count_chunks())


class _Room:
    """The engine maps files into memory: on a full disk it does not fail, it dies."""

    def __init__(self, folder: Path, free_space: Callable[[Path], int]) -> None:
        self._folder = folder
        self._free_space = free_space

    def require(self, size: int) -> None:
        free = self._free_space(self._folder)
        needed = size + _SPARE_BYTES
        if free < needed:
            raise DiskFull(
                f"The disk is full: {needed // 2**20} MB are needed and {free // 2**20} MB are free. "
                "The old book still serves."
            )


def _bytes_of(batch: Sequence[tuple[Passage, Embedding]]) -> int:
    texts = sum(len(passage.chunk.text.encode()) + len(passage.reading.encode()) for passage, _ in batch)
    states = sum(made.states.size for _, made in batch if made.states is not None)
    return texts + states + sum(made.vector.nbytes for _, made in batch)


def _bytes_under(folder: Path) -> int:
    return sum(512 * path.stat().st_blocks for path in folder.rglob("*") if path.is_file())
