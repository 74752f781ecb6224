"""The words of art of a book, and which of them nobody explains."""

from glossator.lint.terms.explain import unexplained

__all__ = ["unexplained"]
