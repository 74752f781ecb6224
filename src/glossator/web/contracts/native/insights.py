"""The native contract's routes for operators: overview, gaps, flagged answers and cited sections."""

# pyright: reportUnusedFunction=false
from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from glossator.engine import Engine
from glossator.insights.gaps import LEAST_SESSIONS
from glossator.model import Citation, Claim, Outcome, Suggestion
from glossator.model.insights import (
    CitedSection,
    CitedSections,
    FlaggedAnswer,
    FlaggedClaim,
    Gap,
    GapReport,
    Overview,
)
from glossator.web.auth.caller import Operates
from glossator.web.contract import ContractSettings, error_responses
from glossator.web.contracts.native.request import ProblemBody

_ERRORS = error_responses(ProblemBody, (400, 401, 403, 404, 429, 500, 503))


class PeriodIn(BaseModel):
    """Unknown parameters are refused, so that a mistyped name does not mean the default."""

    model_config = ConfigDict(extra="forbid")

    days: Annotated[int, Field(ge=1, le=365)] = 30


class GapsPeriod(PeriodIn):
    least_sessions: Annotated[int, Field(ge=1, le=1000)] = LEAST_SESSIONS


class Latest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    limit: Annotated[int, Field(ge=1, le=100)] = 20


class OverviewReply(BaseModel):
    overview: Overview


class GapsReply(BaseModel):
    since: datetime
    least_sessions: int
    gaps: Sequence[Gap]
    questions: int
    held_back: int
    is_cut: bool

    @classmethod
    def of(cls, report: GapReport) -> GapsReply:
        return cls.model_construct(
            since=report.since,
            least_sessions=report.least_sessions,
            gaps=report.gaps,
            questions=report.questions,
            held_back=report.held_back,
            is_cut=report.is_cut,
        )


class CitedReply(BaseModel):
    since: datetime
    most: Sequence[CitedSection]
    never: Sequence[CitedSection]
    sections: int

    @classmethod
    def of(cls, cited: CitedSections) -> CitedReply:
        return cls.model_construct(
            since=cited.since, most=cited.most, never=cited.never, sections=cited.sections
        )


class FlaggedOut(BaseModel):
    exchange_id: str
    session_id: str
    question: str
    outcome: Outcome
    unsupported_claims: Sequence[FlaggedClaim]
    claims: Sequence[Claim]
    citations: Sequence[Citation]
    suggestions: Sequence[Suggestion]
    answered_at: datetime

    @classmethod
    def of(cls, flagged: FlaggedAnswer) -> FlaggedOut:
        exchange, answer = flagged.exchange, flagged.exchange.answer
        return cls.model_construct(
            exchange_id=exchange.id,
            session_id=exchange.session_id,
            question=exchange.question,
            outcome=answer.outcome,
            unsupported_claims=flagged.claims,
            claims=answer.claims,
            citations=answer.citations,
            suggestions=answer.suggestions,
            answered_at=exchange.answered_at,
        )


class FlaggedReply(BaseModel):
    flagged: Sequence[FlaggedOut]
    total_count: int
    """The count over all time, whatever the limit."""


def insight_routes(engine: Engine, contract_settings: ContractSettings) -> APIRouter:
    router = APIRouter(prefix="/admin", responses=_ERRORS)

    def since(period: PeriodIn) -> datetime:
        return contract_settings.clock() - timedelta(days=period.days)

    @router.get("/overview")
    async def overview(period: Annotated[PeriodIn, Query()], caller: Operates) -> OverviewReply:
        """Counts of the stored exchanges of the last days."""
        return OverviewReply(overview=await engine.insight_store.overview(since(period)))

    @router.get("/gaps")
    async def gaps(period: Annotated[GapsPeriod, Query()], caller: Operates) -> GapsReply:
        """Questions that the book did not answer, or only weakly; those of one meaning are grouped."""
        return GapsReply.of(await engine.gaps(since(period), period.least_sessions))

    @router.get("/flagged")
    async def flagged(latest: Annotated[Latest, Query()], caller: Operates) -> FlaggedReply:
        """Answers with a claim that failed its check and the nearest passages, the latest first."""
        answers = await engine.flagged(latest.limit)
        total = await engine.insight_store.overview(
            datetime.min.replace(tzinfo=contract_settings.clock().tzinfo)
        )
        return FlaggedReply(flagged=[FlaggedOut.of(answer) for answer in answers], total_count=total.flagged)

    @router.get("/cited")
    async def cited(period: Annotated[PeriodIn, Query()], caller: Operates) -> CitedReply:
        """The sections that were cited most, and those that were never cited, in reading order."""
        return CitedReply.of(await engine.cited(since(period)))

    return router
