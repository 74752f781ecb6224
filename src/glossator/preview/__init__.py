"""A book as a small site of its own, set from its Markdown, with the widget on every page."""

from glossator.preview.app import preview
from glossator.preview.edition import SiteOptions
from glossator.preview.widget import WidgetTag

__all__ = ["SiteOptions", "WidgetTag", "preview"]
