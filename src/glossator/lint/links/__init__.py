"""Where the links of a book lead, and which lead nowhere."""

from glossator.lint.links.follow import LinkReport, follow

__all__ = ["LinkReport", "follow"]
