"""Builds generations of the book in a local folder, and makes them current."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from glossator.adapters.index.bm25 import WordWeights
from glossator.adapters.index.clone import copy_shard, remove_abandoned_clones, unchanging
from glossator.adapters.index.faults import index_errors
from glossator.adapters.index.generations import (
    IndexHome,
    Stamp,
    StoredManifest,
    UnfinishedGeneration,
    check_complete,
)
from glossator.adapters.index.opened_shard import (
    NOTHING,
    Checksums,
    check_inventory,
    checksums_of,
    open_shard,
    state_of,
    take_inventory,
)
from glossator.adapters.index.payload import mark_of
from glossator.adapters.index.shard import Shard, ShardEntry
from glossator.adapters.index.states import STATES_FOLDER, StatesWriter
from glossator.errors import DiskFull, IndexFault, NoBookYet, NoEarlierGeneration
from glossator.model import EmbedderIdentity, Manifest, Passage, PassageEmbedding

logger = logging.getLogger(__name__)

_UNUSABLE = "The generation that is there cannot be used: %s"
_BATCH = 256
_SPARE_BYTES = 64 * 2**20
_SEGMENT_PASSAGES = 100_000
"""Passages of a segment, which has a graph of its own: until that is built, one takes 2 to 4 kB of memory."""


def free_space(folder: Path) -> int:
    return shutil.disk_usage(folder).free


class EmbeddedIndexStore:
    """Only one ingest may build at a time; any number of readers may follow the current generation."""

    def __init__(
        self,
        home: Path,
        *,
        free_space: Callable[[Path], int] = free_space,
        segment_passages: int = _SEGMENT_PASSAGES,
    ) -> None:
        self._home = IndexHome(home)
        self._free_space = free_space
        self._segment_passages = segment_passages
        self._damaged: int | None = None
        """A generation that was found to be damaged, so that nothing is built upon it."""
        self._last_read: tuple[Stamp | None, StoredManifest] | None = None

    def current(self) -> Manifest | None:
        """None also when the current generation cannot be read, so that the next ingest builds a new one."""
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
            self._damaged = stored.manifest.generation
            return False
        return True

    def _stored(self) -> StoredManifest | None:
        try:
            with index_errors():
                return self._read()
        except IndexFault as fault:
            logger.warning(_UNUSABLE, fault)
            return None

    def _read(self) -> StoredManifest | None:
        """The manifest of a large book takes a while to read, so it is read once as long as it is current."""
        stamp, number = self._home.stamp(), self._home.current()
        if number is None:
            return None
        if self._last_read is None or self._last_read[0] != stamp:
            self._last_read = (stamp, self._home.manifest(number))
        return self._last_read[1]

    def roll_back(self) -> Manifest:
        with index_errors():
            number = self._home.current()
            if number is None:
                raise NoBookYet
            before = self._home.before(number)
            if before is None:
                raise NoEarlierGeneration
            stored = self._home.manifest(before)
            _verify(self._home.shard(before), self._home.readers, stored)
            self._home.make_current(before)
            return stored.manifest

    def remove(self) -> None:
        with index_errors():
            if self._home.stamp() is None:
                raise NoBookYet
            self._home.remove()
            remove_abandoned_clones(self._home.readers)

    @contextmanager
    def build(self, identity: EmbedderIdentity, language: str) -> Generator[EmbeddedGeneration]:
        words = WordWeights.for_window(language, identity.window)
        with index_errors():
            remove_abandoned_clones(self._home.readers)
            building = self._home.begin()
        with ExitStack() as cleanup:
            cleanup.callback(building.discard)
            disk_space = _DiskSpace(building.folder, self._free_space)
            begun = self._begin_shard(building, identity, words, disk_space)
            generation = EmbeddedGeneration(building, begun, disk_space, self._segment_passages)
            cleanup.callback(generation.close)
            yield generation

    def _begin_shard(
        self,
        building: UnfinishedGeneration,
        identity: EmbedderIdentity,
        words: WordWeights,
        disk_space: _DiskSpace,
    ) -> _BegunShard:
        """A copy of the serving shard, where only changes are written, or an empty shard."""
        with index_errors():
            disk_space.require(0)
            stored = self._stored()
            if stored and self._may_follow(stored, identity, words.language):
                try:
                    return self._copy_serving_shard(stored, building, words, disk_space)
                except DiskFull:
                    raise
                except IndexFault as fault:
                    logger.warning(_UNUSABLE, fault)
                    building.empty()
            shard = Shard.create(
                building.shard, identity.dimension, words, segment_passages=self._segment_passages
            )
            return _BegunShard(shard, None, NOTHING)

    def _may_follow(self, stored: StoredManifest, identity: EmbedderIdentity, language: str) -> bool:
        is_compatible = stored.manifest.embedder == identity and stored.language == language
        states_size = sum(
            size for file, (size, _) in stored.files.items() if file.startswith(f"{STATES_FOLDER}/")
        )
        # The states files only ever grow: when more than half is unused, everything is built again.
        is_sound = stored.manifest.generation != self._damaged
        return is_sound and is_compatible and states_size <= 2 * stored.states_size

    def _copy_serving_shard(
        self,
        stored: StoredManifest,
        building: UnfinishedGeneration,
        words: WordWeights,
        disk_space: _DiskSpace,
    ) -> _BegunShard:
        """Raises IndexFault when the serving shard is damaged.

        Of linked files only the size is looked at, because reading them takes as long as the book is large.
        Their checksums are handed on, so a reader that opens the new generation finds what is damaged.
        """
        serving = self._home.shard(stored.manifest.generation)
        with index_errors(), ExitStack() as on_failure:
            linked = unchanging(stored.files, always=STATES_FOLDER)
            disk_space.require(_folder_bytes(serving, linked))
            known = checksums_of(serving, {name: stored.files[name] for name in linked})
            check_inventory(serving, stored.files, known)
            copy_shard(serving, building.shard, linked=linked)
            shard = Shard.load(building.shard, words)
            on_failure.callback(shard.close)
            check_complete(stored.manifest, passages=shard.count(), chunks=shard.count_chunks())
            on_failure.pop_all()
            return _BegunShard(shard, stored, known)


@dataclass(frozen=True, slots=True)
class _BegunShard:
    shard: Shard
    base: StoredManifest | None
    """The generation that the shard is a copy of; None for an empty shard."""
    linked: Checksums
    """The checksums of the files that the copy shares with it."""


class EmbeddedGeneration:
    """Written beside the serving generation, which it replaces on publishing."""

    def __init__(
        self,
        building: UnfinishedGeneration,
        begun: _BegunShard,
        disk_space: _DiskSpace,
        segment_passages: int,
    ) -> None:
        self._building = building
        self._shard = begun.shard
        self._base = begun.base
        self._linked = begun.linked
        self._disk_space = disk_space
        self._created_at = datetime.now(UTC).isoformat(timespec="seconds")
        self._states = StatesWriter(building.shard, building.number)
        self._states_size = begun.base.states_size if begun.base else 0
        """Bytes of the states of all passages of the new generation."""
        self._segment_passages = segment_passages
        self._unfinished_passages = 0

    @property
    def number(self) -> int:
        return self._building.number

    @property
    def base(self) -> Manifest | None:
        return self._base.manifest if self._base else None

    def put(
        self, pages: Sequence[str], passages: Sequence[Passage], embeddings: Sequence[PassageEmbedding]
    ) -> None:
        """Reads only the embeddings of passages that the copied shard does not hold."""
        with index_errors():
            stored = self._shard.stored_points(pages) if self._base else {}
        marks = {point: held.mark for point, held in stored.items()}
        new = [
            index
            for index, passage in enumerate(passages)
            if marks.pop(passage.point_id, None) != mark_of(passage)
        ]
        replaced = [*marks, *(passages[index].point_id for index in new)]
        self._states_size -= sum(stored[point].states_size for point in replaced if point in stored)
        with index_errors():
            self._shard.remove([*marks])
        for start in range(0, len(new), _BATCH):
            self._add([(passages[index], embeddings[index]) for index in new[start : start + _BATCH]])

    def _add(self, batch: Sequence[tuple[Passage, PassageEmbedding]]) -> None:
        with index_errors():
            self._disk_space.require(3 * _batch_bytes(batch))
            entries = [self._entry(passage, embedding) for passage, embedding in batch]
            self._shard.add(entries, self._created_at)
            self._unfinished_passages += len(batch)
            if self._unfinished_passages >= self._segment_passages:
                self._require_space_for_graph()
                self._shard.finish_segment()
                self._unfinished_passages = 0

    def _entry(self, passage: Passage, embedding: PassageEmbedding) -> ShardEntry:
        address = None if embedding.states is None else self._states.add(embedding.states)
        self._states_size += address.size if address else 0
        return ShardEntry(passage, embedding.vector, address)

    def publish(self, manifest: Manifest) -> None:
        home, shard = self._building.home, self._building.shard
        with index_errors():
            self._finish_shard()
            files = take_inventory(shard, self._linked)
            stored = StoredManifest(
                language=self._shard.language, manifest=manifest, files=files, states_size=self._states_size
            )
            _verify(shard, home.readers, stored, checksums_of(shard, files))
            linked = [name for name in files if state_of(shard / name) in self._linked]
            self._building.finish(stored, linked=linked)
            home.publish(self.number)

    def _finish_shard(self) -> None:
        self._require_space_for_graph()
        self._states.close()
        self._shard.finish()
        self._shard.close()

    def _require_space_for_graph(self) -> None:
        """Building a graph writes everything a second time before it deletes the first."""
        self._disk_space.require(2 * _folder_bytes(self._building.shard / "segments"))

    def close(self) -> None:
        with index_errors():
            self._states.close()
            self._shard.close()


def _verify(folder: Path, readers: Path, stored: StoredManifest, known: Checksums = NOTHING) -> None:
    """Counts in the shard as a reader opens it, so that the count covers what readers will see."""
    with closing(open_shard(folder, readers, stored, known)) as opened:
        shard = opened.shard
        check_complete(stored.manifest, passages=shard.count(), chunks=shard.count_chunks())


class _DiskSpace:
    """Checked before every write: the engine maps files into memory, and on a full disk it crashes."""

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


def _batch_bytes(batch: Sequence[tuple[Passage, PassageEmbedding]]) -> int:
    texts = sum(len(passage.chunk.text.encode()) + len(passage.reading.encode()) for passage, _ in batch)
    states = sum(len(embedding.states.content) for _, embedding in batch if embedding.states is not None)
    return texts + states + sum(embedding.vector.nbytes for _, embedding in batch)


def _folder_bytes(folder: Path, without: Collection[str] = ()) -> int:
    left_out = {folder / name for name in without}
    files = (path for path in folder.rglob("*") if path.is_file() and path not in left_out)
    return sum(512 * path.stat().st_blocks for path in files)
