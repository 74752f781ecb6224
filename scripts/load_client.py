"""One reader of the load test: a question over a raw socket, its events read as they come."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Answer:
    text: str
    session: str | None
    first: float
    """Seconds until the first words."""
    whole: float


class Refused(Exception):
    def __init__(self, seconds: float, retry_after: float) -> None:
        self.seconds, self.retry_after = seconds, retry_after


async def ask(port: int, question: str, session: str | None = None) -> Answer:
    body = json.dumps({"question": question, **({"session": {"id": session}} if session else {})}).encode()
    begun = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(_request(body))
        await writer.drain()
        status, headers = await _head(reader)
        if status == 503:
            raise Refused(time.perf_counter() - begun, float(headers.get("retry-after", "1")))
        if status != 200:
            raise ValueError(f"status {status}")
        return await _answer(reader, begun)
    finally:
        writer.close()


def _request(body: bytes) -> bytes:
    head = (
        "POST /v1/ask HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: text/event-stream\r\nconnection: close\r\n"
        f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def _head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in head[1:] if line)
    return int(head[0].split()[1]), {name.lower(): value.strip() for name, _, value in pairs}


async def _answer(reader: asyncio.StreamReader, begun: float) -> Answer:
    first: float | None = None
    async for name, data in _events(reader):
        if name in ("claim", "answer") and first is None:
            first = time.perf_counter() - begun
        if name == "error":
            raise ValueError(f"error event {json.loads(data)['code']}")
        if name == "answer":
            told = json.loads(data)
            session = told["session"]["id"] if told["session"] else None
            return Answer(told["text"], session, first or 0.0, time.perf_counter() - begun)
    raise EOFError("the stream ended without an answer")


async def _events(reader: asyncio.StreamReader) -> AsyncIterator[tuple[str, bytes]]:
    buffer = b""
    async for piece in _chunks(reader):
        buffer += piece
        while b"\n\n" in buffer:
            event, _, buffer = buffer.partition(b"\n\n")
            parts = [line.partition(b": ") for line in event.split(b"\n")]
            fields = {name: value for name, _, value in parts}
            yield fields.get(b"event", b"").decode(), fields.get(b"data", b"")


async def _chunks(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    while size := int((await reader.readline()).strip() or b"0", 16):
        yield await reader.readexactly(size)
        await reader.readexactly(2)
