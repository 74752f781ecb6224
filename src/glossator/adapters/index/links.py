"""Second names for files that never change."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

Put = Callable[[Path, Path], object]


def link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise
    except OSError:
        # Some file systems have no hard links, and some allow only so many of them.
        shutil.copy2(source, target)


def link_folder(source: Path, target: Path, *, without: tuple[str, ...] = (), put: Put = link) -> None:
    """Every file in it and below; `put` may do otherwise with some."""
    target.mkdir()
    for entry in source.iterdir():
        if entry.name in without:
            continue
        if entry.is_dir():
            link_folder(entry, target / entry.name, without=without, put=put)
        else:
            put(entry, target / entry.name)
