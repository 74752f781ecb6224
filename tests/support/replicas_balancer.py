"""A load balancer as operators have one: each connection goes to the next server whose `/readyz` says that it may."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from support.loop_thread import run_on, running_loop

_SECONDS_BETWEEN_CHECKS = 0.1
_CHECK_SECONDS = 1.0
_Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass(slots=True, eq=False)
class Backend:
    url: str
    is_ready: bool = False
    connections: int = 0
    """How many were ever made for readers."""

    async def connect(self) -> _Connection:
        parts = urlsplit(self.url)
        return await asyncio.open_connection(parts.hostname, parts.port)

    async def watch(self) -> None:
        while True:
            self.is_ready = await self._says_ready()
            await asyncio.sleep(_SECONDS_BETWEEN_CHECKS)

    async def _says_ready(self) -> bool:
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(_CHECK_SECONDS):
                reader, writer = await self.connect()
                try:
                    writer.write(b"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
                    return b" 200 " in await reader.readline()
                finally:
                    writer.close()
        return False


@dataclass(slots=True, eq=False)
class Balancer:
    backends: Sequence[Backend] = ()
    url: str = ""
    _turn: int = 0
    _listener: asyncio.Server | None = None
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    _watching: dict[Backend, asyncio.Task[None]] = field(default_factory=dict[Backend, asyncio.Task[None]])
    _lines: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    def serve(self, *urls: str) -> None:
        """From now on between these; connections that are open stay where they are."""
        run_on(self._loop, self._serve(urls))

    def is_ready(self, url: str) -> bool:
        return any(backend.is_ready for backend in self.backends if backend.url == url)

    @contextmanager
    def running(self) -> Iterator[Balancer]:
        with running_loop(self._loop, "balancer", self._listen, self._stop):
            yield self

    async def _listen(self) -> None:
        self._listener = await asyncio.start_server(self._take, "127.0.0.1", 0, backlog=512)
        self.url = f"http://127.0.0.1:{self._listener.sockets[0].getsockname()[1]}"

    async def _serve(self, urls: Sequence[str]) -> None:
        known = {backend.url: backend for backend in self.backends}
        self.backends = [known.get(url) or Backend(url) for url in urls]
        for backend in [*self._watching]:
            if backend not in self.backends:
                self._watching.pop(backend).cancel()
        for backend in self.backends:
            if backend not in self._watching:
                self._watching[backend] = asyncio.create_task(backend.watch())

    async def _stop(self) -> None:
        if self._listener is not None:
            self._listener.close()
        tasks = {*self._watching.values(), *self._lines}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._lines.add(task)
        try:
            with suppress(OSError, asyncio.CancelledError):
                await _carry((reader, writer), await self._reach())
        finally:
            writer.close()
            self._lines.discard(task)

    async def _reach(self) -> _Connection:
        """Nothing was sent yet, so where nobody listens the next one is tried; where none is ready, readers wait."""
        while True:
            for _ in self.backends:
                self._turn += 1
                backend = self.backends[self._turn % len(self.backends)]
                if not backend.is_ready:
                    continue
                with suppress(OSError):
                    connection = await backend.connect()
                    backend.connections += 1
                    return connection
                backend.is_ready = False
            await asyncio.sleep(_SECONDS_BETWEEN_CHECKS)


async def _carry(client: _Connection, server: _Connection) -> None:
    """Until both have said all; what one of them breaks off, breaks for the other."""
    try:
        async with asyncio.TaskGroup() as both:
            both.create_task(_pump(client[0], server[1]))
            both.create_task(_pump(server[0], client[1]))
    except* OSError:
        client[1].transport.abort()
    finally:
        server[1].close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while said := await reader.read(65536):
        writer.write(said)
        await writer.drain()
    writer.write_eof()
