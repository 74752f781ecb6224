"""How much a crawl may take, from a site that may be broken or hostile."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CrawlLimits:
    pages: int = 5000
    delay: float = 0.5
    """Seconds between two requests; robots.txt may ask for more."""
    seconds: float = 3600.0
    """How long the whole crawl may take."""
    may_be_private: bool = False
    """Whether the host may have an address that is not of the public internet."""
    page_bytes: int = 5_000_000
    """The size of the largest page, after decompression; all numbers of bytes here are counted so."""
    total_bytes: int = 1_000_000_000
    sitemap_bytes: int = 20_000_000
    sitemaps: int = 200
    """How many sitemap files are read; a sitemap may be an index of others."""
    depth: int = 3
    """How deep indexes of sitemaps may be nested."""
    redirects: int = 5
    page_seconds: float = 60.0
    """How long one response may take, however slowly it arrives."""
    longest_wait: float = 30.0
    """Seconds that a site may ask us to wait between requests or before trying again."""
    attempts: int = 2
    """How often a page is requested whose server says that it is busy."""
