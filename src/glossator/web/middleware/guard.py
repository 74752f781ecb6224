"""Around each contract's application: nobody gets in who may not, comes too often or brings too much."""

from __future__ import annotations

import asyncio
import math
from contextlib import suppress
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from glossator.errors import AnswerTimeout, GlossatorError, RequestBroken, RequestTooLarge
from glossator.model import Contract
from glossator.web.auth.access import Access
from glossator.web.auth.limits import RateHeaders, rate_headers, standing_of
from glossator.web.middleware.observe import note
from glossator.web.problem import Render, problem_of

OPEN_PATHS = frozenset({"/health", "/docs", "/openapi.json"})
"""Below a contract's prefix; what says nothing of the book and of nobody."""


@dataclass(frozen=True, slots=True)
class ContractTerms:
    """What a contract says of itself."""

    contract: Contract
    render: Render
    body_bytes: int
    rate_headers: RateHeaders = rate_headers
    open_paths: frozenset[str] = OPEN_PATHS
    asks: frozenset[str] = frozenset()
    """Paths for which there must be room."""
    body_seconds: float = 10.0


class Guard:
    """`Mount("/contracts/threads", Guard(app, access, terms))`."""

    def __init__(self, app: ASGIApp, access: Access, terms: ContractTerms) -> None:
        self._app = app
        self._access = access
        self._terms = terms

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            # No contract speaks it, so that nobody gets around the rules below.
            await send({"type": "websocket.close"})
            return
        if scope["type"] == "lifespan" or self._is_public(scope):
            await self._app(scope, receive, send)
            return
        # A dictionary of this request's own, whatever the server shares between them.
        scope["state"] = dict(scope.get("state", {}))
        send = self._telling(scope, send)
        try:
            if _path_below(scope) in self._terms.asks:
                self._access.check_room()
            caller = scope["state"]["caller"] = await self._access.admit(scope, self._terms.contract)
            note(key=caller.key)
            body = await self._body(scope, receive)
        except CallerLeft:
            # Or sent what is no body, which looks the same from here: whoever is still there hears of it.
            await self._refuse(RequestBroken(), scope, receive, send)
            return
        except GlossatorError as error:
            await self._refuse(error, scope, receive, send)
            return
        await self._app(scope, replay(body, receive), send)

    def _is_public(self, scope: Scope) -> bool:
        return scope["method"] == "OPTIONS" or _path_below(scope) in self._terms.open_paths

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        terms = self._terms
        return await whole_body(scope, receive, at_most=terms.body_bytes, seconds=terms.body_seconds)

    async def _refuse(self, error: GlossatorError, scope: Scope, receive: Receive, send: Send) -> None:
        problem = problem_of(error)
        response = self._terms.render(problem)
        if response.status_code == 401:
            response.headers["WWW-Authenticate"] = "Bearer"
        if problem.retry_after is not None:
            response.headers.setdefault("Retry-After", str(max(1, math.ceil(problem.retry_after))))
        await response(scope, receive, send)
        await linger(scope, receive)

    def _telling(self, scope: Scope, send: Send) -> Send:
        """Every reply says how the caller stands, in the contract's own words."""

        async def tell(message: Message) -> None:
            standing = standing_of(scope)
            if message["type"] == "http.response.start" and standing is not None:
                headers = MutableHeaders(scope=message)
                headers.update(self._terms.rate_headers(standing))
            await send(message)

        return tell


def _path_below(scope: Scope) -> str:
    """The path as the contract's own router reads it."""
    path: str = scope["path"]
    prefix: str = scope.get("root_path", "")
    return path[len(prefix) :] if path.startswith(f"{prefix}/") else path


# A request's body: whole and within its cap before anything parses it, and let go politely when refused.

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
