"""What the author's desk asks for: what readers looked for in vain, and what their answers rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from glossator.engine.book import Book
from glossator.engine.cited import cited_sections
from glossator.engine.fitting import Fitting, LookAtFit
from glossator.engine.flagged import Flagged
from glossator.engine.gaps import LEAST_SESSIONS, Gaps
from glossator.model.desk import CitedSections, FlaggedAnswer, GapReport
from glossator.model.fit import Fit
from glossator.ports import Desk


@dataclass(slots=True)
class Office:
    desk: Desk
    book: Book
    look_at_fit: LookAtFit
    _gaps: Gaps = field(init=False)
    _flagged: Flagged = field(init=False)
    _fitting: Fitting = field(init=False)

    def __post_init__(self) -> None:
        self._gaps = Gaps(self.desk, self.book)
        self._flagged = Flagged(self.desk, self.book)
        self._fitting = Fitting(self.book, self.look_at_fit)

    async def gaps(self, since: datetime, least_sessions: int = LEAST_SESSIONS) -> GapReport:
        return await self._gaps.report(since, least_sessions)

    async def cited(self, since: datetime) -> CitedSections:
        counted = await self.desk.cited(since)
        return cited_sections(counted, await self.book.places(), since)

    async def flagged(self, limit: int) -> Sequence[FlaggedAnswer]:
        return await self._flagged.latest(limit)

    async def fit(self) -> Fit:
        return await self._fitting.current()
