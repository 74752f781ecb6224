"""Check a book: faults of its pages, links, pages that no search finds, terms without an explanation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

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
        findings=tuple(sorted(findings, key=lambda finding: _ORDER[finding.kind])),
    )


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
