"""The token states of an embedded index, in files beside the engine's own.

In the payload they would be text, a third larger, and copied whenever a page changes. A file is named after
the generation that writes it, never changes, and is linked by later generations. The payload of a passage
holds the address of its states: the file and the position in it.
"""

from __future__ import annotations

from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import BinaryIO, NamedTuple

from glossator.adapters.index.payload import unreadable_passage
from glossator.model import PackedStates

STATES_FOLDER = "states"


class Address(NamedTuple):
    file: int
    start: int
    """Offset in bytes."""
    size: int

    def __str__(self) -> str:
        return f"{self.file}:{self.start}:{self.size}"

    @classmethod
    def of(cls, text: str) -> Address:
        """Raises ValueError when the text is not an address."""
        file, start, size = map(int, text.split(":"))
        return cls(file, start, size)


class StatesWriter:
    """Writes the states file of one generation."""

    def __init__(self, shard: Path, number: int) -> None:
        self._path = shard / STATES_FOLDER / str(number)
        self._number = number
        self._size = 0
        self._file: BinaryIO | None = None

    def add(self, states: PackedStates) -> Address:
        address = Address(self._number, self._size, len(states.content))
        self._open_file().write(states.content)
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
        self._files = dict[int, mmap]()

    def read(self, text: str) -> PackedStates:
        try:
            file, start, size = Address.of(text)
            content = self._file(file)[start : start + size]
        except ValueError as error:
            raise unreadable_passage() from error
        if len(content) != size:
            raise unreadable_passage()
        return PackedStates(content)

    def _file(self, number: int) -> mmap:
        if number not in self._files:
            with (self._folder / str(number)).open("rb") as file:
                self._files[number] = mmap(file.fileno(), 0, access=ACCESS_READ)
        return self._files[number]
