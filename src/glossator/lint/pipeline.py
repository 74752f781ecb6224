"""Check a book: faults of its pages, links, pages that no search finds, terms without an explanation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from glossator.errors import PageUnreadable
from glossator.ingest.discover import list_pages, read_page
from glossator.ingest.sites import PageFacts, PagePlace, Site
from glossator.lint.faults import book_faults, page_faults
from glossator.lint.findings import CheckReport, FindingKind, PageFinding
from glossator.lint.links import LinkReport, follow
from glossator.lint.links.resolve import Link, internal_links
from glossator.lint.links.routes import Anchors, anchors
from glossator.lint.pages import (
    BookPage,
    CheckedBook,
    Folders,
    contents_page,
    folders_of,
    parse_page,
    read_page_of,
)
from glossator.lint.terms import TermCounts, unexplained_terms
from glossator.lint.terms.prose import Prose, prose
from glossator.model import Skipped

_ORDER = {kind: number for number, kind in enumerate(FindingKind)}


def check(path: Path, site: Site, find: Find | None = None) -> CheckReport:
    """Check the book at `path`; `find` searches the index, where there is one."""
    book, pages, counts = _read_book(path, site, find)
    followed = _follow(book, pages)
    findings = [
        *book_faults(book),
        *(fault for page in pages for fault in page.faults),
        *followed.findings,
        *unexplained_terms(counts, _prose_again(book)),
    ]
    return CheckReport(
        pages=len(pages),
        links=followed.links,
        asked=find is not None,
        findings=tuple(_in_files(book, pages, sorted(findings, key=lambda finding: _ORDER[finding.kind]))),
    )


@dataclass(frozen=True, slots=True)
class ExaminedPage:
    """What the check of the whole book needs of a page: nothing of its text."""

    path: str
    place: PagePlace
    faults: tuple[PageFinding, ...]
    links: tuple[Link, ...]
    anchors: Anchors
    is_made: bool
    """Whether its text was made from another format than Markdown."""


def _read_book(
    path: Path, site: Site, find: Find | None
) -> tuple[CheckedBook, list[ExaminedPage], TermCounts]:
    """The pages in reading order."""
    listing = list_pages(path, site.is_page)
    folders = folders_of(listing.root, site)
    pages, unreadable, counts = list[ExaminedPage](), list(listing.skipped), TermCounts()
    for name in listing.paths:
        try:
            page = parse_page(read_page_of(listing.root, name, site), site)
        except PageUnreadable as error:
            unreadable.append(Skipped(name, str(error)))
        else:
            pages.append(_examine(page, site, folders, find))
            for part in prose(page):
                counts.add(part)
    pages.sort(key=lambda page: (page.place.order, page.path))
    book = CheckedBook(
        folders=folders,
        site=site,
        places={page.path: page.place for page in pages},
        contents=contents_page(listing.root, site),
        unreadable=tuple(unreadable),
    )
    return book, pages, counts


def _examine(page: BookPage, site: Site, folders: Folders, find: Find | None) -> ExaminedPage:
    place = site.place(PageFacts(page.path, page.document.front_matter, page.headings))
    return ExaminedPage(
        path=page.path,
        place=place,
        faults=(*page_faults(page, folders), *(never_retrieved(page, place, find) if find else ())),
        links=tuple(internal_links(page)),
        anchors=anchors(page, site, folders),
        is_made=bool(page.origins),
    )


def _follow(book: CheckedBook, pages: Sequence[ExaminedPage]) -> LinkReport:
    links = [(page.path, link) for page in pages for link in page.links]
    if book.contents:
        links += [(book.contents.path, link) for link in internal_links(book.contents)]
    return follow(book, links, {page.path: page.anchors for page in pages})


def _prose_again(book: CheckedBook) -> Iterator[Prose]:
    """Parses the pages a second time, because their prose is too much to hold until the terms are known."""
    for path in book.places:
        with suppress(PageUnreadable):
            yield from prose(parse_page(read_page_of(book.folders.root, path, book.site), book.site))


def _in_files(
    book: CheckedBook, pages: Sequence[ExaminedPage], findings: Sequence[PageFinding]
) -> Iterator[PageFinding]:
    """Replaces lines by those of the files where the text of a page was made from another format."""
    made, root = {page.path for page in pages if page.is_made}, book.folders.root

    @lru_cache(1)
    def made_page(path: str) -> BookPage:
        return parse_page(read_page_of(root, path, book.site), book.site)

    for finding in findings:
        if finding.line is None or finding.page not in made:
            yield finding
        else:
            file = read_page(root, finding.page).text
            yield replace(finding, line=made_page(finding.page).line_in_file(finding.line, file))


Find = Callable[[str], Sequence[str]]
"""Takes a question, and returns the paths of the pages of its best hits."""


def never_retrieved(page: BookPage, place: PagePlace, find: Find) -> Iterator[PageFinding]:
    """Whether no question made from the page's own title and headings finds it."""
    texts = (place.title, *(heading.text for heading in page.headings))
    questions = list(dict.fromkeys(" ".join(text.split()) for text in texts if text.strip()))
    if page.document.blocks and not any(page.path in find(question) for question in questions):
        message = f"None of the {len(questions)} questions made from its title and headings finds it."
        yield PageFinding(FindingKind.NEVER_RETRIEVED, page.path, None, message, place.title)
