"""Server-sent events: frames, a heartbeat while none arrives, and an end when the client disconnects."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

_HEARTBEAT = b": hb\n\n"
_LINE_END = re.compile(rb"\r\n|\r|\n")
_FRAMES_AHEAD = 256
"""How many frames may wait for a slow client."""


def frame(data: bytes, *, event: str | None = None, id: str | None = None) -> bytes:
    """One event. `event` and `id` come from our code, so they are not checked for line ends."""
    lines = _LINE_END.split(data) if b"\n" in data or b"\r" in data else (data,)
    fields = [b"data: " + line for line in lines]
    if event is not None:
        fields.insert(0, b"event: " + event.encode())
    if id is not None:
        fields.insert(0, b"id: " + id.encode())
    return b"\n".join(fields) + b"\n\n"


class EventStream(Response):
    """Sends frames that are ready together in one write; closes the generator at a disconnect."""

    media_type = "text/event-stream"

    def __init__(
        self,
        frames: AsyncGenerator[bytes],
        heartbeat_seconds: float = 15.0,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.status_code = 200
        self.background = None
        self.init_headers(
            {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no", **(headers or {})}
        )
        self._frames = frames
        self._heartbeat_seconds = heartbeat_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Raises what the frames raise, which breaks the connection: the client sees that it is cut off."""
        outbox = _Outbox()
        producing = asyncio.create_task(self._read(outbox))
        disconnecting = asyncio.create_task(disconnected(receive))
        disconnecting.add_done_callback(lambda _: producing.cancel())
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            await self._write(outbox, send)
        finally:
            disconnecting.cancel()
            producing.cancel()
            await asyncio.wait((producing, disconnecting))
        if not producing.cancelled():
            producing.result()
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _read(self, outbox: _Outbox) -> None:
        try:
            async with aclosing(self._frames) as frames:
                async for chunk in frames:
                    await outbox.put(chunk)
        finally:
            outbox.close()

    async def _write(self, outbox: _Outbox, send: Send) -> None:
        while (body := await outbox.take(self._heartbeat_seconds)) is not None:
            await send({"type": "http.response.body", "body": body or _HEARTBEAT, "more_body": True})


class _Outbox:
    """The queue between the task that makes the frames and the one that sends them."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._frames = list[bytes]()
        self._room = asyncio.Event()
        self._wakeup: asyncio.Future[None] | None = None
        self._is_closed = False

    async def put(self, chunk: bytes) -> None:
        self._frames.append(chunk)
        self._wake()
        if len(self._frames) >= _FRAMES_AHEAD:
            self._room.clear()
            await self._room.wait()

    def close(self) -> None:
        self._is_closed = True
        self._wake()

    async def take(self, seconds: float) -> bytes | None:
        """All waiting frames; empty if none came within `seconds`; None after the last frame."""
        if not self._frames and not self._is_closed:
            await self._wait(seconds)
        if not self._frames:
            return None if self._is_closed else b""
        body = b"".join(self._frames)
        self._frames.clear()
        self._room.set()
        return body

    async def _wait(self, seconds: float) -> None:
        self._wakeup = self._loop.create_future()
        timer = self._loop.call_later(seconds, self._wake)
        try:
            await self._wakeup
        finally:
            timer.cancel()

    def _wake(self) -> None:
        if self._wakeup is not None and not self._wakeup.done():
            self._wakeup.set_result(None)


async def disconnected(receive: Receive) -> None:
    """Returns when the client has disconnected."""
    while (await receive())["type"] != "http.disconnect":
        pass
