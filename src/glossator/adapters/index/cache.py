"""The cache of ingests: split pages and embeddings by content key, in one SQLite file."""

from __future__ import annotations

import logging
import shutil
import sqlite3
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TypeVar

from glossator.adapters.index.faults import index_errors
from glossator.errors import DiskFull, IndexFault

logger = logging.getLogger(__name__)

Result = TypeVar("Result")

_KEYS_PER_QUERY = 500
_ANY = "SELECT 1 FROM kept LIMIT 1"
_SCHEMA = "CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, value BLOB NOT NULL)"


class SqliteCache:
    """Losing the cache costs only time, so a damaged file is moved aside and a new one begun."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def get(self, keys: Sequence[str]) -> Mapping[str, bytes]:
        return self._run(lambda connection: dict(_select(connection, keys)))

    def put(self, values: Mapping[str, bytes]) -> None:
        self._run(lambda connection: _insert(connection, values))

    def keep_only(self, keys: Iterable[str]) -> None:
        self._run(lambda connection: _delete_all_but(connection, keys))

    def remove(self, keys: Iterable[str]) -> None:
        self._run(lambda connection: _delete(connection, keys))

    def is_empty(self) -> bool:
        return self._run(lambda connection: connection.execute(_ANY).fetchone() is None)

    def _run(self, operation: Callable[[sqlite3.Connection], Result]) -> Result:
        with index_errors(), _sqlite_errors(self._file):
            try:
                return self._attempt(operation)
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise
                self._put_aside(error)
                return self._attempt(operation)

    def _attempt(self, operation: Callable[[sqlite3.Connection], Result]) -> Result:
        with _connection(self._file) as connection:
            return operation(connection)

    def _put_aside(self, error: sqlite3.DatabaseError) -> None:
        aside = self._file.with_suffix(".damaged")
        logger.warning("%s is damaged (%s): moved to %s and begun anew", self._file, error, aside)
        self._file.replace(aside)
        for suffix in ("-wal", "-shm"):
            self._file.with_name(self._file.name + suffix).unlink(missing_ok=True)


def _select(connection: sqlite3.Connection, keys: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    for start in range(0, len(keys), _KEYS_PER_QUERY):
        batch = keys[start : start + _KEYS_PER_QUERY]
        placeholders = ",".join("?" * len(batch))
        # Safe: only placeholders are formatted into the statement.
        query = f"SELECT key, value FROM kept WHERE key IN ({placeholders})"  # noqa: S608
        yield from connection.execute(query, batch)


def _insert(connection: sqlite3.Connection, values: Mapping[str, bytes]) -> None:
    with connection:
        connection.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?)", values.items())


def _delete_all_but(connection: sqlite3.Connection, keys: Iterable[str]) -> None:
    with connection:
        connection.execute("CREATE TEMP TABLE wanted (key TEXT PRIMARY KEY)")
        connection.executemany("INSERT OR IGNORE INTO wanted VALUES (?)", ((key,) for key in keys))
        connection.execute("DELETE FROM kept WHERE key NOT IN (SELECT key FROM wanted)")


def _delete(connection: sqlite3.Connection, keys: Iterable[str]) -> None:
    with connection:
        connection.executemany("DELETE FROM kept WHERE key = ?", ((key,) for key in keys))


_OPENING_LOCK = Lock()


@contextmanager
def _connection(file: Path) -> Generator[sqlite3.Connection]:
    """A new connection per call, so any thread may use the cache and nothing stays open."""
    file.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(file, timeout=30)
    try:
        # Only one thread may switch a new file to WAL: SQLite fails a second one at once instead of waiting.
        with _OPENING_LOCK:
            connection.execute("PRAGMA auto_vacuum = FULL")
            connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(_SCHEMA)
        yield connection
    finally:
        connection.close()


@contextmanager
def _sqlite_errors(file: Path) -> Generator[None]:
    try:
        yield
    except sqlite3.Error as error:
        if _code(error) == sqlite3.SQLITE_FULL or _is_disk_full(error, file):
            raise DiskFull from error
        raise IndexFault(f"{file} cannot be used ({error}).") from error


def _is_disk_full(error: sqlite3.Error, file: Path) -> bool:
    """On a full disk SQLite may report no more than a failed read or write."""
    return _code(error) == sqlite3.SQLITE_IOERR and shutil.disk_usage(file.parent).free < 2**20


def _is_damage(error: sqlite3.Error) -> bool:
    return _code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _code(error: sqlite3.Error) -> int | None:
    """The primary code, without the detail in its higher bytes; None when Python itself raised the error."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF
