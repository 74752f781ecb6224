"""An ingest that kills itself: what the crash test runs in processes of their own."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

from glossator.adapters.index.cache import SqliteCache
from glossator.adapters.index.embedded_store import EmbeddedIndexStore
from glossator.ingest.pipeline import IngestTools, ingest
from glossator.ingest.sites import SiteKind, site_of
from glossator.model import IngestReport
from glossator.ports import Progress
from glossator.testing import SilentProgress, WordEmbedder

STEPS = ("open", "os.", "shutil.", "sqlite3.")
"""The audit events that stand between two steps of an ingest: every file opened, moved, linked, removed."""


class DeadlyProgress(SilentProgress):
    """Dies when a named stage begins."""

    def __init__(self, stage: str) -> None:
        self._stage = stage

    def start(self, what: str, total: int) -> None:
        if what == self._stage:
            os.kill(os.getpid(), signal.SIGKILL)


def run(book: Path, home: Path, progress: Progress | None = None) -> IngestReport:
    site = site_of(book, kind=SiteKind.PLAIN, base_url=None, route_base=None)
    tools = IngestTools(
        WordEmbedder(),
        EmbeddedIndexStore(home),
        SqliteCache(home / "cache.sqlite"),
        progress or SilentProgress(),
    )
    return ingest(book, site, tools)


def count_steps(book: Path, home: Path) -> int:
    steps = 0

    def count(event: str, _: object) -> None:
        nonlocal steps
        steps += event.startswith(STEPS)

    sys.addaudithook(count)
    run(book, home)
    return steps


def die_at_step(book: Path, home: Path, step: int) -> None:
    left = step

    def count_down(event: str, _: object) -> None:
        nonlocal left
        left -= event.startswith(STEPS)
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count_down)
    run(book, home)


def die_at_stage(book: Path, home: Path, stage: str) -> None:
    run(book, home, DeadlyProgress(stage))


def die_after(book: Path, home: Path, seconds: float) -> None:
    """Also in the middle of the engine's own work, where no step of ours begins."""
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGKILL)).start()
    run(book, home)
    os._exit(0)
