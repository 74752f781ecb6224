"""The technical terms of a book, and those that it never explains."""

from glossator.lint.terms.explain import TermCounts, unexplained_terms

__all__ = ["TermCounts", "unexplained_terms"]
