"""Everything a contract may reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from glossator.answer.book import ServedBook
from glossator.insights.fit import MeasureFit
from glossator.insights.gaps import LEAST_SESSIONS
from glossator.insights.insights import Insights
from glossator.model import Contract, Lifecycle, Owner
from glossator.model.insights import CitedSections, FlaggedAnswer, GapReport
from glossator.model.search import Fit
from glossator.ports import ExchangeStore, InsightStore, RetentionStore, SessionStore
from glossator.resilience.health import Health
from glossator.sessions.running import RunningTurn, TurnRequest
from glossator.sessions.turns import TurnRunner


@dataclass(frozen=True, slots=True)
class Engine:
    turn_runner: TurnRunner
    book: ServedBook
    sessions: SessionStore
    exchanges: ExchangeStore
    retention_store: RetentionStore
    insight_store: InsightStore
    health: Health
    lifecycles: Mapping[Contract, Lifecycle]
    measure_fit: MeasureFit
    _insights: Insights = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_insights", Insights(self.insight_store, self.book, self.measure_fit))

    async def ask(self, turn_request: TurnRequest, *, linger: bool = False) -> RunningTurn:
        filters = await self.book.known(turn_request.question.filters)
        known = replace(turn_request, question=replace(turn_request.question, filters=filters))
        return await self.turn_runner.ask(known, linger=linger)

    async def resume(self, exchange_id: str, owner: Owner) -> RunningTurn:
        return await self.turn_runner.resume(exchange_id, owner)

    async def gaps(self, since: datetime, least_sessions: int = LEAST_SESSIONS) -> GapReport:
        """What readers asked and the book did not answer, by meaning."""
        return await self._insights.gaps(since, least_sessions)

    async def cited(self, since: datetime) -> CitedSections:
        """The sections that answers rest on most, and those that they never did."""
        return await self._insights.cited(since)

    async def flagged(self, limit: int) -> Sequence[FlaggedAnswer]:
        """The latest first."""
        return await self._insights.flagged(limit)

    async def fit(self) -> Fit:
        """How well similarity keeps its word; takes some seconds once a generation."""
        return await self._insights.fit()
