"""A PostgreSQL server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import asyncpg  # pyright: ignore[reportMissingTypeStubs]
from sqlalchemy import Connection, NullPool, text
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from glossator.adapters.records.migrate import SECONDS_TO_MIGRATE, upgrade

Result = TypeVar("Result")

_driver: Any = asyncpg
"""It has no types."""
_CONNECTIONS = 20
_SECONDS_TO_CLOSE = 0.25
_MIGRATING, _SWEEPING = 7_301_001, 7_301_002
"""Names of locks; a server keeps them by number."""


class _Connection(_driver.Connection):
    async def close(self, *, timeout: float | None = None) -> None:
        """SQLAlchemy would wait for two seconds more than whoever asked, for a line that is frozen."""
        await _driver.Connection.close(self, timeout=_SECONDS_TO_CLOSE)


class PostgresServer:
    def __init__(self, dsn: str, seconds: float) -> None:
        self._dsn = dsn
        self._seconds = seconds
        self._engine = self._connect(pool_size=_CONNECTIONS, max_overflow=0, pool_timeout=seconds)
        # A read of one statement needs no transaction, and saves two of its four round trips.
        self._reading = self._engine.execution_options(isolation_level="AUTOCOMMIT")

    async def write(self, work: Callable[[Connection], Result]) -> Result:
        async with self._engine.begin() as connection:
            return await connection.run_sync(work)

    async def write_relaxed(self, work: Callable[[Connection], Result]) -> Result:
        """To ask for less would take another round trip."""
        return await self.write(work)

    async def read(self, work: Callable[[Connection], Result]) -> Result:
        async with self._reading.connect() as connection:
            return await connection.run_sync(work)

    async def migrate(self) -> None:
        """On a loop of its own: the migrations take their time, and this one has readers to serve."""
        await asyncio.to_thread(lambda: asyncio.run(self._migrate()))

    async def _migrate(self) -> None:
        engine = self._connect(poolclass=NullPool)
        async with asyncio.timeout(SECONDS_TO_MIGRATE), engine.begin() as connection:
            await connection.execute(text("SELECT pg_advisory_xact_lock(:name)"), {"name": _MIGRATING})
            await connection.run_sync(upgrade)

    @asynccontextmanager
    async def alone(self) -> AsyncGenerator[bool]:
        """Whether no other replica is inside; the server lets go of the lock when the connection ends."""
        name = {"name": _SWEEPING}
        async with self._reading.connect() as connection:
            if not await connection.scalar(text("SELECT pg_try_advisory_lock(:name)"), name):
                yield False
                return
            try:
                yield True
            finally:
                await connection.execute(text("SELECT pg_advisory_unlock(:name)"), name)

    async def truncate_wal(self) -> None:
        """The server's own vacuum does that."""

    async def ping(self) -> None:
        async with self._reading.connect() as connection:
            await connection.execute(text("SELECT number FROM sessions LIMIT 1"))

    async def aclose(self) -> None:
        await self._engine.dispose()

    def _connect(self, **pool: Any) -> AsyncEngine:
        return create_async_engine(
            "postgresql+asyncpg://",
            async_creator=self._connection,
            hide_parameters=True,
            # JSON comes as the text that it is.
            json_deserializer=str,
            **pool,
        )

    async def _connection(self) -> Any:
        """The driver reads the url itself, with everything that may stand in one."""
        return await _driver.connect(
            self._dsn,
            timeout=self._seconds,
            connection_class=_Connection,
            server_settings={"application_name": "glossator", "timezone": "UTC"},
        )
