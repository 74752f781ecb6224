"""How much a crawl may take, from a site that may be broken or hostile."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CrawlLimits:
    pages: int = 5000
    delay: float = 0.5
    """Seconds between two requests; robots.txt may ask for more."""
    seconds: float = 3600.0
    """For the whole crawl."""
    may_be_private: bool = False
    """Whether the host may have an address that is not of the public internet."""
    page_bytes: int = 5_000_000
    """After decompression, as all numbers of bytes here."""
    total_bytes: int = 1_000_000_000
    sitemap_bytes: int = 20_000_000
    sitemaps: int = 200
    """Files; a sitemap may be an index of others."""
    depth: int = 3
    """Of indexes in indexes."""
    redirects: int = 5
    page_seconds: float = 60.0
    """For one response, however slowly it comes."""
    longest_wait: float = 30.0
    """Seconds that a site may ask us to wait between requests or before trying again."""
    attempts: int = 2
    """For a page whose server says that it is busy."""
