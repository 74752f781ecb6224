"""Read the book, look at each page, follow its links, ask for its pages, look for its words."""

from __future__ import annotations

from pathlib import Path

from glossator.ingest.check.faults import faults
from glossator.ingest.check.findings import CheckReport, FindingKind
from glossator.ingest.check.links import follow
from glossator.ingest.check.pages import read_book
from glossator.ingest.check.reach import Find, unreached
from glossator.ingest.check.terms import unexplained
from glossator.ingest.site import Site

_ORDER = {kind: number for number, kind in enumerate(FindingKind)}


def check(path: Path, site: Site, find: Find | None = None) -> CheckReport:
    """What is wrong with the book at `path`; `find` looks for pages in the index, where there is one."""
    book = read_book(path, site)
    followed = follow(book)
    findings = [
        *faults(book),
        *followed.findings,
        *(unreached(book, find) if find else ()),
        *unexplained(book.pages),
    ]
    return CheckReport(
        pages=len(book.pages),
        links=followed.links,
        asked=find is not None,
        findings=tuple(sorted(findings, key=lambda finding: _ORDER[finding.kind])),
    )
