"""A small site on a real socket, with whatever a test lets it send."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Reply:
    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


def html(text: str, **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(text.encode(), headers={"Content-Type": "text/html; charset=utf-8", **named})


def redirect(location: str) -> Reply:
    return Reply(status=302, headers={"Location": location})


class Site:
    """Pages by their path; what is not there is answered with 404."""

    def __init__(self, port: int) -> None:
        self.address = f"http://127.0.0.1:{port}"
        self.replies: dict[str, Reply] = {}
        self.requests: list[tuple[str, Mapping[str, str]]] = []

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.requests]

    def headers_of(self, path: str) -> Mapping[str, str]:
        """Of the last request for the path."""
        return next(headers for asked, headers in reversed(self.requests) if asked == path)

    def put(self, path: str, reply: Reply | str) -> None:
        self.replies[path] = html(reply) if isinstance(reply, str) else reply

    def list(self, *pages: str, path: str = "/sitemap.xml") -> None:
        """The sitemap; pages are paths of this site or whole addresses."""
        self.put(path, Reply(urlset(*map(self.whole, pages)).encode()))

    def whole(self, page: str) -> str:
        return page if "://" in page else self.address + page


def urlset(*pages: str) -> str:
    return f"<urlset>{''.join(f'<url><loc>{page}</loc></url>' for page in pages)}</urlset>"


def index(*sitemaps: str) -> Reply:
    listed = "".join(f"<sitemap><loc>{sitemap}</loc></sitemap>" for sitemap in sitemaps)
    return Reply(f"<sitemapindex>{listed}</sitemapindex>".encode())


@contextmanager
def served() -> Iterator[Site]:
    class Line(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.requests.append((self.path, dict(self.headers.items())))
            reply = site.replies.get(self.path, Reply(status=404))
            etag = reply.headers.get("ETag")
            status = 304 if etag and self.headers.get("If-None-Match") == etag else reply.status
            self.send_response(status)
            body = reply.body if status == 200 else b""
            for name, value in {"Content-Length": str(len(body)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self.wfile.write(body)
            except OSError:
                return  # whoever asked has read enough

        def log_message(self, format: str, *args: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Line)
    site = Site(server.server_port)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
