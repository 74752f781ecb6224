"""What an operator asks for over the native contract."""

# pyright: reportUnusedFunction=false
from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel

from glossator.engine import Engine
from glossator.model import Citation, Claim, KeptExchange, Outcome, Suggestion
from glossator.model.desk import Overview, Unanswered
from glossator.web.caller import Operates
from glossator.web.contract import Wire, failures
from glossator.web.contracts.native.error import ProblemBody

_FAILED = failures(ProblemBody, (400, 401, 403, 404, 429, 500, 503))

Days = Annotated[int, Query(ge=1, le=365)]
Limit = Annotated[int, Query(ge=1, le=1000)]


class OverviewReply(BaseModel):
    overview: Overview


class GapsReply(BaseModel):
    gaps: Sequence[Unanswered]


class Flagged(BaseModel):
    exchange_id: str
    session_id: str
    question: str
    outcome: Outcome
    unsupported_claims: Sequence[str]
    claims: Sequence[Claim]
    citations: Sequence[Citation]
    suggestions: Sequence[Suggestion]
    answered_at: datetime

    @classmethod
    def of(cls, kept: KeptExchange) -> Flagged:
        answer = kept.answer
        return cls.model_construct(
            exchange_id=kept.id,
            session_id=kept.session_id,
            question=kept.question,
            outcome=answer.outcome,
            unsupported_claims=answer.grounding.unsupported_claims,
            claims=answer.claims,
            citations=answer.citations,
            suggestions=answer.suggestions,
            answered_at=kept.answered_at,
        )


class FlaggedReply(BaseModel):
    flagged: Sequence[Flagged]
    total_count: int
    """Since ever."""


def desk(engine: Engine, wire: Wire) -> APIRouter:
    router = APIRouter(prefix="/admin", responses=_FAILED)

    @router.get("/overview")
    async def overview(caller: Operates, days: Days = 30) -> OverviewReply:
        """Whole, remembered exchanges of the last days."""
        return OverviewReply(overview=await engine.desk.overview(wire.clock() - timedelta(days=days)))

    @router.get("/gaps")
    async def gaps(caller: Operates, limit: Limit = 100) -> GapsReply:
        """What readers asked and the book did not answer, or hardly; the latest first."""
        return GapsReply(gaps=await engine.desk.unanswered(limit))

    @router.get("/flagged")
    async def flagged(caller: Operates, limit: Limit = 100) -> FlaggedReply:
        """Answers of which a claim failed its check; the latest first."""
        kept = await engine.desk.flagged(limit)
        counted = await engine.desk.overview(datetime.min.replace(tzinfo=wire.clock().tzinfo))
        return FlaggedReply(flagged=[Flagged.of(one) for one in kept], total_count=counted.flagged)

    return router
