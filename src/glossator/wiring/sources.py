"""Where a book is read from: a folder or a page on disk, or a published site."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from glossator.errors import SettingsError
from glossator.ingest.sites import Site, SiteOptions
from glossator.ingest.sites.html_site import html_site
from glossator.model import Skipped
from glossator.ports import Progress
from glossator.settings import Settings

CRAWLED = "web"
"""The folder of fetched pages, beside the index of the book."""


@dataclass(frozen=True, slots=True)
class BookSource:
    path: Path
    site: Site
    skipped: tuple[Skipped, ...] = ()
    """Pages that could not be fetched."""


def is_address(text: str) -> bool:
    return text.lower().startswith(("http://", "https://"))


def source_of(text: str, options: SiteOptions, settings: Settings, progress: Progress) -> BookSource:
    """The book at a path, or at the address of a site, whose pages are fetched."""
    if is_address(text):
        return _fetched(text, options, settings, progress)
    return BookSource(Path(text), options.site(Path(text)))


def _fetched(address: str, options: SiteOptions, settings: Settings, progress: Progress) -> BookSource:
    from glossator.adapters.crawl import CrawlLimits, crawl

    if options != SiteOptions(title=options.title):
        raise SettingsError(f"The pages of {address} have addresses already: only --title can be set.")
    limits = CrawlLimits(
        pages=settings.crawl_pages,
        delay=settings.crawl_delay,
        seconds=settings.crawl_seconds,
        may_be_private=settings.crawl_private,
    )
    crawled = crawl(address, settings.index_home / CRAWLED, limits, progress)
    site = html_site(crawled.folder, base_url=crawled.home, title=options.title, fetched=crawled.addresses)
    return BookSource(crawled.folder, site, crawled.skipped)
