"""The technical terms of a book, and those that it never explains."""

from glossator.lint.terms.explain import unexplained_terms

__all__ = ["unexplained_terms"]
