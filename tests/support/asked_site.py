"""A book as its generator publishes it, and a server that the book's pages, and nobody else, may ask."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from glossator.ingest.pipeline import ingest
from glossator.ingest.sites import Site
from glossator.settings import Settings
from glossator.testing import SilentProgress
from glossator.wiring import ingest_tools_of
from support.browser_server import pages, serve
from support.widget_reader import publishable_key

BASE = "/book/"


@dataclass(frozen=True)
class AskedSite:
    origin: str
    folder: Path
    """What is published at the base url."""
    server: str
    key: str

    @property
    def url(self) -> str:
        return self.origin + BASE


class Publishing(Protocol):
    """How a generator makes a site out of a book."""

    def read(self, url: str) -> tuple[Path, Site]:
        """The book, to be published at this url, and its addresses."""
        ...

    def build(self, site: AskedSite) -> None:
        """Puts the built pages into the site's folder."""
        ...


@contextmanager
def asked_site(folder: Path, home: Path, publishing: Publishing) -> Generator[AskedSite]:
    """On two origins, as in the world: one for the pages, one for the server."""
    published, work = folder / "published", folder / "work"
    published.mkdir()
    work.mkdir()
    with pages(published) as origin:
        book, addresses = publishing.read(origin + BASE)
        tools = ingest_tools_of(Settings(home=home), SilentProgress(), say=lambda message: None)
        ingest(book, addresses, tools)
        key = publishable_key(work, home, origin)
        with serve(work, home, requests_per_minute="100000") as server:
            site = AskedSite(origin, published / BASE.strip("/"), server.url, key)
            publishing.build(site)
            yield site
