"""Transactions on SQLite or PostgreSQL, with a timeout, one retry, and driver errors translated to ours."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
    suppress,
)
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from sqlalchemy import Connection
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as NoConnectionFree

from glossator.adapters.records.sqlite import SqliteFile, SqliteMemory
from glossator.errors import RecordsUnavailable, SettingsError
from glossator.extras import need_extra

Result = TypeVar("Result")
Work = Callable[[Connection], Result]
"""The statements of one transaction; called a second time if the database has rolled the first back."""
Run = Callable[[Work[Result]], Awaitable[Result]]


class DatabaseBackend(Protocol):
    async def write(self, work: Work[Result]) -> Result: ...

    async def write_relaxed(self, work: Work[Result]) -> Result: ...

    async def read(self, work: Work[Result]) -> Result: ...

    async def migrate(self) -> None: ...

    def exclusive(self) -> AbstractAsyncContextManager[bool]: ...

    async def truncate_wal(self) -> None: ...

    async def ping(self) -> None: ...

    async def aclose(self) -> None: ...


class Database:
    def __init__(self, backend: DatabaseBackend, seconds: float) -> None:
        self._backend = backend
        self._seconds = seconds

    @classmethod
    def open(cls, url: str, seconds: float) -> Database:
        """Takes a `sqlite:///…` or `postgresql://…` url; connects only when first used."""
        return cls(_backend(url, seconds), seconds)

    @classmethod
    def in_memory(cls, seconds: float) -> Database:
        """An empty database for tests, lost when it is closed."""
        return cls(SqliteMemory(), seconds)

    async def migrate(self) -> None:
        """Creates the tables, or upgrades those of an older version; several processes may call it at once.

        Raises RecordsUnavailable, and RecordsOutdated if a newer version has migrated the database.
        """
        with records_errors():
            await self._backend.migrate()

    async def write(self, work: Work[Result]) -> Result:
        """Runs the work in one transaction."""
        return await self._run(self._backend.write, work)

    async def write_relaxed(self, work: Work[Result]) -> Result:
        """As `write`, without waiting for the disk: for data that a power cut may lose."""
        return await self._run(self._backend.write_relaxed, work)

    async def read(self, work: Work[Result]) -> Result:
        return await self._run(self._backend.read, work)

    @asynccontextmanager
    async def exclusive(self) -> AsyncGenerator[bool]:
        """Yields whether this process got the lock, that is, no other process is inside."""
        with records_errors():
            async with AsyncExitStack() as lock:
                async with asyncio.timeout(self._seconds):
                    is_exclusive = await lock.enter_async_context(self._backend.exclusive())
                yield is_exclusive

    async def truncate_wal(self) -> None:
        """Removes deleted text from the disk too. Errors are ignored: the deletion itself has succeeded."""
        with suppress(RecordsUnavailable), records_errors():
            async with asyncio.timeout(self._seconds):
                await self._backend.truncate_wal()

    async def ping(self) -> None:
        """Raises RecordsUnavailable if nothing can be written now."""
        with records_errors():
            async with asyncio.timeout(self._seconds):
                await self._backend.ping()

    async def aclose(self) -> None:
        await self._backend.aclose()

    async def _run(self, run: Run[Result], work: Work[Result]) -> Result:
        with records_errors():
            async with asyncio.timeout(self._seconds):
                return await _run_with_retry(run, work)


async def _run_with_retry(run: Run[Result], work: Work[Result]) -> Result:
    """Retries once: a dead pooled connection shows only when used, and a ping before each use costs more."""
    is_commit_sent = False

    def attempt(connection: Connection) -> Result:
        nonlocal is_commit_sent
        result = work(connection)
        is_commit_sent = True
        return result

    try:
        return await run(attempt)
    except DBAPIError as error:
        # A commit that was cut off may have succeeded, so a retry could do the work twice.
        if is_commit_sent or not may_retry(error):
            raise
    return await run(work)


def _backend(url: str, seconds: float) -> DatabaseBackend:
    address = address_of(url)
    if isinstance(address, SqliteAddress):
        return SqliteFile(address.path, seconds)
    need_extra("postgres", "A PostgreSQL database")
    # Imported only when chosen, so that users of SQLite do not wait for it.
    from glossator.adapters.records.postgres import PostgresServer

    return PostgresServer(address.dsn, seconds)


# A url may hold a password, so no error message repeats it.

_SQLITE = ("sqlite", "sqlite+aiosqlite")
_POSTGRES = ("postgresql", "postgres", "postgresql+asyncpg")
_NOT_FOR_THE_DRIVER = ("channel_binding",)
"""Options that hosting providers put into their urls and only libpq understands."""


@dataclass(frozen=True, slots=True)
class SqliteAddress:
    path: Path


@dataclass(frozen=True, slots=True)
class PostgresAddress:
    dsn: str = field(repr=False)


def address_of(url: str) -> SqliteAddress | PostgresAddress:
    scheme = url.partition(":")[0].lower()
    if scheme in _SQLITE:
        return _sqlite(url)
    if scheme in _POSTGRES:
        return _postgres(url)
    raise SettingsError("The url of the database begins with sqlite:/// or postgresql://.")


def _sqlite(url: str) -> SqliteAddress:
    """Three slashes precede a relative path, four an absolute one."""
    _, _, path = url.partition(":///")
    path = unquote(path.partition("?")[0])
    if not path or path == ":memory:":
        raise SettingsError("SQLite needs a file: sqlite:///path/to/file.")
    return SqliteAddress(Path(path))


def _postgres(url: str) -> PostgresAddress:
    try:
        parts = urlsplit(url)
        # Reading the port raises if the password has an unescaped character.
        _ = parts.port
    except ValueError:
        raise SettingsError(
            "The url of the database cannot be read: are the characters of its password escaped?"
        ) from None
    options = [pair for pair in parse_qsl(parts.query) if pair[0] not in _NOT_FOR_THE_DRIVER]
    return PostgresAddress(urlunsplit(parts._replace(scheme="postgresql", query=urlencode(options))))


_RETRYABLE = frozenset({"40001", "40P01", "57P01", "57P02", "57P03"})
"""PostgreSQL's codes for a serialization failure, a deadlock, and a server that is stopping or starting."""


