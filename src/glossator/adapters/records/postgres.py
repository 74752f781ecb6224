"""The PostgreSQL backend."""

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
"""asyncpg has no type stubs."""
_CONNECTIONS = 20
_SECONDS_TO_CLOSE = 0.25
_MIGRATING, _SWEEPING = 7_301_001, 7_301_002
"""Advisory locks, which PostgreSQL names by number."""


class _Connection(_driver.Connection):
    async def close(self, *, timeout: float | None = None) -> None:
        """SQLAlchemy would wait two seconds past the caller's timeout to close a frozen connection."""
        await _driver.Connection.close(self, timeout=_SECONDS_TO_CLOSE)


class PostgresServer:
    def __init__(self, dsn: str, seconds: float) -> None:
        self._dsn = dsn
        self._seconds = seconds
        self._engine = self._connect(pool_size=_CONNECTIONS, max_overflow=0, pool_timeout=seconds)
        # A read of one statement needs no transaction; without one it takes two round trips instead of four.
        self._autocommit_engine = self._engine.execution_options(isolation_level="AUTOCOMMIT")

    async def write(self, work: Callable[[Connection], Result]) -> Result:
        async with self._engine.begin() as connection:
            return await connection.run_sync(work)

    async def write_relaxed(self, work: Callable[[Connection], Result]) -> Result:
        """The same as `write`: turning off synchronous_commit would take another round trip."""
        return await self.write(work)

    async def read(self, work: Callable[[Connection], Result]) -> Result:
        async with self._autocommit_engine.connect() as connection:
            return await connection.run_sync(work)

    async def migrate(self) -> None:
        """Runs on an event loop of its own, because migrations are slow and this loop serves readers."""
        await asyncio.to_thread(lambda: asyncio.run(self._migrate()))

    async def _migrate(self) -> None:
        engine = self._connect(poolclass=NullPool)
        async with asyncio.timeout(SECONDS_TO_MIGRATE), engine.begin() as connection:
            await connection.execute(text("SELECT pg_advisory_xact_lock(:name)"), {"name": _MIGRATING})
            await connection.run_sync(upgrade)

    @asynccontextmanager
    async def exclusive(self) -> AsyncGenerator[bool]:
        """The server releases the lock when the connection ends."""
        name = {"name": _SWEEPING}
        async with self._autocommit_engine.connect() as connection:
            if not await connection.scalar(text("SELECT pg_try_advisory_lock(:name)"), name):
                yield False
                return
            try:
                yield True
            finally:
                await connection.execute(text("SELECT pg_advisory_unlock(:name)"), name)

    async def truncate_wal(self) -> None:
        """Nothing to do: the server's autovacuum removes deleted rows."""

    async def ping(self) -> None:
        async with self._autocommit_engine.connect() as connection:
            await connection.execute(text("SELECT number FROM sessions LIMIT 1"))

    async def aclose(self) -> None:
        await self._engine.dispose()

    def _connect(self, **pool: Any) -> AsyncEngine:
        return create_async_engine(
            "postgresql+asyncpg://",
            async_creator=self._connection,
            hide_parameters=True,
            # JSON columns are read as text.
            json_deserializer=str,
            **pool,
        )

    async def _connection(self) -> Any:
        """The driver parses the url itself, so it accepts every option that asyncpg knows."""
        return await _driver.connect(
            self._dsn,
            timeout=self._seconds,
            connection_class=_Connection,
            server_settings={"application_name": "glossator", "timezone": "UTC"},
        )
