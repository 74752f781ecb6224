"""The views of cited sections, of content gaps, and of the book with its health."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Annotated

from fastapi import Query

from glossator.model import Manifest
from glossator.model.insights import CitedSection, CitedSections, GapReport
from glossator.plot import meter
from glossator.resilience.circuit_breaker import Dependency
from glossator.resilience.health import Probe
from glossator.web.dashboard.period import Period


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
    """Page titles by path."""

    @property
    def cited_once(self) -> int:
        """How many sections were cited at least once."""
        return self.cited.sections - len(self.cited.never)

    def bar(self, section: CitedSection) -> str:
        most = max((cited.count for cited in self.cited.most), default=1)
        return meter(section.count, most, "part answered")

    def page(self, section: CitedSection) -> str:
        """The page's title, or its path if the book no longer has the page."""
        return self.titles.get(section.page, section.page)


def sections_view(period: Period, cited: CitedSections, book: Manifest) -> SectionsView:
    titles = {page.path: page.title for page in book.pages}
    never = [
        PageOfSections(titles.get(path, path), path, list(sections))
        for path, sections in groupby(cited.never, key=lambda section: section.page)
    ]
    return SectionsView(period, cited, never, titles)


Least = Annotated[int, Query(ge=1, le=1000)]

_CHOICES = (1, 2, 3, 5, 10)


@dataclass(frozen=True, slots=True)
class GapsView:
    period: Period
    report: GapReport

    @property
    def choices(self) -> Sequence[int]:
        """The offered minimums of sessions that must have asked."""
        return sorted({*_CHOICES, self.report.least_sessions})

    @property
    def in_gaps(self) -> int:
        return self.report.questions - self.report.held_back


_NAMES = {
    Dependency.INDEX: "The index",
    Dependency.EMBEDDER: "The embedding model",
    Dependency.WRITER: "The writer",
    Dependency.RECORDS: "The records",
}


@dataclass(frozen=True, slots=True)
class BookView:
    book: Manifest | None
    reason: str
    """Why there is no book."""
    probes: Mapping[Dependency, Probe]

    @property
    def health(self) -> Mapping[str, Probe]:
        return {_NAMES.get(name, name.value): probe for name, probe in self.probes.items()}

    @property
    def is_well(self) -> bool:
        return all(probe.is_up for probe in self.probes.values())

    @property
    def chapters(self) -> int:
        return len({page.chapter for page in self.book.pages}) if self.book else 0

    @property
    def made_at(self) -> datetime | None:
        return datetime.fromisoformat(self.book.created_at) if self.book else None
