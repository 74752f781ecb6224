"""Everything a contract may reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from glossator.answer.book import Book
from glossator.insights.fit import LookAtFit
from glossator.insights.gaps import LEAST_SESSIONS
from glossator.insights.insights import Office
from glossator.model import Contract, Lifecycle, Owner
from glossator.model.desk import CitedSections, FlaggedAnswer, GapReport
from glossator.model.search import Fit
from glossator.ports import Desk, Exchanges, Keeper, Sessions
from glossator.resilience.health import Health
from glossator.sessions.running import Asking, Running
from glossator.sessions.turns import Asker


@dataclass(frozen=True, slots=True)
class Engine:
    asker: Asker
    book: Book
    sessions: Sessions
    exchanges: Exchanges
    keeper: Keeper
    desk: Desk
    health: Health
    lifecycles: Mapping[Contract, Lifecycle]
    look_at_fit: LookAtFit
    _office: Office = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_office", Office(self.desk, self.book, self.look_at_fit))

    async def ask(self, asking: Asking, *, linger: bool = False) -> Running:
        filters = await self.book.known(asking.question.filters)
        known = replace(asking, question=replace(asking.question, filters=filters))
        return await self.asker.ask(known, linger=linger)

    async def resume(self, exchange_id: str, owner: Owner) -> Running:
        return await self.asker.resume(exchange_id, owner)

    async def gaps(self, since: datetime, least_sessions: int = LEAST_SESSIONS) -> GapReport:
        """What readers asked and the book did not answer, by meaning."""
        return await self._office.gaps(since, least_sessions)

    async def cited(self, since: datetime) -> CitedSections:
        """The sections that answers rest on most, and those that they never did."""
        return await self._office.cited(since)

    async def flagged(self, limit: int) -> Sequence[FlaggedAnswer]:
        """The latest first."""
        return await self._office.flagged(limit)

    async def fit(self) -> Fit:
        """How well similarity keeps its word; takes some seconds once a generation."""
        return await self._office.fit()
