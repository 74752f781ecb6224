"""Follow the links of a book and report the broken ones."""

from glossator.lint.links.follow import LinkReport, follow

__all__ = ["LinkReport", "follow"]
