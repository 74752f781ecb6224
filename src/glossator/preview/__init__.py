"""The preview: a book rendered from its Markdown as a small site, with the widget on every page."""

from glossator.preview.app import WidgetTag, preview
from glossator.preview.edition import SiteOptions

__all__ = ["SiteOptions", "WidgetTag", "preview"]
