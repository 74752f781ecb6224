"""Check a book: faults of its pages, links, pages that no search finds, terms without an explanation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from glossator.ingest.discover import read_page
from glossator.ingest.sites import Site
from glossator.lint.faults import faults
from glossator.lint.findings import CheckReport, Finding, FindingKind
from glossator.lint.links import follow
from glossator.lint.pages import BookPage, CheckedBook, read_book
from glossator.lint.terms import unexplained_terms

_ORDER = {kind: number for number, kind in enumerate(FindingKind)}


def check(path: Path, site: Site, find: Find | None = None) -> CheckReport:
    """Check the book at `path`; `find` searches the index, where there is one."""
    book = read_book(path, site)
    followed = follow(book)
    findings = [
        *faults(book),
        *followed.findings,
        *(never_retrieved(book, find) if find else ()),
        *unexplained_terms(book.pages),
    ]
    return CheckReport(
        pages=len(book.pages),
        links=followed.links,
        asked=find is not None,
        findings=tuple(_in_files(book, sorted(findings, key=lambda finding: _ORDER[finding.kind]))),
    )


def _in_files(book: CheckedBook, findings: Sequence[Finding]) -> Iterator[Finding]:
    """With the lines of the files where the text of a page was made from another format."""
    made = {page.path: page for page in book.pages if page.origins}
    for finding in findings:
        if finding.line is None or finding.page not in made:
            yield finding
        else:
            file = read_page(book.folders.root, finding.page).text
            yield replace(finding, line=made[finding.page].line_in_file(finding.line, file))


Find = Callable[[str], Sequence[str]]
"""A question to the paths of the pages of its best hits."""


def never_retrieved(book: CheckedBook, find: Find) -> Iterator[Finding]:
    """Pages that no question made from their own title and headings finds."""
    for page in book.pages:
        title = book.places[page.path].title
        questions = _questions(title, page)
        if page.document.blocks and not any(page.path in find(question) for question in questions):
            yield Finding(
                FindingKind.NEVER_RETRIEVED,
                page.path,
                None,
                f"None of the {len(questions)} questions made from its title and headings finds it.",
                title,
            )


def _questions(title: str, page: BookPage) -> list[str]:
    texts = (title, *(heading.text for heading in page.headings))
    return list(dict.fromkeys(" ".join(text.split()) for text in texts if text.strip()))
