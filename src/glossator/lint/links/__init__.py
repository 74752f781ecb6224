"""Where the links of a book lead, and which lead nowhere."""

from glossator.lint.links.follow import Followed, follow

__all__ = ["Followed", "follow"]
