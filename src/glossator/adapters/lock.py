"""Allows one ingest at a time, with a lock file that the operating system releases when its holder dies."""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from glossator.errors import IngestRunning


@contextmanager
def ingest_lock(home: Path) -> Generator[None]:
    """Raises IngestRunning, naming the holder, when another ingest is running in this home."""
    home.mkdir(parents=True, exist_ok=True)
    with (home / "ingest.lock").open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise IngestRunning(
                f"Another ingest is running here ({file.read().strip()}); try again later."
            ) from None
        file.truncate(0)
        started = datetime.now(UTC).isoformat(timespec="seconds")
        file.write(f"process {os.getpid()} on {socket.gethostname()}, since {started}\n")
        file.flush()
        yield