@contextmanager
def records_errors() -> Generator[None]:
    """Translates driver errors. The message is for operators and may name hosts; readers never see it."""
    try:
        yield
    except Exception as error:
        if not _is_foreign(error):
            raise
        raise RecordsUnavailable(f"The database cannot be used: {_reason(error)}.") from error


def may_retry(error: DBAPIError) -> bool:
    """Whether the transaction was rolled back and may succeed if it is run again at once."""
    if error.connection_invalidated or isinstance(error, IntegrityError):
        # A constraint fails only when a concurrent transaction was faster, for example deleted the session.
        return True
    original = error.orig
    if isinstance(original, sqlite3.Error):
        return original.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    return getattr(original, "sqlstate", None) in _RETRYABLE


def _is_foreign(error: Exception) -> bool:
    """Recognizes errors of asyncpg by their module, so that users of SQLite need not import it."""
    if isinstance(error, (DBAPIError, NoConnectionFree, OSError, sqlite3.Error)):
        return True
    return type(error).__module__.startswith("asyncpg.")


def _reason(error: BaseException) -> str:
    """The driver's message, without the statement."""
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    if isinstance(error, DataError):
        # Its message repeats the offending value, which may be a reader's text.
        return type(error.orig).__name__
    if isinstance(error, DBAPIError) and error.orig is not None:
        error = error.orig
    innermost = error.__cause__ or error
    first, _, _ = str(innermost).partition("\n")
    return first.rstrip(".") or type(innermost).__name__
