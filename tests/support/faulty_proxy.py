"""A network between us and a server, which fails in every way it is told to.

A fault holds for the lines that are open already, too, from their next bytes on. Whatever is changed, the port stays ours.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from support.loop_thread import Work, run_on, running_loop


class Fault(StrEnum):
    NONE = "none"
    REFUSED = "refused"
    """Nobody listens."""
    TIMEOUT = "timeout"
    """Lines are taken, and nothing is ever said."""
    RESET = "reset"
    """Lines are taken and thrown away."""
    ERROR = "5xx"
    """Whoever answers says that it cannot: an HTTP gateway, unless `error` holds other words."""
    GARBAGE = "garbage"
    """Bytes that are no protocol's."""
    NONSENSE = "nonsense"
    """Good HTTP with something in it that nobody asked for, as from a captive portal."""
    DRIP = "slow drip"
    """The reply comes byte by byte, each soon enough to seem alive."""
    CUT = "cut"
    """The line goes in the middle of the reply."""


_SEVERS = {Fault.NONE, Fault.REFUSED, Fault.RESET}
"""Those that no line survives; when a fault is over, nobody has kept what was on the way."""

_PAGE = b"<html><body>Please log in. PROXY-CANARY</body></html>"
_HEAD = b"Content-Type: text/html\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(_PAGE)
_HTTP_ERROR = b"HTTP/1.1 503 Service Unavailable\r\n" + _HEAD + _PAGE
_SAID = {
    Fault.NONSENSE: b"HTTP/1.1 200 OK\r\n" + _HEAD + _PAGE,
    Fault.GARBAGE: bytes(range(255, 0, -1)) + b"\r\n\r\n" + bytes(range(256)),
}


@dataclass(slots=True, eq=False)
class Line:
    """One connection through the proxy."""

    client: asyncio.StreamWriter
    server: asyncio.StreamWriter | None = None
    passed: int = 0
    """Bytes of the server's that the client got since the fault began."""

    def sever(self) -> None:
        for end in (self.client, self.server):
            if end is not None:
                _reset(end)


@dataclass(slots=True)
class FaultyProxy:
    target: tuple[str, int] | str
    """Host and port, or the path of a socket."""
    error: bytes = _HTTP_ERROR
    drip_seconds: float = 0.05
    cut_after: int = 20
    """Bytes."""
    connections: int = 0
    """How many were ever made."""
    fault: Fault = Fault.NONE
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    _place: socket.socket = field(default_factory=socket.socket)
    _listener: asyncio.Server | None = None
    _lines: set[Line] = field(default_factory=set[Line])
    _tasks: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    @property
    def port(self) -> int:
        return self._place.getsockname()[1]

    @property
    def open_lines(self) -> int:
        return len(self._lines)

    def in_front_of(self, url: str) -> str:
        """The same url, through the proxy."""
        parts = urlsplit(url)
        credentials, at, _ = parts.netloc.rpartition("@")
        return urlunsplit(parts._replace(netloc=f"{credentials}{at}127.0.0.1:{self.port}"))

    def fail(self, fault: Fault) -> None:
        """From now on, and for every line."""
        self._run(self._fail(fault))

    def heal(self) -> None:
        self.fail(Fault.NONE)

    @contextmanager
    def failing(self, fault: Fault) -> Iterator[None]:
        self.fail(fault)
        try:
            yield
        finally:
            self.heal()

    @contextmanager
    def running(self) -> Iterator[FaultyProxy]:
        # Bound and never listening: it keeps the port ours while nobody listens there.
        self._place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._place.bind(("127.0.0.1", 0))
        try:
            with running_loop(self._loop, "faulty proxy", self._listen, self._stop):
                yield self
        finally:
            self._place.close()

    def _run(self, work: Work) -> None:
        run_on(self._loop, work)

    async def _fail(self, fault: Fault) -> None:
        self.fault = fault
        for line in self._lines:
            line.passed = 0
        if fault in _SEVERS:
            await self._sever()
        if fault is Fault.REFUSED:
            self._close_listener()
        elif self._listener is None:
            await self._listen()

    async def _listen(self) -> None:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port))
        self._listener = await asyncio.start_server(self._take, sock=listener, backlog=256)

    def _close_listener(self) -> None:
        if self._listener is not None:
            self._listener.close()
            self._listener = None

    async def _sever(self) -> None:
        for line in list(self._lines):
            line.sever()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _stop(self) -> None:
        self._close_listener()
        await self._sever()

    async def _take(self, reader: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        line = Line(client)
        self._lines.add(line)
        self._tasks.add(task)
        try:
            with suppress(OSError, asyncio.CancelledError):
                await self._carry(line, reader)
        finally:
            line.sever()
            self._lines.discard(line)
            self._tasks.discard(task)

    async def _carry(self, line: Line, reader: asyncio.StreamReader) -> None:
        if self.fault is Fault.RESET:
            return
        replies, line.server = await self._reach()
        both = [
            asyncio.ensure_future(self._pump(reader, lambda said: self._ask(line, said))),
            asyncio.ensure_future(self._pump(replies, lambda said: self._reply(line, said))),
        ]
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in both:
                task.cancel()
            await asyncio.gather(*both, return_exceptions=True)

    async def _reach(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if isinstance(self.target, str):
            return await asyncio.open_unix_connection(self.target)
        return await asyncio.open_connection(*self.target)

    async def _pump(
        self, reader: asyncio.StreamReader, pass_on: Callable[[bytes], Coroutine[Any, Any, None]]
    ) -> None:
        """Until either end is closed, or the fault ends the line."""
        while said := await reader.read(65536):
            await pass_on(said)

    async def _ask(self, line: Line, said: bytes) -> None:
        match self.fault:
            case Fault.TIMEOUT:
                return
            case Fault.ERROR | Fault.GARBAGE | Fault.NONSENSE:
                line.client.write(_SAID.get(self.fault, self.error))
                await line.client.drain()
                await _hang_up(line.client)
                raise ConnectionResetError
            case _:
                assert line.server is not None
                line.server.write(said)
                await line.server.drain()

    async def _reply(self, line: Line, said: bytes) -> None:
        match self.fault:
            case Fault.DRIP:
                await self._drip(line, said)
            case Fault.CUT:
                await self._send(line, said[: max(self.cut_after - line.passed, 0)])
                if line.passed >= self.cut_after:
                    await _hang_up(line.client)
                    raise ConnectionResetError
            case Fault.NONE:
                await self._send(line, said)
            case _:
                return

    async def _drip(self, line: Line, said: bytes) -> None:
        for place in range(len(said)):
            if self.fault is not Fault.DRIP:
                await self._send(line, said[place:])
                return
            await self._send(line, said[place : place + 1])
            await asyncio.sleep(self.drip_seconds)

    async def _send(self, line: Line, said: bytes) -> None:
        line.client.write(said)
        line.passed += len(said)
        await line.client.drain()


@contextmanager
def proxy_to(url: str) -> Iterator[FaultyProxy]:
    """In front of whatever serves there."""
    parts = urlsplit(url)
    assert parts.hostname
    assert parts.port
    with FaultyProxy((parts.hostname, parts.port)).running() as proxy:
        yield proxy


async def _hang_up(end: asyncio.StreamWriter) -> None:
    """After all that was written has gone out, in good order."""
    end.close()
    with suppress(OSError):
        await end.wait_closed()


def _reset(end: asyncio.StreamWriter) -> None:
    if end.is_closing():
        return
    end.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    end.transport.abort()
