"""CORS for the whole server, refusals included: the origins of the keys may read our replies."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from glossator.errors import RecordsError
from glossator.web.auth.address import is_loopback_origin
from glossator.web.auth.keyring import Keyring

_METHODS = "GET, POST, DELETE"
_REQUEST_HEADERS = (
    "Authorization, X-API-Key, Content-Type, Accept, Idempotency-Key, Last-Event-ID, "
    "X-Glossator-Session, X-Glossator-Trace, traceparent, MCP-Protocol-Version, Mcp-Session-Id"
)
_RESPONSE_HEADERS = (
    "Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, "
    "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Trace-Id, X-Glossator-Session"
)
_MAX_AGE = "600"


class Cors:
    """Never allows `*` or credentials: a page sends its key in a header, not in a cookie."""

    def __init__(self, app: ASGIApp, keyring: Keyring) -> None:
        self._app = app
        self._keyring = keyring

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        origin = await self._allowed_origin(headers)
        if _is_preflight(scope, headers):
            await _preflight_reply(origin)(scope, receive, send)
            return
        await self._app(scope, receive, _with_cors_headers(origin, send))

    async def _allowed_origin(self, headers: Headers) -> str | None:
        """The page's origin, if a key has it, or if it is loopback and the server is open."""
        origins = headers.getlist("origin")
        if len(origins) != 1:
            return None
        origin = origins[0]
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
            "Access-Control-Allow-Headers": _REQUEST_HEADERS,
            "Access-Control-Max-Age": _MAX_AGE,
            "Vary": "Origin",
        },
    )


def _with_cors_headers(origin: str | None, send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            # Without an origin too, or a cache would give that reply to a page that sends one.
            headers.add_vary_header("Origin")
            if origin is not None and "Access-Control-Allow-Origin" not in headers:
                headers["Access-Control-Allow-Origin"] = origin
                headers["Access-Control-Expose-Headers"] = _RESPONSE_HEADERS
        await send(message)

    return send_with_headers
