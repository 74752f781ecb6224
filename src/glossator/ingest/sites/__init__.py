"""How a site generator publishes a book: addresses, anchors, chapters and reading order."""

from glossator.ingest.sites.detect import SiteOptions, locales_of, site_of
from glossator.ingest.sites.site import Directive, Heading, Order, PageFacts, PagePlace, Site, SiteKind

__all__ = [
    "Directive",
    "Heading",
    "Order",
    "PageFacts",
    "PagePlace",
    "Site",
    "SiteKind",
    "SiteOptions",
    "locales_of",
    "site_of",
]
