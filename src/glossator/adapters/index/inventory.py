"""Which files a finished shard consists of.

The engine does not miss what is gone: without some of its files it opens, and finds nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

Inventory = Mapping[str, int]
"""The size of each file, by its path in the shard."""


def take_inventory(shard: Path) -> dict[str, int]:
    files = (path for path in sorted(shard.rglob("*")) if path.is_file())
    return {path.relative_to(shard).as_posix(): path.stat().st_size for path in files}


def check_inventory(shard: Path, expected: Inventory) -> None:
    """Raises FileNotFoundError for a file that is gone or cut short."""
    for name, size in expected.items():
        if (shard / name).stat().st_size != size:
            raise FileNotFoundError(f"{shard / name} is not the file that was written")
