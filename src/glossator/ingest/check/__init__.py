"""What an author would want to mend: links that lead nowhere, words nobody explains, pages nobody finds."""

from glossator.ingest.check.findings import CheckReport, Finding, FindingKind
from glossator.ingest.check.pipeline import check
from glossator.ingest.check.reach import Find

__all__ = ["CheckReport", "Find", "Finding", "FindingKind", "check"]
