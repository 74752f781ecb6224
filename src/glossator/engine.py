"""The engine: everything that a web contract may call; it answers questions in turns of sessions.

`glossator mcp` and `glossator ask --session` have one too. The library and plain `glossator ask` have none:
they take the answer pipeline alone, from `wiring.assistant_of`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

from glossator.answer.book import ServedBook
from glossator.export import page_chunks
from glossator.insights.fit import MeasureFit
from glossator.insights.gaps import LEAST_SESSIONS
from glossator.insights.insights import Insights
from glossator.insights.suggested import SuggestedQuestions
from glossator.model import Chunk, Contract, Lifecycle, Manifest, Owner, PageRecord
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
    _suggested: SuggestedQuestions = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_insights", Insights(self.insight_store, self.book, self.measure_fit))
        object.__setattr__(self, "_suggested", SuggestedQuestions(self.book))

    async def ask(self, request: TurnRequest, *, linger: bool = False) -> RunningTurn:
        filters = await self.book.resolve_chapters(request.question.filters)
        question = replace(request.question, filters=filters)
        return await self.turn_runner.ask(replace(request, question=question), linger=linger)

    async def resume(self, exchange_id: str, owner: Owner) -> RunningTurn:
        return await self.turn_runner.resume(exchange_id, owner)

    async def gaps(self, since: datetime, least_sessions: int = LEAST_SESSIONS) -> GapReport:
        """Questions that the book did not answer, grouped by meaning."""
        return await self._insights.gaps(since, least_sessions)

    async def cited(self, since: datetime) -> CitedSections:
        """The sections that answers cite most, and the sections that none cites."""
        return await self._insights.cited(since)

    async def flagged(self, limit: int) -> Sequence[FlaggedAnswer]:
        """Answers with a claim that failed its check, newest first."""
        return await self._insights.flagged(limit)

    async def suggested_questions(self, after: str | None = None) -> Sequence[str]:
        """Questions that the book answers: to begin with, or to ask after an answer from this chunk."""
        return await (self._suggested.after(after) if after else self._suggested.to_begin())

    async def pages(self, manifest: Manifest) -> AsyncIterator[tuple[PageRecord, Sequence[Chunk]]]:
        """Each page of the book with its chunks, in reading order. Raises IndexUnavailable."""
        index = self.book.assistant.index
        for page in manifest.pages:
            yield page, await self.book.in_time(partial(page_chunks, index, manifest, page))

    async def fit(self) -> Fit:
        """How well similarity scores are calibrated; the first call of a generation takes seconds."""
        return await self._insights.fit()
