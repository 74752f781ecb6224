"""The reports of the author's dashboard: content gaps, cited sections, flagged answers, calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from glossator.answer.book import ServedBook
from glossator.insights.fit import BackgroundFit, MeasureFit
from glossator.insights.flagged import FlaggedAnswers
from glossator.insights.gaps import LEAST_SESSIONS, Gaps
from glossator.model.insights import CitedSection, CitedSections, FlaggedAnswer, GapReport
from glossator.model.search import Fit
from glossator.ports import InsightStore
from glossator.question_generation import SectionPlace


@dataclass(slots=True)
class Insights:
    insight_store: InsightStore
    book: ServedBook
    measure_fit: MeasureFit
    _gaps: Gaps = field(init=False)
    _flagged: FlaggedAnswers = field(init=False)
    _background_fit: BackgroundFit = field(init=False)

    def __post_init__(self) -> None:
        self._gaps = Gaps(self.insight_store, self.book)
        self._flagged = FlaggedAnswers(self.insight_store, self.book)
        self._background_fit = BackgroundFit(self.book, self.measure_fit)

    async def gaps(self, since: datetime, least_sessions: int = LEAST_SESSIONS) -> GapReport:
        return await self._gaps.report(since, least_sessions)

    async def cited(self, since: datetime) -> CitedSections:
        counts = await self.insight_store.cited(since)
        return cited_sections(counts, await self.book.places(), since)

    async def flagged(self, limit: int) -> Sequence[FlaggedAnswer]:
        return await self._flagged.latest(limit)

    async def fit(self) -> Fit:
        return await self._background_fit.current()


_MAX_CITED = 20


def cited_sections(
    counts: Sequence[CitedSection], places: Sequence[SectionPlace], since: datetime
) -> CitedSections:
    """The most cited sections, and those never cited; `places` are the sections of the current book."""
    by_address = dict[tuple[str, str], CitedSection]()
    for section in (*map(_never_cited, places), *counts):
        # The first entry has the current title, which may differ from the title at the time of the citation.
        current = by_address.setdefault((section.page, section.url), replace(section, count=0))
        by_address[section.page, section.url] = replace(current, count=current.count + section.count)
    most = sorted(
        (section for section in by_address.values() if section.count), key=lambda section: -section.count
    )
    never = [section for section in by_address.values() if not section.count]
    return CitedSections(since, most[:_MAX_CITED], never, sections=len(places))


def _never_cited(place: SectionPlace) -> CitedSection:
    return CitedSection(place.title, place.page, place.url, count=0)
