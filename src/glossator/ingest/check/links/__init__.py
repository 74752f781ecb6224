"""Where the links of a book lead, and which lead nowhere."""

from glossator.ingest.check.links.follow import Followed, follow

__all__ = ["Followed", "follow"]
