"""An ingest onto a Qdrant server that kills itself before one of its requests; run in a process of its own."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import httpx

from glossator.adapters.index.cache import SqliteCache
from glossator.adapters.index.server import Server
from glossator.adapters.index.server_store import ServerIndexStore
from glossator.ingest.pipeline import IngestTools, ingest
from glossator.ingest.sites import SiteKind, site_of
from glossator.model import IngestReport
from glossator.testing import SilentProgress, WordEmbedder


def run(book: Path, home: Path, server: Server, clock: Callable[[], float]) -> IngestReport:
    site = site_of(book, kind=SiteKind.PLAIN, base_url=None, route_base=None)
    index_store = ServerIndexStore(server, clock=clock)
    cache = SqliteCache(home / "cache.sqlite")
    return ingest(book, site, IngestTools(WordEmbedder(), index_store, cache, SilentProgress()))


def count_requests(book: Path, home: Path, url: str, name: str, now: float) -> int:
    requests = 0

    def count() -> None:
        nonlocal requests
        requests += 1

    _run_with(count, book, home, url, name, now)
    return requests


def die_at_request(book: Path, home: Path, url: str, name: str, now: float, request: int) -> None:
    left = request

    def count_down() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    _run_with(count_down, book, home, url, name, now)


def _run_with(
    before_request: Callable[[], None], book: Path, home: Path, url: str, name: str, now: float
) -> None:
    server = Server.connect(url, name, api_key=None, timeout=30)

    def send(request: httpx.Request, call_next: Callable[[httpx.Request], httpx.Response]) -> httpx.Response:
        before_request()
        return call_next(request)

    server.client.http.client.add_middleware(send)
    with closing(server.client):
        run(book, home, server, lambda: now)
