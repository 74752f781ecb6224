"""A book as a small site of its own, set from its Markdown, with the widget on every page."""

from glossator.preview.app import WidgetTag, preview
from glossator.preview.edition import SiteOptions

__all__ = ["SiteOptions", "WidgetTag", "preview"]
