"""Fetch one page after the other from the own host: each hop checked, each response bounded."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from types import TracebackType

import httpx2

from glossator.adapters.crawl.host import OwnHost
from glossator.adapters.crawl.limits import CrawlLimits
from glossator.errors import CrawlFailed, PageUnreadable

AGENT = "Glossator"
"""The name that robots.txt may use for us."""
_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.1"
_CONNECT_SECONDS = 10.0
_READ_SECONDS = 30.0
_PIECE = 65_536
_REDIRECTS = (301, 302, 303, 307, 308)
_BUSY = (429, 503)


@dataclass(frozen=True, slots=True)
class Fetched:
    url: str
    """The final address, after redirects."""
    status: int
    """200, 304, or one that says that there is no such page."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""


class Unreachable(PageUnreadable):
    """The host does not answer."""


class Fetcher:
    """Asks one host, one request at a time. Raises PageUnreadable for what cannot be fetched."""

    def __init__(
        self, host: OwnHost, limits: CrawlLimits, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.host = host
        self.limits = limits
        self._sleep = sleep
        self._bytes_left = limits.total_bytes
        self._deadline = time.monotonic() + limits.seconds
        self._next_request = 0.0
        # Without the environment: a proxy would look the host up again.
        self._http = httpx2.Client(
            trust_env=False,
            follow_redirects=False,
            headers={
                "User-Agent": f"{AGENT}/{version('glossator')} (reads the site into the index of its book)",
                "Accept": _ACCEPT,
                "Accept-Encoding": "gzip",
            },
            timeout=httpx2.Timeout(_READ_SECONDS, connect=_CONNECT_SECONDS),
        )

    def slow_down(self, delay: float) -> None:
        self.limits = replace(self.limits, delay=max(self.limits.delay, min(delay, self.limits.longest_wait)))

    def get(
        self,
        address: str,
        *,
        most_bytes: int | None = None,
        headers: Mapping[str, str] | None = None,
        may_follow: Callable[[str], bool] = lambda url: True,
    ) -> Fetched:
        url = self.host.own(address)
        for _ in range(self.limits.redirects + 1):
            fetched = self._patiently(url, most_bytes or self.limits.page_bytes, headers or {})
            if fetched.status not in _REDIRECTS:
                return fetched
            url = self._next(url, fetched.headers.get("location", ""))
            if not may_follow(str(url)):
                raise PageUnreadable(f"leads to {url}, which robots.txt does not allow")
        raise PageUnreadable(f"redirects more than {self.limits.redirects} times")

    def _next(self, url: httpx2.URL, location: str) -> httpx2.URL:
        """Returns where a redirect leads; that address is checked like every other."""
        try:
            return self.host.own(str(url.join(location)))
        except (PageUnreadable, httpx2.InvalidURL, ValueError) as error:
            reason = str(error) if isinstance(error, PageUnreadable) else "is no address of a page"
            raise PageUnreadable(f"leads to {location[:200]}, which {reason}") from error

    def _patiently(self, url: httpx2.URL, most_bytes: int, headers: Mapping[str, str]) -> Fetched:
        fetched = self._once(url, most_bytes, headers)
        for _ in range(self.limits.attempts - 1):
            if fetched.status not in _BUSY:
                break
            self._sleep(min(_seconds(fetched.headers.get("retry-after", "")), self.limits.longest_wait))
            fetched = self._once(url, most_bytes, headers)
        if fetched.status >= 500 or fetched.status in (401, 403, 429):
            raise PageUnreadable(f"cannot be fetched: its server answers {fetched.status}")
        return fetched

    def _once(self, url: httpx2.URL, most_bytes: int, headers: Mapping[str, str]) -> Fetched:
        addresses = self.host.resolve(url, may_be_private=self.limits.may_be_private)
        *others, last = addresses
        for address in others:
            try:
                return self._request(url, address, most_bytes, headers)
            except Unreachable:
                continue
        return self._request(url, last, most_bytes, headers)

    def _request(self, url: httpx2.URL, address: str, most_bytes: int, headers: Mapping[str, str]) -> Fetched:
        self._wait()
        request = self._http.build_request(
            "GET",
            url.copy_with(host=address),
            headers={**headers, "Host": url.netloc.decode("ascii")},
            extensions={"sni_hostname": url.raw_host.decode("ascii")},
        )
        with _translated():
            response = self._http.send(request, stream=True)
            try:
                found = {name.lower(): value for name, value in response.headers.items()}
                body = self._body(response, most_bytes) if response.status_code == 200 else b""
                return Fetched(str(url), response.status_code, found, body)
            finally:
                response.close()

    def _wait(self) -> None:
        now = time.monotonic()
        if now > self._deadline:
            raise CrawlFailed(
                f"The pages of {self.host.name} were not fetched in {self.limits.seconds:g} seconds. "
                "Those that were are kept: the next ingest goes on from there."
            )
        if self._next_request > now:
            self._sleep(self._next_request - now)
        self._next_request = time.monotonic() + self.limits.delay

    def _body(self, response: httpx2.Response, most_bytes: int) -> bytes:
        ends = time.monotonic() + self.limits.page_seconds
        body = bytearray()
        most = min(most_bytes, self._bytes_left)
        for piece in decompressed(response.iter_raw(_PIECE), response.headers.get("content-encoding", "")):
            body += piece
            if len(body) > most:
                break
            if time.monotonic() > ends:
                raise PageUnreadable("cannot be fetched: it comes too slowly")
        self._bytes_left -= len(body)
        if self._bytes_left < 0:
            raise CrawlFailed(f"{self.host.name} has more than {self.limits.total_bytes} bytes of pages.")
        if len(body) > most_bytes:
            raise PageUnreadable(f"is longer than {most_bytes} bytes")
        return bytes(body)

    def __enter__(self) -> Fetcher:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()


def decompressed(pieces: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    """Yields pieces of bounded size, whatever they were compressed from. Raises PageUnreadable."""
    if encoding.lower() in ("", "identity"):
        yield from pieces
        return
    if encoding.lower() not in ("gzip", "x-gzip"):
        raise PageUnreadable(f"is compressed as {encoding[:40]}, which was not asked for")
    decompressor = zlib.decompressobj(wbits=31)
    try:
        for piece in pieces:
            found = decompressor.decompress(piece, _PIECE)
            while found:
                yield found
                found = decompressor.decompress(decompressor.unconsumed_tail, _PIECE)
    except zlib.error as error:
        raise PageUnreadable("is not compressed as it says") from error
    if not decompressor.eof:
        raise PageUnreadable("is incomplete")


def _seconds(text: str) -> float:
    return float(text) if text.isascii() and text.isdigit() and len(text) < 6 else 5.0


@contextmanager
def _translated() -> Generator[None]:
    try:
        yield
    except httpx2.TimeoutException as error:
        raise Unreachable("cannot be fetched: its server does not answer in time") from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise Unreachable("cannot be fetched: its server cannot be reached") from error
