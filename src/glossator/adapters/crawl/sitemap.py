"""The addresses of a site's pages, from its sitemaps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import ParseError, XMLParser

from glossator.adapters.crawl.fetch import Fetcher, decompressed
from glossator.errors import CrawlFailed, PageUnreadable
from glossator.model import Skipped

_GZIP = b"\x1f\x8b"
_LONGEST_ADDRESS = 2048


@dataclass(slots=True)
class Sitemap:
    pages: list[str] = field(default_factory=list[str])
    sitemaps: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class SitemapListing:
    """The pages that the sitemaps of a site list, in their order."""

    pages: dict[str, None] = field(default_factory=dict[str, None])
    skipped: list[Skipped] = field(default_factory=list[Skipped])
    read: set[str] = field(default_factory=set[str])


def list_addresses(fetcher: Fetcher, sitemaps: Sequence[str], below: str) -> SitemapListing:
    """The pages whose paths begin with `below`. Raises CrawlFailed where a sitemap cannot be read."""
    listing = SitemapListing()
    level = list(sitemaps)
    for _ in range(fetcher.limits.depth + 1):
        found = (inner for address in level for inner in _add(listing, fetcher, address, below))
        level = [address for address in found if address not in listing.read]
    if level:
        raise CrawlFailed(
            f"The sitemaps of {fetcher.host.name} are nested more than {fetcher.limits.depth} deep."
        )
    return listing


def _add(listing: SitemapListing, fetcher: Fetcher, address: str, below: str) -> Sequence[str]:
    """Adds the pages of a sitemap; the sitemaps that it lists are returned."""
    try:
        url = str(fetcher.host.own(address))
        if url in listing.read:
            return ()
        listing.read.add(url)
        if len(listing.read) > fetcher.limits.sitemaps:
            raise CrawlFailed(f"{fetcher.host.name} has more than {fetcher.limits.sitemaps} sitemaps.")
        sitemap = read_sitemap(fetcher, url)
    except PageUnreadable as error:
        raise CrawlFailed(f"The sitemap {address} {error}.") from error
    for page in sitemap.pages:
        _add_page(listing, fetcher, page, below)
    return sitemap.sitemaps


def _add_page(listing: SitemapListing, fetcher: Fetcher, address: str, below: str) -> None:
    try:
        url = fetcher.host.own(address)
    except PageUnreadable as error:
        listing.skipped.append(Skipped(address[:_LONGEST_ADDRESS], str(error)))
        return
    if url.path.startswith(below):
        listing.pages[str(url)] = None
    if len(listing.pages) > fetcher.limits.pages:
        raise CrawlFailed(
            f"{fetcher.host.name} lists more than {fetcher.limits.pages} pages: name a part of it, such as "
            f"{fetcher.host.scheme}://{fetcher.host.name}/docs/, or raise GLOSSATOR_CRAWL_PAGES."
        )


def read_sitemap(fetcher: Fetcher, url: str) -> Sitemap:
    """Raises PageUnreadable."""
    most = fetcher.limits.sitemap_bytes
    fetched = fetcher.get(url, most_bytes=most)
    if fetched.status != 200:
        raise PageUnreadable(f"cannot be fetched: its server answers {fetched.status}")
    body = fetched.body
    if body.startswith(_GZIP):
        body = _unpacked(body, most)
    return parse_sitemap(body)


def _unpacked(body: bytes, most: int) -> bytes:
    """Unpacks the body of a file `sitemap.xml.gz`."""
    unpacked = bytearray()
    for piece in decompressed(iter((body,)), "gzip"):
        unpacked += piece
        if len(unpacked) > most:
            raise PageUnreadable(f"is longer than {most} bytes")
    return bytes(unpacked)


def parse_sitemap(body: bytes) -> Sitemap:
    """Raises PageUnreadable for what is no sitemap, and for one that defines entities of its own."""
    target = _Target()
    # A document type, without which there are no entities, is refused where it begins.
    parser = XMLParser(target=target)  # noqa: S314
    try:
        for start in range(0, len(body), 65_536):
            parser.feed(body[start : start + 65_536])
        parser.close()
    except ParseError as error:
        raise PageUnreadable("is no sitemap: it is no valid XML") from error
    if target.root not in ("urlset", "sitemapindex"):
        raise PageUnreadable("is no sitemap")
    return target.sitemap


class _Target:
    """Collects the addresses while the XML is read."""

    def __init__(self) -> None:
        self.sitemap = Sitemap()
        self.root = ""
        self._path = list[str]()
        self._text = list[str]()

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise PageUnreadable("is refused: it has a document type, which no sitemap needs")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition("}")[2]
        self.root = self.root or name
        self._path.append(name)
        self._text.clear()

    def data(self, text: str) -> None:
        if self._path[-2:] in (["url", "loc"], ["sitemap", "loc"]):
            self._text.append(text)

    def end(self, tag: str) -> None:
        address = "".join(self._text).strip()
        if address and self._path[-2:] == ["url", "loc"]:
            self.sitemap.pages.append(address)
        elif address and self._path[-2:] == ["sitemap", "loc"]:
            self.sitemap.sitemaps.append(address)
        self._path.pop()
        self._text.clear()

    def close(self) -> Iterator[str]:
        return iter(())
