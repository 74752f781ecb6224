"""Serves the widget's built files, which any page may load; their source is in `widget/`.

Browsers fetch a module script of another origin with CORS, so every origin may read these files. They hold
nothing about readers.
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
    """Reads and compresses the file once."""
    body = files(__name__).joinpath(name).read_bytes()
    plain = _Variant.of(body, {"Content-Type": media_type})
    compressed = _Variant.of(
        gzip.compress(body, mtime=0), {"Content-Type": media_type, "Content-Encoding": "gzip"}
    )

    async def serve(request: Request) -> Response:
        return (compressed if _accepts_gzip(request) else plain).reply(request)

    return serve


@dataclass(frozen=True, slots=True)
class _Variant:
    body: bytes
    etag: str
    headers: dict[str, str]

    @classmethod
    def of(cls, body: bytes, headers: dict[str, str]) -> _Variant:
        etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        length = {"Content-Length": str(len(body))}
        return cls(body, etag, {**_HEADERS, **headers, **length, "ETag": etag})

    def reply(self, request: Request) -> Response:
        if self._is_cached(request):
            return Response(status_code=304, headers={**_HEADERS, "ETag": self.etag})
        return Response(b"" if request.method == "HEAD" else self.body, headers=self.headers)

    def _is_cached(self, request: Request) -> bool:
        etags = ",".join(request.headers.getlist("if-none-match")).split(",")
        return any(etag.strip().removeprefix("W/") in (self.etag, "*") for etag in etags)


def _accepts_gzip(request: Request) -> bool:
    """The weight of `gzip` itself overrules that of `*`."""
    codings = ",".join(request.headers.getlist("accept-encoding")).split(",")
    matches = [match for coding in codings if (match := _CODING.fullmatch(coding))]
    weights = {match[1].lower().removeprefix("x-"): float(match[2] or 1) for match in matches}
    return weights.get("gzip", weights.get("*", 0.0)) > 0
