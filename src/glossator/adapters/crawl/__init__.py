"""Fetch the pages of a published site, politely and within limits; an ingest reads them as a built site."""

from glossator.adapters.crawl.crawl import CrawledSite, crawl
from glossator.adapters.crawl.limits import CrawlLimits

__all__ = ["CrawlLimits", "CrawledSite", "crawl"]
