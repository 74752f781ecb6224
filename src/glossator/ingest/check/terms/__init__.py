"""The words of art of a book, and which of them nobody explains."""

from glossator.ingest.check.terms.unexplained import unexplained

__all__ = ["unexplained"]
