"""Check a book for faults: broken links, terms without an explanation, pages that no search finds."""

from glossator.lint.findings import CheckReport, FindingKind, PageFinding
from glossator.lint.pipeline import Find, check

__all__ = ["CheckReport", "Find", "FindingKind", "PageFinding", "check"]
