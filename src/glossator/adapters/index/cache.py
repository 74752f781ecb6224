"""What was worked out before, kept in one SQLite file."""

from __future__ import annotations

import logging
import shutil
import sqlite3
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TypeVar

from glossator.adapters.index.faults import index_errors
from glossator.errors import DiskFull, IndexFault

logger = logging.getLogger(__name__)

Result = TypeVar("Result")

_KEYS_A_QUERY = 500
_SCHEMA = "CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, value BLOB NOT NULL)"


class SqliteCache:
    """Nothing is lost with it but time: a damaged file is put aside and begun anew."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def get(self, keys: Sequence[str]) -> Mapping[str, bytes]:
        return self._use(lambda connection: dict(_select(connection, keys)))

    def put(self, values: Mapping[str, bytes]) -> None:
        self._use(lambda connection: _insert(connection, values))

    def keep_only(self, keys: Sequence[str]) -> None:
        self._use(lambda connection: _delete_all_but(connection, keys))

    def _use(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        with index_errors(), _sqlite_errors(self._file):
            try:
                return self._attempt(work)
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise
                self._put_aside(error)
                return self._attempt(work)

    def _attempt(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        with _connection(self._file) as connection:
            return work(connection)

    def _put_aside(self, error: sqlite3.DatabaseError) -> None:
        aside = self._file.with_suffix(".damaged")
        logger.warning("%s is damaged (%s): moved to %s and begun anew", self._file, error, aside)
        self._file.replace(aside)
        for suffix in ("-wal", "-shm"):
            self._file.with_name(self._file.name + suffix).unlink(missing_ok=True)


def _select(connection: sqlite3.Connection, keys: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    for start in range(0, len(keys), _KEYS_A_QUERY):
        some = keys[start : start + _KEYS_A_QUERY]
        marks = ",".join("?" * len(some))
        # Only question marks are put into the statement.
        query = f"SELECT key, value FROM kept WHERE key IN ({marks})"  # noqa: S608
        yield from connection.execute(query, some)


def _insert(connection: sqlite3.Connection, values: Mapping[str, bytes]) -> None:
    with connection:
        connection.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?)", values.items())


def _delete_all_but(connection: sqlite3.Connection, keys: Sequence[str]) -> None:
    with connection:
        connection.execute("CREATE TEMP TABLE wanted (key TEXT PRIMARY KEY)")
        connection.executemany("INSERT OR IGNORE INTO wanted VALUES (?)", ((key,) for key in keys))
        connection.execute("DELETE FROM kept WHERE key NOT IN (SELECT key FROM wanted)")


_OPENING = Lock()


@contextmanager
def _connection(file: Path) -> Generator[sqlite3.Connection]:
    """One a call: nothing to close, and any thread may ask."""
    file.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(file, timeout=30)
    try:
        # A new file is given its journal by one; another who tries at the same moment is not made to wait.
        with _OPENING:
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
        if _code(error) == sqlite3.SQLITE_FULL or _is_out_of_room(error, file):
            raise DiskFull from error
        raise IndexFault(f"{file} cannot be used ({error}).") from error


def _is_out_of_room(error: sqlite3.Error, file: Path) -> bool:
    """On a disk without room SQLite may only say that reading or writing failed."""
    return _code(error) == sqlite3.SQLITE_IOERR and shutil.disk_usage(file.parent).free < 2**20


def _is_damage(error: sqlite3.Error) -> bool:
    return _code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _code(error: sqlite3.Error) -> int | None:
    """Without the detail that SQLite puts above the lowest byte; None when Python itself raised it."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF
