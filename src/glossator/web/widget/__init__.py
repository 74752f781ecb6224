"""The reader's widget as files that any page may load; `widget/` is their source.

A page of another origin fetches a module script as it fetches data: so everybody may read these, and nothing
about anybody is in them.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

_MEDIA_TYPES = {
    "widget.js": "text/javascript; charset=utf-8",
    "widget.js.map": "application/json",
    "widget.d.ts": "text/plain; charset=utf-8",
}
_HEADERS = {
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Cache-Control": "public, max-age=300, stale-while-revalidate=86400",
    "Vary": "Accept-Encoding",
    "X-Content-Type-Options": "nosniff",
}
_CODING = re.compile(r"\s*(gzip|x-gzip|\*)\s*(?:;\s*q=\s*([01](?:\.\d{0,3})?)\s*)?", re.IGNORECASE)


def widget_routes() -> list[BaseRoute]:
    return [Route(f"/{name}", _serve(name, media_type)) for name, media_type in _MEDIA_TYPES.items()]


def _serve(name: str, media_type: str) -> Callable[[Request], Awaitable[Response]]:
    """Read and compressed once."""
    body = files(__name__).joinpath(name).read_bytes()
    plain = _Variant.of(body, {"Content-Type": media_type})
    small = _Variant.of(
        gzip.compress(body, mtime=0), {"Content-Type": media_type, "Content-Encoding": "gzip"}
    )

    async def serve(request: Request) -> Response:
        return (small if _takes_gzip(request) else plain).reply(request)

    return serve


@dataclass(frozen=True, slots=True)
class _Variant:
    body: bytes
    etag: str
    headers: dict[str, str]

    @classmethod
    def of(cls, body: bytes, about: dict[str, str]) -> _Variant:
        etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        length = {"Content-Length": str(len(body))}
        return cls(body, etag, {**_HEADERS, **about, **length, "ETag": etag})

    def reply(self, request: Request) -> Response:
        if self._is_known(request):
            return Response(status_code=304, headers={**_HEADERS, "ETag": self.etag})
        return Response(b"" if request.method == "HEAD" else self.body, headers=self.headers)

    def _is_known(self, request: Request) -> bool:
        known = ",".join(request.headers.getlist("if-none-match")).split(",")
        return any(one.strip().removeprefix("W/") in (self.etag, "*") for one in known)


def _takes_gzip(request: Request) -> bool:
    """What is said of gzip itself counts before what is said of everything."""
    said = ",".join(request.headers.getlist("accept-encoding")).split(",")
    found = [match for one in said if (match := _CODING.fullmatch(one))]
    weights = {match[1].lower().removeprefix("x-"): float(match[2] or 1) for match in found}
    return weights.get("gzip", weights.get("*", 0.0)) > 0
