"""What robots.txt allows us, and where it says that the sitemaps are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from protego import Protego

from glossator.adapters.crawl.fetch import AGENT, Fetcher
from glossator.errors import CrawlFailed, PageUnreadable

_MOST_BYTES = 500_000


@dataclass(frozen=True, slots=True)
class Robots:
    rules: Protego
    sitemaps: Sequence[str]

    def allows(self, url: str) -> bool:
        return self.rules.can_fetch(url, AGENT)


def read_robots(fetcher: Fetcher) -> Robots:
    """Raises CrawlFailed where it cannot be known what is allowed: then nothing is."""
    host = fetcher.host
    try:
        fetched = fetcher.get(f"{host.scheme}://{_authority(fetcher)}/robots.txt", most_bytes=_MOST_BYTES)
    except PageUnreadable as error:
        raise CrawlFailed(f"The robots.txt of {host.name} {error}.") from error
    text = fetched.body.decode("utf-8", errors="replace") if fetched.status == 200 else ""
    rules = Protego.parse(text)
    fetcher.slow_down(rules.crawl_delay(AGENT) or 0.0)
    return Robots(rules, list(rules.sitemaps))


def _authority(fetcher: Fetcher) -> str:
    host = fetcher.host
    name = f"[{host.name}]" if ":" in host.name else host.name
    return f"{name}:{host.port}"
