"""A line to the server in this process, event by event, which can be cut after any of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from starlette.types import ASGIApp, Message

from glossator.ports import Embedder
from glossator.settings import Settings
from glossator.web.serve.worker import lifespan
from glossator.wiring.server import app_of
from support.proof_stream import HEARTBEAT, StreamEvent

SECONDS = 30
_HEADERS = {"host": "127.0.0.1", "content-type": "application/json", "accept": "text/event-stream"}


@asynccontextmanager
async def opened(embedder: Embedder, **settings: Any) -> AsyncIterator[ASGIApp]:
    given = {"secret": "only for the tests of glossator", "requests_per_minute": 100_000, **settings}
    app = app_of(Settings(**given), embedder=embedder)
    async with lifespan(app):
        yield app


class Line:
    """A POST whose reply is read as it comes."""

    def __init__(
        self, app: ASGIApp, path: str, body: Mapping[str, Any], headers: Mapping[str, str] | None = None
    ) -> None:
        self._received = asyncio.Queue[Message]()
        self._sent = asyncio.Queue[Message]()
        self._received.put_nowait({"type": "http.request", "body": json.dumps(body).encode()})
        scope = _scope(path, {**_HEADERS, **(headers or {})})
        self._task = asyncio.ensure_future(app(scope, self._received.get, self._sent.put))
        self._rest = b""
        self.status = 0
        self.headers: dict[str, str] = {}

    async def begin(self) -> Line:
        async with asyncio.timeout(SECONDS):
            start = await self._sent.get()
        self.status = start["status"]
        self.headers = {name.decode(): value.decode() for name, value in start["headers"]}
        return self

    async def event(self) -> StreamEvent | None:
        """The next one; None when there are no more."""
        while b"\n\n" not in self._rest:
            async with asyncio.timeout(SECONDS):
                message = await self._sent.get()
            self._rest += message.get("body", b"")
            if not message.get("more_body", False):
                await self._task
                return None
        one, _, self._rest = self._rest.partition(b"\n\n")
        return _told(one.decode())

    async def events(self, most: int | None = None) -> list[StreamEvent]:
        """Without heartbeats: so many of them, or all."""
        found = list[StreamEvent]()
        while (most is None or len(found) < most) and (told := await self.event()) is not None:
            found += [told] if told is not HEARTBEAT else []
        return found

    @property
    def is_silent(self) -> bool:
        """Whether nothing has come that was not read."""
        return self._sent.empty() and not self._rest

    async def hang_up(self) -> None:
        self._received.put_nowait({"type": "http.disconnect"})
        async with asyncio.timeout(SECONDS):
            await self._task


def _scope(path: str, headers: Mapping[str, str]) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
        "state": {},
    }


def _told(frame: str) -> StreamEvent:
    lines = frame.splitlines()
    if all(line.startswith(":") for line in lines):
        return HEARTBEAT
    fields = dict(line.split(": ", 1) for line in lines)
    return StreamEvent(fields.get("event", "message"), json.loads(fields["data"]), fields.get("id"))
