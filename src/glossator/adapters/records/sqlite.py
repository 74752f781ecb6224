"""The SQLite backend: runs whole transactions in threads of its own.

The asynchronous driver for SQLite switches to its thread and back four times per statement, which takes
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

from sqlalchemy import Connection, Engine, Pool, QueuePool, StaticPool, create_engine, event

from glossator.adapters.records.migrate import SECONDS_TO_MIGRATE, upgrade
from glossator.errors import SettingsError

Result = TypeVar("Result")

_MIN_VERSION = (3, 35)
"""The first SQLite with RETURNING."""
_READERS = 2
_SECONDS_TO_PING = 1.0


class _Cancelled(Exception):
    """Rolls back a transaction whose caller was cancelled and has already reported a failure."""


class SqliteFile:
    def __init__(self, path: Path, seconds: float) -> None:
        if sqlite3.sqlite_version_info < _MIN_VERSION:
            raise SettingsError(f"SQLite {sqlite3.sqlite_version} is too old: 3.35 is needed.")
        self._path = path
        self._seconds = seconds
        connect = partial(self._open, seconds)
        self._write_engine = _engine(connect, begin="BEGIN IMMEDIATE")
        self._relaxed_engine = _engine(connect, begin="BEGIN IMMEDIATE", synchronous="NORMAL")
        self._read_engine = _engine(connect, begin="BEGIN")
        # One writer thread: the writes of a process queue in order instead of competing for the file lock.
        self._writer = ThreadPoolExecutor(1, "records-write")
        self._readers = ThreadPoolExecutor(_READERS, "records-read")

    async def write(self, work: Callable[[Connection], Result]) -> Result:
        return await _run(self._writer, self._write_engine, work)

    async def write_relaxed(self, work: Callable[[Connection], Result]) -> Result:
        """Reaches the disk with the next `write`; if only the process is killed, nothing is lost."""
        return await _run(self._writer, self._relaxed_engine, work)

    async def read(self, work: Callable[[Connection], Result]) -> Result:
        return await _run(self._readers, self._read_engine, work)

    async def migrate(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._writer, self._migrate)

    def _migrate(self) -> None:
        _make_private(self._path)
        # Two processes that create the file at the same moment would both get "database is locked".
        with _locked(self._sibling(".lock"), SECONDS_TO_MIGRATE) as is_locked:
            if not is_locked:
                raise TimeoutError("another process is still changing its tables")
            with self._write_engine.begin() as connection:
                upgrade(connection)

    @asynccontextmanager
    async def exclusive(self) -> AsyncGenerator[bool]:
        with _locked(self._sibling(".sweep")) as is_locked:
            yield is_locked

    async def truncate_wal(self) -> None:
        """Deleted text remains in the write-ahead log until the log is truncated."""
        await asyncio.get_running_loop().run_in_executor(self._writer, self._truncate_wal)

    def _truncate_wal(self) -> None:
        connection = self._write_engine.raw_connection()
        try:
            # Hardly waits: if a read transaction blocks it now, the next call succeeds.
            connection.cursor().execute("PRAGMA busy_timeout = 50")
            connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.cursor().execute(f"PRAGMA busy_timeout = {int(self._seconds * 1000)}")
        finally:
            connection.close()

    async def ping(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._readers, self._ping)

    def _ping(self) -> None:
        """Opens a new connection: open ones keep working after the file was removed or overwritten."""
        with closing(self._open(min(self._seconds, _SECONDS_TO_PING))) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("SELECT number FROM sessions ORDER BY number LIMIT 1").fetchall()
            connection.execute("ROLLBACK")

    def _open(self, seconds: float) -> sqlite3.Connection:
        # mode=rw creates no file: only a migration does, with private permissions.
        uri = f"{self._path.absolute().as_uri()}?mode=rw"
        # isolation_level=None: the driver's own BEGIN would be of the wrong kind.
        return sqlite3.connect(uri, uri=True, timeout=seconds, check_same_thread=False, isolation_level=None)

    async def aclose(self) -> None:
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        self._readers.shutdown()
        self._writer.shutdown()
        self._read_engine.dispose()
        self._relaxed_engine.dispose()
        self._write_engine.dispose()

    def _sibling(self, suffix: str) -> Path:
        return self._path.with_name(self._path.name + suffix)


class SqliteMemory:
    """One connection, in one thread, because another one would open another database."""

    def __init__(self) -> None:
        connect = partial(sqlite3.connect, ":memory:", check_same_thread=False, isolation_level=None)
        self._engine = _engine(connect, begin="BEGIN IMMEDIATE", pool=StaticPool)
        self._thread = ThreadPoolExecutor(1, "records-memory")
        self._is_exclusive = False

    async def write(self, work: Callable[[Connection], Result]) -> Result:
        return await _run(self._thread, self._engine, work)

    async def write_relaxed(self, work: Callable[[Connection], Result]) -> Result:
        return await self.write(work)

    async def read(self, work: Callable[[Connection], Result]) -> Result:
        return await self.write(work)

    async def migrate(self) -> None:
        await self.write(upgrade)

    @asynccontextmanager
    async def exclusive(self) -> AsyncGenerator[bool]:
        is_first, self._is_exclusive = not self._is_exclusive, True
        try:
            yield is_first
        finally:
            self._is_exclusive = not is_first

    async def truncate_wal(self) -> None:
        return

    async def ping(self) -> None:
        await self.read(lambda connection: connection.exec_driver_sql("SELECT number FROM sessions LIMIT 1"))

    async def aclose(self) -> None:
        await asyncio.to_thread(self._thread.shutdown)
        self._engine.dispose()


async def _run(threads: ThreadPoolExecutor, engine: Engine, work: Callable[[Connection], Result]) -> Result:
    is_cancelled = threading.Event()
    try:
        return await asyncio.get_running_loop().run_in_executor(
            threads, _transact, engine, work, is_cancelled
        )
    except asyncio.CancelledError:
        is_cancelled.set()
        raise


def _transact(engine: Engine, work: Callable[[Connection], Result], is_cancelled: threading.Event) -> Result:
    with engine.begin() as connection:
        result = work(connection)
        if is_cancelled.is_set():
            raise _Cancelled
        return result


def _engine(
    connect: Callable[[], sqlite3.Connection],
    *,
    begin: str,
    synchronous: str = "FULL",
    pool: type[Pool] = QueuePool,
) -> Engine:
    engine = create_engine(
        "sqlite://",
        creator=connect,
        poolclass=pool,
        pool_reset_on_return=None,
        hide_parameters=True,
    )
    event.listen(engine, "connect", partial(_prepare, synchronous=synchronous))
    event.listen(engine, "begin", partial(_begin, statement=begin))
    return engine


def _begin(connection: Connection, *, statement: str) -> None:
    connection.exec_driver_sql(statement)


def _prepare(connection: sqlite3.Connection, _: Any, *, synchronous: str) -> None:
    for pragma in (
        "journal_mode = WAL",
        # With FULL a commit is on the disk when it returns; that takes 0.2 ms, or several on a busy disk.
        f"synchronous = {synchronous}",
        "foreign_keys = ON",
        "secure_delete = ON",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _make_private(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # An existing file is not opened: closing it would release every lock this process holds on it, and the
    # next process to exit would delete the write-ahead log that we still use.
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


@contextmanager
def _locked(path: Path, timeout: float = 0.0) -> Generator[bool]:
    """Yields whether the lock was acquired; the operating system releases it if this process dies."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield _lock(descriptor, time.monotonic() + timeout)
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
