"""Crawl a site: robots.txt, then its sitemaps, then its pages, one after the other."""

from __future__ import annotations

import codecs
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from glossator.adapters.crawl.fetch import Fetched, Fetcher, Unreachable
from glossator.adapters.crawl.host import OwnHost, parsed
from glossator.adapters.crawl.limits import CrawlLimits
from glossator.adapters.crawl.robots import Robots, read_robots
from glossator.adapters.crawl.sitemap import SitemapListing, list_addresses
from glossator.adapters.crawl.store import PageStore
from glossator.errors import CrawlFailed, PageUnreadable
from glossator.model import Skipped
from glossator.ports import Progress

_HTML = ("text/html", "application/xhtml+xml")
_CHARSET = re.compile(rb"<meta[^<>]{0,200}?charset\s*+=\s*+[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_CHARSETS = re.compile(
    r"ascii|big5\w*|cp125\d|cp874|euc_\w+|gb\w+|iso8859-\d+|koi8-[rut]|shift_jis\w*|utf-(8|16).*"
)
"""Python's names of the encodings of pages; Python also decodes others, such as `punycode`."""
_SNIFFED_BYTES = 1024
_MOST_FAILURES = 1 / 3
_MOST_IN_A_ROW = 5
"""The crawl gives up after so many pages in a row for which the host did not answer."""
_NAMED = 3
_SAVED_EVERY = 50


@dataclass(frozen=True, slots=True)
class CrawledSite:
    folder: Path
    """The folder of the fetched pages, laid out like a built site."""
    home: str
    addresses: Mapping[str, str]
    """The address of each page, by its path in the folder."""
    skipped: tuple[Skipped, ...]


def crawl(
    address: str,
    folder: Path,
    limits: CrawlLimits,
    progress: Progress,
    sleep: Callable[[float], None] = time.sleep,
) -> CrawledSite:
    """`address` is that of a sitemap or of a site. Pages that did not change come from `folder`.

    Raises CrawlFailed where the sitemaps or more than a third of the pages cannot be fetched.
    """
    with Fetcher(OwnHost.of(address), limits, sleep) as fetcher:
        robots = read_robots(fetcher)
        listing = _listing(fetcher, robots, address)
        store = PageStore.open(folder / _folder_name(fetcher.host))
        _Crawl(fetcher, robots, store, progress).run(listing)
    return _crawled(store, listing, address)


def _listing(fetcher: Fetcher, robots: Robots, address: str) -> SitemapListing:
    url = fetcher.host.own(address)
    if url.path.endswith((".xml", ".xml.gz", ".gz")):
        return list_addresses(fetcher, [str(url)], "/")
    below = url.path if url.path.endswith("/") else url.path.rpartition("/")[0] + "/"
    own = [sitemap for sitemap in robots.sitemaps if fetcher.host.has(sitemap)]
    sitemaps = own or robots.sitemaps or _guessed(fetcher, str(url.copy_with(path=below, query=None)))
    listing = list_addresses(fetcher, sitemaps, below)
    if not listing.pages:
        raise CrawlFailed(f"The sitemaps of {fetcher.host.name} list no page below {below}.")
    return listing


def _guessed(fetcher: Fetcher, address: str) -> Sequence[str]:
    """The usual places: beside the pages, then at the root of the host."""
    root = str(fetcher.host.own(address).copy_with(path="/"))
    for sitemap in dict.fromkeys((f"{address}sitemap.xml", f"{root}sitemap.xml")):
        try:
            if fetcher.get(sitemap, most_bytes=fetcher.limits.sitemap_bytes).status == 200:
                return [sitemap]
        except PageUnreadable as error:
            raise CrawlFailed(f"The sitemap {sitemap} {error}.") from error
    raise CrawlFailed(
        f"{fetcher.host.name} has no sitemap, neither in its robots.txt nor at {root}sitemap.xml."
    )


def _folder_name(host: OwnHost) -> str:
    return f"{re.sub(r'[^A-Za-z0-9.-]', '-', host.name)[:100]}-{host.port}"


