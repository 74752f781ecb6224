"""Lets pages read our replies, the refusals too: around the whole server, by the origins of the keys."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from glossator.errors import RecordsError
from glossator.web.auth.address import is_loopback_origin
from glossator.web.auth.keyring import Keyring

_METHODS = "GET, POST, DELETE"
_SENT = (
    "Authorization, X-API-Key, Content-Type, Accept, Idempotency-Key, Last-Event-ID, "
    "X-Glossator-Session, X-Glossator-Trace, traceparent, MCP-Protocol-Version, Mcp-Session-Id"
)
_EXPOSED = (
    "Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, "
    "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Trace-Id, X-Glossator-Session"
)
_MAX_AGE = "600"


class Cors:
    """Never `*`, and never with credentials: a key is a header that a page sends, not a cookie it has."""

    def __init__(self, app: ASGIApp, keyring: Keyring) -> None:
        self._app = app
        self._keyring = keyring

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        origin = await self._allowed(headers)
        if _is_preflight(scope, headers):
            await _preflight_reply(origin)(scope, receive, send)
            return
        await self._app(scope, receive, _telling(origin, send))

    async def _allowed(self, headers: Headers) -> str | None:
        """The page's origin, where it is one of a key's."""
        sent = headers.getlist("origin")
        if len(sent) != 1:
            return None
        origin = sent[0]
        if origin in await self._keyring.origins():
            return origin
        return origin if is_loopback_origin(origin) and await self._is_open() else None

    async def _is_open(self) -> bool:
        try:
            return await self._keyring.is_open()
        except RecordsError:
            return False


def _is_preflight(scope: Scope, headers: Headers) -> bool:
    return scope["method"] == "OPTIONS" and "origin" in headers and "access-control-request-method" in headers


def _preflight_reply(origin: str | None) -> Response:
    if origin is None:
        return Response(status_code=403, headers={"Vary": "Origin"})
    return Response(
        status_code=204,
        headers={
            "Access-Control-Allow-Origin": origin,
            "Access-Control-Allow-Methods": _METHODS,
            "Access-Control-Allow-Headers": _SENT,
            "Access-Control-Max-Age": _MAX_AGE,
            "Vary": "Origin",
        },
    )


def _telling(origin: str | None, send: Send) -> Send:
    async def tell(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            # Also where no page asks, or a cache would hand that reply to one that does.
            headers.add_vary_header("Origin")
            if origin is not None and "Access-Control-Allow-Origin" not in headers:
                headers["Access-Control-Allow-Origin"] = origin
                headers["Access-Control-Expose-Headers"] = _EXPOSED
        await send(message)

    return tell
