"""A SQLite file, used from threads of our own, a whole transaction at a time.

The asynchronous driver for SQLite goes to its thread and back four times for each statement, which costs
three times the processor time of the transaction itself.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import sqlite3
import threading
import time
from collections.abc import AsyncGenerator, Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, QueuePool, create_engine, event

from glossator.adapters.records.migrate import SECONDS_TO_MIGRATE, upgrade
from glossator.errors import SettingsError

Result = TypeVar("Result")

_OLDEST = (3, 35)
"""The first SQLite that gives back what it changed."""
_READERS = 2
_SECONDS_TO_PING = 1.0


class _Left(Exception):
    """Whoever asked was told that it failed."""


class SqliteFile:
    def __init__(self, path: Path, seconds: float) -> None:
        if sqlite3.sqlite_version_info < _OLDEST:
            raise SettingsError(f"SQLite {sqlite3.sqlite_version} is too old: 3.35 is needed.")
        self._path = path
        self._seconds = seconds
        connect = partial(self._open, seconds)
        self._writing = _engine(connect, begin="BEGIN IMMEDIATE")
        self._jotting = _engine(connect, begin="BEGIN IMMEDIATE", synchronous="NORMAL")
        self._reading = _engine(connect, begin="BEGIN")
        # One writer: inside a process they queue in the order they came, instead of all trying for the lock.
        self._writer = ThreadPoolExecutor(1, "records-write")
        self._readers = ThreadPoolExecutor(_READERS, "records-read")

    async def write(self, work: Callable[[Connection], Result]) -> Result:
        return await _run(self._writer, self._writing, work)

    async def write_relaxed(self, work: Callable[[Connection], Result]) -> Result:
        """On the disk with the next `write`; a killed process loses nothing either way."""
        return await _run(self._writer, self._jotting, work)

    async def read(self, work: Callable[[Connection], Result]) -> Result:
        return await _run(self._readers, self._reading, work)

    async def migrate(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._writer, self._migrate)

    def _migrate(self) -> None:
        _make_private(self._path)
        # Two that make the file at the same moment would both be told that it is locked.
        with _locked(self._beside(".lock"), SECONDS_TO_MIGRATE) as is_ours:
            if not is_ours:
                raise TimeoutError("another process is still changing its tables")
            with self._writing.begin() as connection:
                upgrade(connection)

    @asynccontextmanager
    async def alone(self) -> AsyncGenerator[bool]:
        """Whether no other process is inside."""
        with _locked(self._beside(".sweep")) as is_ours:
            yield is_ours

    async def truncate_wal(self) -> None:
        """What was deleted leaves the write-ahead log too."""
        await asyncio.get_running_loop().run_in_executor(self._writer, self._wipe)

    def _wipe(self) -> None:
        connection = self._writing.raw_connection()
        try:
            # A reader who is in the way has gone when it is tried the next time.
            connection.cursor().execute("PRAGMA busy_timeout = 50")
            connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.cursor().execute(f"PRAGMA busy_timeout = {int(self._seconds * 1000)}")
        finally:
            connection.close()

    async def ping(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._readers, self._ping)

    def _ping(self) -> None:
        """By a line of its own: those that are open go on with a file that was removed or overwritten."""
        with closing(self._open(min(self._seconds, _SECONDS_TO_PING))) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("SELECT number FROM sessions ORDER BY number LIMIT 1").fetchall()
            connection.execute("ROLLBACK")

    def _open(self, seconds: float) -> sqlite3.Connection:
        # Only a migration makes the file, and makes it private; whoever comes before it finds none.
        uri = f"{self._path.absolute().as_uri()}?mode=rw"
        # The driver begins no transaction by itself: it would begin the wrong kind.
        return sqlite3.connect(uri, uri=True, timeout=seconds, check_same_thread=False, isolation_level=None)

    async def aclose(self) -> None:
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        self._readers.shutdown()
        self._writer.shutdown()
        self._reading.dispose()
        self._jotting.dispose()
        self._writing.dispose()

    def _beside(self, ending: str) -> Path:
        return self._path.with_name(self._path.name + ending)


async def _run(threads: ThreadPoolExecutor, engine: Engine, work: Callable[[Connection], Result]) -> Result:
    is_left = threading.Event()
    try:
        return await asyncio.get_running_loop().run_in_executor(threads, _transact, engine, work, is_left)
    except asyncio.CancelledError:
        is_left.set()
        raise


def _transact(engine: Engine, work: Callable[[Connection], Result], is_left: threading.Event) -> Result:
    with engine.begin() as connection:
        result = work(connection)
        if is_left.is_set():
            raise _Left
        return result


def _engine(connect: Callable[[], sqlite3.Connection], *, begin: str, synchronous: str = "FULL") -> Engine:
    engine = create_engine(
        "sqlite://",
        creator=connect,
        poolclass=QueuePool,
        pool_reset_on_return=None,
        hide_parameters=True,
    )
    event.listen(engine, "connect", partial(_prepare, synchronous=synchronous))
    event.listen(engine, "begin", partial(_begin, how=begin))
    return engine


def _begin(connection: Connection, *, how: str) -> None:
    connection.exec_driver_sql(how)


def _prepare(connection: sqlite3.Connection, _: Any, *, synchronous: str) -> None:
    for pragma in (
        "journal_mode = WAL",
        # With FULL a commit is on the disk when it returns: 0.2 ms, or several where others use the disk.
        f"synchronous = {synchronous}",
        "foreign_keys = ON",
        "secure_delete = ON",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _make_private(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # A file that is there is not even opened: to close it would let go of every lock this process has on it,
    # and the next process to leave would take the write-ahead log away under us.
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


@contextmanager
def _locked(path: Path, timeouts: float = 0.0) -> Generator[bool]:
    """Whether the lock is ours; the operating system lets go of it when its holder dies."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield _lock(descriptor, time.monotonic() + timeouts)
    finally:
        os.close(descriptor)


def _lock(descriptor: int, deadline: float) -> bool:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.02)
        else:
            return True
