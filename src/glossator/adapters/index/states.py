"""The token states of an embedded index, in files of their own beside the engine's.

In the payload they would be text, a third larger, and copied whenever a page changes. A file is written
once, by the generation whose number it has, and linked to by those that follow; the payload of a passage
says where in which file its states stand.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from glossator.adapters.index.payload import unreadable
from glossator.ingest.codec import PackedStates, StoredStates, pack_states
from glossator.model import TokenStates

FOLDER = "states"


@dataclass(frozen=True, slots=True)
class Address:
    file: int
    start: int
    """In bytes."""
    rows: int
    width: int

    def __str__(self) -> str:
        return f"{self.file}:{self.start}:{self.rows}:{self.width}"

    @classmethod
    def of(cls, written: str) -> Address:
        """Raises ValueError where it is none."""
        file, start, rows, width = map(int, written.split(":"))
        return cls(file, start, rows, width)

    @property
    def size(self) -> int:
        return self.rows * self.width


class StatesWriter:
    """The file of one generation."""

    def __init__(self, shard: Path, number: int) -> None:
        self._path = shard / FOLDER / str(number)
        self._number = number
        self._size = 0
        self._file: BinaryIO | None = None

    def add(self, states: TokenStates) -> Address:
        address = Address(self._number, self._size, *states.shape)
        self._opened().write(pack_states(states).tobytes())
        self._size += address.size
        return address

    def _opened(self) -> BinaryIO:
        if self._file is None:
            self._path.parent.mkdir(exist_ok=True)
            self._file = self._path.open("wb")
        return self._file

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


class StatesReader:
    """Of a finished shard; any number of threads may read."""

    def __init__(self, shard: Path) -> None:
        self._folder = shard / FOLDER
        self._files = dict[int, NDArray[np.int8]]()

    def read(self, written: str) -> StoredStates:
        """Those at an address; they stay in the file."""
        return StoredStates.of(self._packed(written))

    def _packed(self, written: str) -> PackedStates:
        try:
            address = Address.of(written)
            rows = self._file(address.file)[address.start : address.start + address.size]
            return rows.reshape(address.rows, address.width)
        except ValueError as error:
            raise unreadable() from error

    def _file(self, number: int) -> NDArray[np.int8]:
        if number not in self._files:
            path = self._folder / str(number)
            is_empty = path.stat().st_size == 0
            # As a plain array: cut out of a memmap, every piece would be one, at ten times the cost.
            self._files[number] = np.asarray([] if is_empty else np.memmap(path, np.int8, "r"), np.int8)
        return self._files[number]
