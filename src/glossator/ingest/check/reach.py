"""Pages that the index never finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from glossator.ingest.check.findings import Finding, FindingKind
from glossator.ingest.check.pages import Book, BookPage

Find = Callable[[str], Sequence[str]]
"""The paths of the pages that the best hits for a question stand on."""


def unreached(book: Book, find: Find) -> Iterator[Finding]:
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
