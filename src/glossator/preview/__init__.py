"""The preview: a book rendered from its Markdown as a small site, with the widget on every page."""

from glossator.ingest.sites import SiteOptions
from glossator.preview.app import WidgetTag, preview

__all__ = ["SiteOptions", "WidgetTag", "preview"]
