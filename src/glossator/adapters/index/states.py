"""The token states of an embedded index, in files beside the engine's own.

In the payload they would be text, a third larger, and copied whenever a page changes. A file is named after
the generation that writes it, never changes, and is linked by later generations. The payload of a passage
holds the address of its states: the file and the position in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from glossator.adapters.index.payload import unreadable_passage
from glossator.ingest.codec import PackedStates, StoredStates, pack_states
from glossator.model import TokenStates

STATES_FOLDER = "states"


@dataclass(frozen=True, slots=True)
class Address:
    file: int
    start: int
    """Offset in bytes."""
    rows: int
    width: int

    def __str__(self) -> str:
        return f"{self.file}:{self.start}:{self.rows}:{self.width}"

    @classmethod
    def of(cls, text: str) -> Address:
        """Raises ValueError when the text is not an address."""
        file, start, rows, width = map(int, text.split(":"))
        return cls(file, start, rows, width)

    @property
    def size(self) -> int:
        return self.rows * self.width


class StatesWriter:
    """Writes the states file of one generation."""

    def __init__(self, shard: Path, number: int) -> None:
        self._path = shard / STATES_FOLDER / str(number)
        self._number = number
        self._size = 0
        self._file: BinaryIO | None = None

    def add(self, states: TokenStates) -> Address:
        address = Address(self._number, self._size, *states.shape)
        self._open_file().write(pack_states(states).tobytes())
        self._size += address.size
        return address

    def _open_file(self) -> BinaryIO:
        if self._file is None:
            self._path.parent.mkdir(exist_ok=True)
            self._file = self._path.open("wb")
        return self._file

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


class StatesReader:
    """Reads the states of a finished shard; may be shared between threads."""

    def __init__(self, shard: Path) -> None:
        self._folder = shard / STATES_FOLDER
        self._files = dict[int, NDArray[np.int8]]()

    def read(self, address: str) -> StoredStates:
        """The states stay in the mapped file."""
        return StoredStates.of(self._packed(address))

    def _packed(self, text: str) -> PackedStates:
        try:
            address = Address.of(text)
            values = self._file(address.file)[address.start : address.start + address.size]
            return values.reshape(address.rows, address.width)
        except ValueError as error:
            raise unreadable_passage() from error

    def _file(self, number: int) -> NDArray[np.int8]:
        if number not in self._files:
            path = self._folder / str(number)
            is_empty = path.stat().st_size == 0
            # As a plain array: slices of a memmap are memmaps too, at ten times the cost.
            self._files[number] = np.asarray([] if is_empty else np.memmap(path, np.int8, "r"), np.int8)
        return self._files[number]
