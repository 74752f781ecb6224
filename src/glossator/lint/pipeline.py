"""Read the book, look at each page, follow its links, ask for its pages, look for its words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from glossator.ingest.sites import Site
from glossator.lint.faults import faults
from glossator.lint.findings import CheckReport, Finding, FindingKind
from glossator.lint.links import follow
from glossator.lint.pages import BookPage, CheckedBook, read_book
from glossator.lint.terms import unexplained

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


# Pages that the index never finds.

Find = Callable[[str], Sequence[str]]
"""The paths of the pages that the best hits for a question stand on."""


def unreached(book: CheckedBook, find: Find) -> Iterator[Finding]:
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
    asked = (title, *(heading.text for heading in page.headings))
    return list(dict.fromkeys(" ".join(question.split()) for question in asked if question.strip()))
