"""Copies of a shard. The engine's files are mostly holes: written out, a small book would weigh 150 MB."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from glossator.adapters.index.links import link_folder


def copy_tree(source: Path, target: Path, *, linked: str) -> None:
    """What stands in the folder `linked` never changes, and gets a second name only."""

    def left_out(folder: str, _: list[str]) -> list[str]:
        return [linked] if Path(folder) == source else []

    shutil.copytree(source, target, ignore=left_out, copy_function=_copy_file, dirs_exist_ok=True)
    if (source / linked).is_dir():
        link_folder(source / linked, target / linked)


def _copy_file(source: str, target: str) -> str:
    with open(source, "rb") as reading, open(target, "wb") as writing:
        size = os.fstat(reading.fileno()).st_size
        os.ftruncate(writing.fileno(), size)
        for start, end in written_parts(reading.fileno(), size):
            os.lseek(reading.fileno(), start, os.SEEK_SET)
            os.lseek(writing.fileno(), start, os.SEEK_SET)
            _copy_bytes(reading.fileno(), writing.fileno(), end - start)
    return target


def written_parts(file: int, size: int) -> Iterator[tuple[int, int]]:
    """From where to where a file is no hole."""
    end = 0
    while end < size:
        try:
            start = os.lseek(file, end, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:
                return
            raise
        end = os.lseek(file, start, os.SEEK_HOLE)
        yield start, end


def _copy_bytes(reading: int, writing: int, size: int) -> None:
    while size > 0:
        block = os.read(reading, min(size, 1 << 20))
        os.write(writing, block)
        size -= len(block)
