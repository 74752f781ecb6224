"""The database, whichever it is: transactions that end in time, or in an error of ours."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from typing import Protocol, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from glossator.adapters.records.address import SqliteAddress, address_of
from glossator.adapters.records.faults import may_do_better, records_errors
from glossator.adapters.records.sqlite import SqliteFile
from glossator.errors import RecordsUnavailable

Result = TypeVar("Result")
Work = Callable[[Connection], Result]
"""Statements, in the order in which they run; it may be called again when the database took them all back."""
Run = Callable[[Work[Result]], Awaitable[Result]]


class Kind(Protocol):
    async def write(self, work: Work[Result]) -> Result: ...

    async def jot(self, work: Work[Result]) -> Result: ...

    async def read(self, work: Work[Result]) -> Result: ...

    async def migrate(self) -> None: ...

    def alone(self) -> AbstractAsyncContextManager[bool]: ...

    async def wipe(self) -> None: ...

    async def ping(self) -> None: ...

    async def aclose(self) -> None: ...


class Database:
    def __init__(self, kind: Kind, seconds: float) -> None:
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

    async def jot(self, work: Work[Result]) -> Result:
        """As `write`, for what is worth nothing after a power cut: nobody waits until the disk has it."""
        return await self._patiently(self._kind.jot, work)

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

    async def wipe(self) -> None:
        """Deleted words leave the disk too; what fails here is no failure of the deletion."""
        with suppress(RecordsUnavailable), records_errors():
            async with asyncio.timeout(self._seconds):
                await self._kind.wipe()

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


def _kind(url: str, seconds: float) -> Kind:
    address = address_of(url)
    if isinstance(address, SqliteAddress):
        return SqliteFile(address.path, seconds)
    # Loaded where it is chosen: whoever uses SQLite does not wait for it.
    from glossator.adapters.records.postgres import PostgresServer

    return PostgresServer(address.dsn, seconds)
