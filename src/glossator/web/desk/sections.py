"""Which sections answers rest on, and which they never did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from glossator.model import Manifest
from glossator.model.desk import CitedSection, CitedSections
from glossator.plot import meter
from glossator.web.desk.period import Period


@dataclass(frozen=True, slots=True)
class PageOfSections:
    title: str
    path: str
    sections: Sequence[CitedSection]


@dataclass(frozen=True, slots=True)
class SectionsView:
    period: Period
    cited: CitedSections
    never: Sequence[PageOfSections]
    titles: dict[str, str]
    """Of the pages, by their paths."""

    @property
    def cited_once(self) -> int:
        """How many were cited at all."""
        return self.cited.sections - len(self.cited.never)

    def bar(self, section: CitedSection) -> str:
        return meter(section.count, max((one.count for one in self.cited.most), default=1), "part answered")

    def page(self, section: CitedSection) -> str:
        """Its title; its path where the book no longer has it."""
        return self.titles.get(section.page, section.page)


def sections_view(period: Period, cited: CitedSections, book: Manifest) -> SectionsView:
    titles = {page.path: page.title for page in book.pages}
    never = [
        PageOfSections(titles.get(path, path), path, list(sections))
        for path, sections in groupby(cited.never, key=lambda one: one.page)
    ]
    return SectionsView(period, cited, never, titles)
