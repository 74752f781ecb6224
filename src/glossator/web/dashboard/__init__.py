"""The author's desk: what readers ask, and what the book lacks, as a page for an operator."""

from glossator.web.dashboard.routes import dashboard, enter

__all__ = ["dashboard", "enter"]
