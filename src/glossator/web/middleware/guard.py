"""The guard around each contract's application: checks access, rate limit and body size of a request."""

from __future__ import annotations

import asyncio
import math
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from glossator.answer.wording import ACCEPTED_LANGUAGES
from glossator.errors import AnswerTimeout, GlossatorError, RequestBroken, RequestTooLarge
from glossator.model import Contract
from glossator.web.auth.access import Access
from glossator.web.auth.limits import RateHeaders, rate_headers, rate_limit_status
from glossator.web.middleware.observe import note
from glossator.web.problem import Render, problem_of

OPEN_PATHS = frozenset({"/health", "/docs", "/openapi.json"})
"""Paths below a contract's prefix that need no key: they tell nothing of the book or its readers."""


@dataclass(frozen=True, slots=True)
class ContractTerms:
    """What the guard needs to know of a contract."""

    contract: Contract
    render: Render
    body_bytes: int
    rate_headers: RateHeaders = rate_headers
    open_paths: frozenset[str] = OPEN_PATHS
    asks: frozenset[str] = frozenset()
    """Paths that ask a question: refused while the queue is full."""
    body_seconds: float = 10.0
    book: str | None = ""
    """The book that is served; None where there is none of the name."""


class Guard:
    """`Mount("/contracts/threads", Guard(app, access, terms))`."""

    def __init__(self, app: ASGIApp, access: Access, terms: ContractTerms) -> None:
        self._app = app
        self._access = access
        self._terms = terms

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            # No contract uses WebSockets, and they would pass by the checks below.
            await send({"type": "websocket.close"})
            return
        if scope["type"] == "lifespan" or self._is_public(scope):
            await self._app(scope, receive, send)
            return
        # A copy for this request: the server may share the dictionary between requests.
        scope["state"] = dict(scope.get("state", {}))
        send = self._with_rate_headers(scope, send)
        with ExitStack() as stack:
            try:
                await self._admit(scope)
                receive = replay(await self._body(scope, receive), receive)
                stack.enter_context(self._arrival(scope))
            except ClientDisconnected:
                # A malformed body looks like a disconnect here, so a client that is still there gets a reply.
                await self._refuse(RequestBroken(), scope, receive, send)
                return
            except GlossatorError as error:
                await self._refuse(error, scope, receive, send)
                return
            await self._app(scope, receive, send)

    async def _admit(self, scope: Scope) -> None:
        """Sets the caller of the request; refuses a question for which there is no room."""
        terms = self._terms
        if self._asks(scope):
            self._access.check_room()
        caller = scope["state"]["caller"] = await self._access.admit(scope, terms.contract, terms.book)
        if self._asks(scope):
            # Again, because the caller is known now, who has a share of the room.
            self._access.check_room()
        note(key=caller.key)
        ACCEPTED_LANGUAGES.set(Headers(scope=scope).get("accept-language", ""))

    def _arrival(self, scope: Scope) -> AbstractContextManager[None]:
        """Begins after the body, because whoever sends half a body must not hold a place."""
        return self._access.arrive() if self._asks(scope) else nullcontext()

    def _asks(self, scope: Scope) -> bool:
        return _path_below(scope) in self._terms.asks

    def _is_public(self, scope: Scope) -> bool:
        return scope["method"] == "OPTIONS" or _path_below(scope) in self._terms.open_paths

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        terms = self._terms
        return await read_body(scope, receive, at_most=terms.body_bytes, seconds=terms.body_seconds)

    async def _refuse(self, error: GlossatorError, scope: Scope, receive: Receive, send: Send) -> None:
        problem = problem_of(error)
        response = self._terms.render(problem)
        if response.status_code == 401:
            response.headers["WWW-Authenticate"] = "Bearer"
        if problem.retry_after is not None:
            response.headers.setdefault("Retry-After", str(max(1, math.ceil(problem.retry_after))))
        await response(scope, receive, send)
        await drain_body(scope, receive)

    def _with_rate_headers(self, scope: Scope, send: Send) -> Send:
        """Adds the rate limit to every reply, under the contract's header names."""

        async def send_with_headers(message: Message) -> None:
            status = rate_limit_status(scope)
            if message["type"] == "http.response.start" and status is not None:
                headers = MutableHeaders(scope=message)
                headers.update(self._terms.rate_headers(status))
            await send(message)

        return send_with_headers


def _path_below(scope: Scope) -> str:
    """The path as the contract's own router reads it."""
    path: str = scope["path"]
    prefix: str = scope.get("root_path", "")
    return path[len(prefix) :] if path.startswith(f"{prefix}/") else path


# Bodies are read whole and within their limit before anything parses them.

_DRAIN_BYTES = 16 * 2**20
_DRAIN_SECONDS = 2.0


class ClientDisconnected(Exception):
    """The client closed the connection before its request was complete."""


async def read_body(scope: Scope, receive: Receive, *, at_most: int, seconds: float) -> bytes:
    """Raises RequestTooLarge before reading if Content-Length says so, else while reading."""
    if _content_length(scope) > at_most:
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
            raise ClientDisconnected
        body += message.get("body", b"")
        if len(body) > at_most:
            raise RequestTooLarge
        if not message.get("more_body", False):
            return bytes(body)


def replay(body: bytes, receive: Receive) -> Receive:
    """Receives the body that was read, in one piece, and then what the server sends."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return messages.pop() if messages else await receive()

    return receive_again


async def drain_body(scope: Scope, receive: Receive) -> None:
    """Reads the rest of a refused body, within bounds.

    Closing a connection with unread bytes resets it, and the reset may overtake the reply.
    """
    if not _has_body(scope):
        return
    remaining = _DRAIN_BYTES
    with suppress(TimeoutError):
        async with asyncio.timeout(_DRAIN_SECONDS):
            while remaining > 0:
                message = await receive()
                remaining -= len(message.get("body", b""))
                if not message.get("more_body", False):
                    return


def _content_length(scope: Scope) -> int:
    """0 where the header is missing or not a number."""
    digits = Headers(scope=scope).get("content-length", "")
    # More digits than any real length has, and fewer than int() refuses.
    return int(digits[:20]) if digits.isascii() and digits.isdigit() else 0


def _has_body(scope: Scope) -> bool:
    return _content_length(scope) > 0 or "transfer-encoding" in Headers(scope=scope)
