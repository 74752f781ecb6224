"""Check a book: faults of its pages, links, pages that no search finds, terms without an explanation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
    unread_page,
)
from glossator.lint.terms import unexplained_terms
from glossator.lint.terms.prose import Prose, prose
from glossator.model import Skipped

_ORDER = {kind: number for number, kind in enumerate(FindingKind)}


def check(path: Path, site: Site, find: Find | None = None) -> CheckReport:
    """Check the book at `path`; `find` searches the index, where there is one."""
    book, pages = read_book(path, site)
    followed = _follow(book, pages)
    findings = [
        *book_faults(book),
        *(fault for page in pages for fault in page.faults),
        *followed.findings,
        *(never_retrieved(pages, find) if find else ()),
        *unexplained_terms([part for page in pages for part in page.prose]),
    ]
    return CheckReport(
        pages=len(pages),
        links=followed.links,
        asked=find is not None,
        findings=tuple(_in_files(book, pages, sorted(findings, key=lambda finding: _ORDER[finding.kind]))),
    )


@dataclass(frozen=True, slots=True)
class ExaminedPage:
    """What the check of the whole book needs of a page."""

    page: BookPage
    """The page without its text."""
    place: PagePlace
    faults: tuple[PageFinding, ...]
    links: tuple[Link, ...]
    anchors: Anchors
    prose: tuple[Prose, ...]
    is_empty: bool
    is_made: bool
    """Whether its text was made from another format than Markdown."""

    @property
    def path(self) -> str:
        return self.page.path

    @property
    def questions(self) -> list[str]:
        """Its title and its headings."""
        texts = (self.place.title, *(heading.text for heading in self.page.headings))
        return list(dict.fromkeys(" ".join(text.split()) for text in texts if text.strip()))


def read_book(path: Path, site: Site) -> tuple[CheckedBook, list[ExaminedPage]]:
    """The pages in reading order."""
    listing = list_pages(path, site.is_page)
    folders = folders_of(listing.root, site)
    pages, unreadable = list[ExaminedPage](), list(listing.skipped)
    for name in listing.paths:
        try:
            page = parse_page(read_page_of(listing.root, name, site), site)
        except PageUnreadable as error:
            unreadable.append(Skipped(name, str(error)))
        else:
            pages.append(_examine(page, site, folders))
    pages.sort(key=lambda page: (page.place.order, page.path))
    book = CheckedBook(
        folders=folders,
        site=site,
        pages=tuple(page.page for page in pages),
        places={page.path: page.place for page in pages},
        contents=contents_page(listing.root, site),
        unreadable=tuple(unreadable),
    )
    return book, pages


def _examine(page: BookPage, site: Site, folders: Folders) -> ExaminedPage:
    """The parsed page takes twenty times the memory of its text, so nothing of it is kept."""
    facts = PageFacts(page.path, page.document.front_matter, page.headings)
    return ExaminedPage(
        page=unread_page(facts),
        place=site.place(facts),
        faults=tuple(page_faults(page, folders)),
        links=tuple(internal_links(page)),
        anchors=anchors(page, site, folders),
        prose=tuple(prose(page)),
        is_empty=not page.document.blocks,
        is_made=bool(page.origins),
    )


def _follow(book: CheckedBook, pages: Sequence[ExaminedPage]) -> LinkReport:
    links = [(page.page, link) for page in pages for link in page.links]
    if book.contents:
        links += [(book.contents, link) for link in internal_links(book.contents)]
    return follow(book, links, {page.path: page.anchors for page in pages})


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


def never_retrieved(pages: Sequence[ExaminedPage], find: Find) -> Iterator[PageFinding]:
    """Pages that no question made from their own title and headings finds."""
    for page in pages:
        if not page.is_empty and not any(page.path in find(question) for question in page.questions):
            yield PageFinding(
                FindingKind.NEVER_RETRIEVED,
                page.path,
                None,
                f"None of the {len(page.questions)} questions made from its title and headings finds it.",
                page.place.title,
            )
