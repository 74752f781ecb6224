"""A line to a PostgreSQL server that can be cut, frozen, or cut at a word."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import parse_qs, urlsplit

PASSWORD = "canary-7f3a-password"


class Line:
    def __init__(self, url: str) -> None:
        self._url = urlsplit(url)
        self._tasks = set[asyncio.Task[None]]()
        self._writers = list[asyncio.StreamWriter]()
        self.moves = asyncio.Event()
        self.moves.set()
        """Nothing passes while it is cleared."""
        self.cuts_at: bytes | None = None
        """The line is cut before these bytes reach the server."""

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        await self.moves.wait()
        server_reader, server_writer = await self._reach_server()
        self._writers.append(server_writer)
        for source, target in ((reader, server_writer), (server_reader, writer)):
            task = asyncio.create_task(self._pump(source, target))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _reach_server(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Ours listens on a socket in its folder only."""
        if folders := parse_qs(self._url.query).get("host"):
            return await asyncio.open_unix_connection(f"{folders[0]}/.s.PGSQL.5432")
        return await asyncio.open_connection(self._url.hostname, self._url.port or 5432)

    def cut(self) -> None:
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    async def _pump(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await source.read(65_536):
                await self.moves.wait()
                if self.cuts_at and self.cuts_at in data:
                    self.cut()
                    return
                target.write(data)
                await target.drain()
            target.close()

    async def end(self) -> None:
        self.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@asynccontextmanager
async def line_to(url: str) -> AsyncIterator[tuple[Line, str]]:
    """The line, and the url that goes over it."""
    line = Line(url)
    parts = urlsplit(url)
    whose = parts.netloc.rpartition("@")[0] if parts.hostname else f"postgres:{PASSWORD}"
    server = await asyncio.start_server(line.carry, "127.0.0.1")
    port = server.sockets[0].getsockname()[1]
    try:
        yield line, f"postgresql://{whose}@127.0.0.1:{port}{parts.path}"
    finally:
        server.close()
        line.moves.set()
        await line.end()
