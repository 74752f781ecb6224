"""What an author would want to mend: links that lead nowhere, words nobody explains, pages nobody finds."""

from glossator.lint.findings import CheckReport, Finding, FindingKind
from glossator.lint.pipeline import Find, check

__all__ = ["CheckReport", "Find", "Finding", "FindingKind", "check"]
