"""A request's body: whole and within its cap before anything parses it, and let go politely when refused."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope

from glossator.errors import AnswerTimeout, RequestTooLarge

_LINGER_BYTES = 16 * 2**20
_LINGER_SECONDS = 2.0


class CallerLeft(Exception):
    """Nobody waits for a reply any more."""


async def whole_body(scope: Scope, receive: Receive, *, at_most: int, seconds: float) -> bytes:
    """Raises RequestTooLarge before reading where the caller says so, else as soon as it is."""
    if _declared(scope) > at_most:
        raise RequestTooLarge
    try:
        async with asyncio.timeout(seconds):
            return await _read(receive, at_most)
    except TimeoutError as error:
        raise AnswerTimeout("The request did not come in time.") from error


async def _read(receive: Receive, at_most: int) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise CallerLeft
        body += message.get("body", b"")
        if len(body) > at_most:
            raise RequestTooLarge
        if not message.get("more_body", False):
            return bytes(body)


def replay(body: bytes, receive: Receive) -> Receive:
    """The body once more, in one piece; afterwards what the server has to say."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return messages.pop() if messages else await receive()

    return again


async def linger(scope: Scope, receive: Receive) -> None:
    """Takes in the rest of a refused body, within bounds.

    A connection that is closed over unread bytes is reset, and the reset may overtake the reply.
    """
    if not _has_body(scope):
        return
    left = _LINGER_BYTES
    with suppress(TimeoutError):
        async with asyncio.timeout(_LINGER_SECONDS):
            while left > 0:
                message = await receive()
                left -= len(message.get("body", b""))
                if not message.get("more_body", False):
                    return


def _declared(scope: Scope) -> int:
    """0 where the caller does not say."""
    digits = Headers(scope=scope).get("content-length", "")
    # Longer than any number that is meant, and shorter than what int() refuses.
    return int(digits[:20]) if digits.isascii() and digits.isdigit() else 0


def _has_body(scope: Scope) -> bool:
    return _declared(scope) > 0 or "transfer-encoding" in Headers(scope=scope)
