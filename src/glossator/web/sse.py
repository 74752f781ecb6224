"""Server-sent events: frames as they come, a sign of life while none does, and an end when nobody listens."""

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
"""How many frames may wait for a reader who takes them slowly."""


def frame(data: bytes, *, event: str | None = None, id: str | None = None) -> bytes:
    """One event; what it is called and numbered is ours, and has no line ends."""
    lines = _LINE_END.split(data) if b"\n" in data or b"\r" in data else (data,)
    fields = [b"data: " + line for line in lines]
    if event is not None:
        fields.insert(0, b"event: " + event.encode())
    if id is not None:
        fields.insert(0, b"id: " + id.encode())
    return b"\n".join(fields) + b"\n\n"


class EventStream(Response):
    """Frames that are ready together leave together; a reader who hangs up ends the frames at once."""

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
        """Raises what the frames raise: the line is cut then, and the reader knows something is missing."""
        outbox = _Outbox()
        reading = asyncio.create_task(self._read(outbox))
        leaving = asyncio.create_task(_hang_up(receive))
        leaving.add_done_callback(lambda _: reading.cancel())
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            await self._write(outbox, send)
        finally:
            leaving.cancel()
            reading.cancel()
            await asyncio.wait((reading, leaving))
        if not reading.cancelled():
            reading.result()
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _read(self, outbox: _Outbox) -> None:
        try:
            async with aclosing(self._frames) as frames:
                async for one in frames:
                    await outbox.put(one)
        finally:
            outbox.close()

    async def _write(self, outbox: _Outbox, send: Send) -> None:
        while (body := await outbox.take(self._heartbeat_seconds)) is not None:
            await send({"type": "http.response.body", "body": body or _HEARTBEAT, "more_body": True})


class _Outbox:
    """Between whoever makes the frames and the line they leave by."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._frames = list[bytes]()
        self._room = asyncio.Event()
        self._news: asyncio.Future[None] | None = None
        self._is_closed = False

    async def put(self, one: bytes) -> None:
        self._frames.append(one)
        self._tell()
        if len(self._frames) >= _FRAMES_AHEAD:
            self._room.clear()
            await self._room.wait()

    def close(self) -> None:
        self._is_closed = True
        self._tell()

    async def take(self, seconds: float) -> bytes | None:
        """All that is there; nothing when nothing came in that time; None when no more will come."""
        if not self._frames and not self._is_closed:
            await self._await_news(seconds)
        if not self._frames:
            return None if self._is_closed else b""
        body = b"".join(self._frames)
        self._frames.clear()
        self._room.set()
        return body

    async def _await_news(self, seconds: float) -> None:
        self._news = self._loop.create_future()
        timer = self._loop.call_later(seconds, self._tell)
        try:
            await self._news
        finally:
            timer.cancel()

    def _tell(self) -> None:
        if self._news is not None and not self._news.done():
            self._news.set_result(None)


async def _hang_up(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
