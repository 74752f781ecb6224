"""Look at one page at a time, and keep of it what the check of the whole book needs."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.ingest.sites import PageFacts, PagePlace, Site
from glossator.lint.faults import page_faults
from glossator.lint.findings import Finding
from glossator.lint.links.resolve import Link, internal_links
from glossator.lint.links.routes import Anchors, anchors
from glossator.lint.pages import BookPage, Folders, unread_page
from glossator.lint.terms.prose import Prose, prose


@dataclass(frozen=True, slots=True)
class ExaminedPage:
    page: BookPage
    """The page without its text."""
    place: PagePlace
    faults: tuple[Finding, ...]
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


def examine(page: BookPage, site: Site, folders: Folders) -> ExaminedPage:
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
