"""The database, whichever it is: transactions that end in time, or in an error of ours."""

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

from glossator.adapters.records.sqlite import SqliteFile
from glossator.errors import RecordsUnavailable, SettingsError

Result = TypeVar("Result")
Work = Callable[[Connection], Result]
"""Statements, in the order in which they run; it may be called again when the database took them all back."""
Run = Callable[[Work[Result]], Awaitable[Result]]


class DatabaseKind(Protocol):
    async def write(self, work: Work[Result]) -> Result: ...

    async def write_relaxed(self, work: Work[Result]) -> Result: ...

    async def read(self, work: Work[Result]) -> Result: ...

    async def migrate(self) -> None: ...

    def alone(self) -> AbstractAsyncContextManager[bool]: ...

    async def truncate_wal(self) -> None: ...

    async def ping(self) -> None: ...

    async def aclose(self) -> None: ...


class Database:
    def __init__(self, kind: DatabaseKind, seconds: float) -> None:
        self._kind = kind
        self._seconds = seconds

    @classmethod
    def open(cls, url: str, seconds: float) -> Database:
        """`sqlite:///…` or `postgresql://…`; nothing is sent yet."""
        return cls(_kind(url, seconds), seconds)

    async def migrate(self) -> None:
        """Makes the tables, or changes those of an older version; many processes may do so at once.

        Raises RecordsUnavailable, and RecordsOutdated where a newer version has been here.
        """
        with records_errors():
            await self._kind.migrate()

    async def write(self, work: Work[Result]) -> Result:
        """In one transaction: all of it, or nothing."""
        return await self._patiently(self._kind.write, work)

    async def write_relaxed(self, work: Work[Result]) -> Result:
        """As `write`, for what is worth nothing after a power cut: nobody waits until the disk has it."""
        return await self._patiently(self._kind.write_relaxed, work)

    async def read(self, work: Work[Result]) -> Result:
        return await self._patiently(self._kind.read, work)

    @asynccontextmanager
    async def alone(self) -> AsyncGenerator[bool]:
        """Whether no other process is inside."""
        with records_errors():
            async with AsyncExitStack() as held:
                async with asyncio.timeout(self._seconds):
                    is_alone = await held.enter_async_context(self._kind.alone())
                yield is_alone

    async def truncate_wal(self) -> None:
        """Deleted words leave the disk too; what fails here is no failure of the deletion."""
        with suppress(RecordsUnavailable), records_errors():
            async with asyncio.timeout(self._seconds):
                await self._kind.truncate_wal()

    async def ping(self) -> None:
        """Whether something could be written now. Raises RecordsUnavailable."""
        with records_errors():
            async with asyncio.timeout(self._seconds):
                await self._kind.ping()

    async def aclose(self) -> None:
        await self._kind.aclose()

    async def _patiently(self, run: Run[Result], work: Work[Result]) -> Result:
        with records_errors():
            async with asyncio.timeout(self._seconds):
                return await _once_or_twice(run, work)


async def _once_or_twice(run: Run[Result], work: Work[Result]) -> Result:
    """A connection that died in the pool is noticed only when it is used; asking it first would cost more."""
    is_commit_sent = False

    def attempt(connection: Connection) -> Result:
        nonlocal is_commit_sent
        result = work(connection)
        is_commit_sent = True
        return result

    try:
        return await run(attempt)
    except DBAPIError as error:
        # What became of a commit that was cut off, nobody knows: done again, it might be done twice.
        if is_commit_sent or not may_do_better(error):
            raise
    return await run(work)


def _kind(url: str, seconds: float) -> DatabaseKind:
    address = address_of(url)
    if isinstance(address, SqliteAddress):
        return SqliteFile(address.path, seconds)
    # Loaded where it is chosen: whoever uses SQLite does not wait for it.
    from glossator.adapters.records.postgres import PostgresServer

    return PostgresServer(address.dsn, seconds)


# Where the database is. A url may hold a password: it is never repeated.

_SQLITE = ("sqlite", "sqlite+aiosqlite")
_POSTGRES = ("postgresql", "postgres", "postgresql+asyncpg")
_NOT_FOR_THE_DRIVER = ("channel_binding",)
"""What providers put into their urls and only libpq knows."""


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
    """Three slashes before a path from here, four before one from the root."""
    _, _, path = url.partition(":///")
    path = unquote(path.partition("?")[0])
    if not path or path == ":memory:":
        raise SettingsError("SQLite needs a file: sqlite:///path/to/file.")
    return SqliteAddress(Path(path))


def _postgres(url: str) -> PostgresAddress:
    try:
        parts = urlsplit(url)
        # Only looked at because it raises: an unescaped character in a password is found here.
        _ = parts.port
    except ValueError:
        raise SettingsError(
            "The url of the database cannot be read: are the characters of its password escaped?"
        ) from None
    options = [pair for pair in parse_qsl(parts.query) if pair[0] not in _NOT_FOR_THE_DRIVER]
    return PostgresAddress(urlunsplit(parts._replace(scheme="postgresql", query=urlencode(options))))


# Where what a database and its driver say becomes a reason of ours.

_COME_AGAIN = frozenset({"40001", "40P01", "57P01", "57P02", "57P03"})
"""PostgreSQL: lost against another transaction, or the server is going down or coming up."""


@contextmanager
def records_errors() -> Generator[None]:
    """The message is for operators: a reader hears the sentence of its kind, and nothing of hosts."""
    try:
        yield
    except Exception as error:
        if not _is_foreign(error):
            raise
        raise RecordsUnavailable(f"The database cannot be used: {_reason(error)}.") from error


def may_do_better(error: DBAPIError) -> bool:
    """Whether the same transaction may succeed at once: nothing of it was done."""
    if error.connection_invalidated or isinstance(error, IntegrityError):
        # A constraint that fails here lost a race, such as against the deletion of the session.
        return True
    original = error.orig
    if isinstance(original, sqlite3.Error):
        return original.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    return getattr(original, "sqlstate", None) in _COME_AGAIN


def _is_foreign(error: Exception) -> bool:
    """Errors of the PostgreSQL driver are known by their home: whoever uses SQLite need not load it."""
    if isinstance(error, (DBAPIError, NoConnectionFree, OSError, sqlite3.Error)):
        return True
    return type(error).__module__.startswith("asyncpg.")


def _reason(error: BaseException) -> str:
    """The driver's own words, without the statement."""
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    if isinstance(error, DataError):
        # It repeats the value that it did not like.
        return type(error.orig).__name__
    if isinstance(error, DBAPIError) and error.orig is not None:
        error = error.orig
    innermost = error.__cause__ or error
    first, _, _ = str(innermost).partition("\n")
    return first.rstrip(".") or type(innermost).__name__