@dataclass(slots=True)
class _Crawl:
    fetcher: Fetcher
    robots: Robots
    store: PageStore
    progress: Progress
    failed: list[Skipped] = field(default_factory=list[Skipped])
    silent: int = 0
    """Pages in a row for which the host did not answer."""

    def run(self, listing: SitemapListing) -> None:
        self.progress.start("Fetching pages", len(listing.pages))
        is_complete = False
        try:
            for number, address in enumerate(listing.pages, 1):
                self._page(address, listing)
                self.progress.advance(1)
                if number % _SAVED_EVERY == 0:
                    self.store.save(is_complete=False)
            self._refuse_many_failures(len(listing.pages))
            is_complete = True
        finally:
            self.store.save(is_complete=is_complete)
        self.progress.finish()
        listing.skipped += self.failed

    def _page(self, address: str, listing: SitemapListing) -> None:
        if not self.robots.allows(address):
            listing.skipped.append(Skipped(address, "is not allowed by robots.txt"))
            return
        try:
            self._store(address, self._fetched(address))
            self.silent = 0
        except PageUnreadable as error:
            self.silent = self.silent + 1 if isinstance(error, Unreachable) else 0
            kept = "; its earlier copy is used" if self.store.keep(address) else ""
            self.failed.append(Skipped(address, f"{error}{kept}"))
            if self.silent >= _MOST_IN_A_ROW:
                raise CrawlFailed(f"{self.fetcher.host.name} does not answer: {address} {error}.") from error

    def _fetched(self, address: str) -> Fetched:
        known = self.store.known.get(address)
        conditions = {"If-None-Match": known.etag, "If-Modified-Since": known.modified} if known else {}
        headers = {name: value for name, value in conditions.items() if value}
        return self.fetcher.get(address, headers=headers, may_follow=self.robots.allows)

    def _store(self, address: str, fetched: Fetched) -> None:
        if fetched.status == 304 and self.store.keep(address):
            return
        if fetched.status != 200:
            self.failed.append(Skipped(address, f"is not there: its server answers {fetched.status}"))
            return
        if "noindex" in fetched.headers.get("x-robots-tag", "").lower():
            return
        if self.store.has(fetched.url):
            return
        self.store.add(
            address,
            fetched.url,
            decoded(fetched),
            etag=fetched.headers.get("etag", ""),
            modified=fetched.headers.get("last-modified", ""),
        )

    def _refuse_many_failures(self, pages: int) -> None:
        if len(self.failed) > _MOST_FAILURES * pages:
            named = ", ".join(f"{page.page} {page.reason}" for page in self.failed[:_NAMED])
            raise CrawlFailed(
                f"{len(self.failed)} of the {pages} pages of {self.fetcher.host.name} cannot be fetched "
                f"({named}). Nothing was changed."
            )


def decoded(fetched: Fetched) -> str:
    """Raises PageUnreadable for what is no HTML."""
    kind, _, parameters = fetched.headers.get("content-type", "text/html").partition(";")
    if kind.strip().lower() not in _HTML:
        raise PageUnreadable(f"is {kind.strip()[:60]} and not HTML")
    named = re.search(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", parameters, re.IGNORECASE)
    sniffed = _CHARSET.search(fetched.body[:_SNIFFED_BYTES])
    charset = named[1] if named else sniffed[1].decode("ascii", "replace") if sniffed else "utf-8"
    for name in (charset, "utf-8"):
        try:
            found = codecs.lookup(name).name
            if _CHARSETS.fullmatch(found):
                return fetched.body.decode("utf-8-sig" if found == "utf-8" else found)
        except (LookupError, UnicodeDecodeError):
            continue
    # As browsers do: every byte is a letter there.
    return fetched.body.decode("windows-1252", errors="replace")


def _crawled(store: PageStore, listing: SitemapListing, address: str) -> CrawledSite:
    url = parsed(address)
    return CrawledSite(
        folder=store.pages,
        home=str(url.copy_with(path="/", query=None)) if url else "",
        addresses={page.file: page.url for page in store.current.values()},
        skipped=tuple(listing.skipped),
    )
