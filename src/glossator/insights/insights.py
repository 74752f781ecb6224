"""What the author's desk asks for: what readers looked for in vain, and what their answers rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from glossator.answer.book import ServedBook
from glossator.answer.question_generation import SectionPlace
from glossator.insights.fit import BackgroundFit, MeasureFit
from glossator.insights.flagged import FlaggedAnswers
from glossator.insights.gaps import LEAST_SESSIONS, Gaps
from glossator.model.insights import CitedSection, CitedSections, FlaggedAnswer, GapReport
from glossator.model.search import Fit
from glossator.ports import InsightStore


@dataclass(slots=True)
class Insights:
    insight_store: InsightStore
    book: ServedBook
    measure_fit: MeasureFit
    _gaps: Gaps = field(init=False)
    _flagged: FlaggedAnswers = field(init=False)
    _fitting: BackgroundFit = field(init=False)

    def __post_init__(self) -> None:
        self._gaps = Gaps(self.insight_store, self.book)
        self._flagged = FlaggedAnswers(self.insight_store, self.book)
        self._fitting = BackgroundFit(self.book, self.measure_fit)

    async def gaps(self, since: datetime, least_sessions: int = LEAST_SESSIONS) -> GapReport:
        return await self._gaps.report(since, least_sessions)

    async def cited(self, since: datetime) -> CitedSections:
        counted = await self.insight_store.cited(since)
        return cited_sections(counted, await self.book.places(), since)

    async def flagged(self, limit: int) -> Sequence[FlaggedAnswer]:
        return await self._flagged.latest(limit)

    async def fit(self) -> Fit:
        return await self._fitting.current()


# Which sections answers rest on, and which they never did.

_MOST = 20


def cited_sections(
    counted: Sequence[CitedSection], places: Sequence[SectionPlace], since: datetime
) -> CitedSections:
    """`places` are those of the book as it is today."""
    by_address = dict[tuple[str, str], CitedSection]()
    for one in (*map(_never_cited, places), *counted):
        known = by_address.setdefault((one.page, one.url), replace(one, count=0))
        # Under today's title, also where it had another one when it was cited.
        by_address[one.page, one.url] = replace(known, count=known.count + one.count)
    most = sorted((one for one in by_address.values() if one.count), key=lambda one: -one.count)
    never = [one for one in by_address.values() if not one.count]
    return CitedSections(since, most[:_MOST], never, sections=len(places))


def _never_cited(place: SectionPlace) -> CitedSection:
    return CitedSection(place.title, place.page, place.url, count=0)
