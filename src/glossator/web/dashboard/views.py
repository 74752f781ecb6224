"""The dashboard's views, as HTML fragments for the shell; each needs a key with the scope `operate`."""

# pyright: reportUnusedFunction=false
from __future__ import annotations

import asyncio
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response

from glossator.engine import Engine
from glossator.errors import IndexFault, SearchTimeout
from glossator.insights.gaps import LEAST_SESSIONS
from glossator.model import Manifest, Outcome
from glossator.plot import reliability
from glossator.web.auth.caller import Operates
from glossator.web.contract import ContractSettings
from glossator.web.dashboard.overview import overview_view
from glossator.web.dashboard.pages import DashboardPages
from glossator.web.dashboard.period import Days, Period
from glossator.web.dashboard.sections import BookView, GapsView, Least, sections_view
from glossator.web.dashboard.sessions import QuestionsView, SessionRef, SessionsView, SessionView
from glossator.web.problem import problem_of

SearchedId = Annotated[str, Query(max_length=255)]
Most = Annotated[int, Query(ge=1, le=200)]

SearchedWords = Annotated[str, Query(max_length=500)]
AnyOutcome = Annotated[Outcome | Literal[""], Query()]

_MOST_SESSIONS = 50
_MOST_QUESTIONS = 100


def view_routes(engine: Engine, contract_settings: ContractSettings, pages: DashboardPages) -> APIRouter:
    router = APIRouter(prefix="/views")

    def period_of(days: int) -> Period:
        return Period(days, contract_settings.clock().date())

    @router.get("/overview")
    async def overview(caller: Operates, days: Days = 30) -> Response:
        period = period_of(days)
        now, both = await asyncio.gather(
            engine.insight_store.overview(period.since), engine.insight_store.overview(period.before)
        )
        return pages.show("overview.html", view=overview_view(period, now, both))

    @router.get("/gaps")
    async def gaps(caller: Operates, days: Days = 30, least: Least = LEAST_SESSIONS) -> Response:
        period = period_of(days)
        return pages.show("gaps.html", view=GapsView(period, await engine.gaps(period.since, least)))

    @router.get("/flagged")
    async def flagged(caller: Operates, most: Most = 20) -> Response:
        return pages.show("flagged.html", flagged=await engine.flagged(most), most=most)

    @router.get("/sections")
    async def sections(caller: Operates, days: Days = 30) -> Response:
        period = period_of(days)
        cited = await engine.cited(period.since)
        return pages.show("sections.html", view=sections_view(period, cited, await engine.book.manifest()))

    @router.get("/book")
    async def book(caller: Operates) -> Response:
        manifest, reason = await _manifest(engine)
        return pages.show("book.html", view=BookView(manifest, reason, await engine.health.probe()))

    @router.get("/fit")
    async def fit_view(caller: Operates) -> Response:
        fit = await engine.fit()
        plot = reliability(fit.bins, "similarity", "bore on the question")
        return pages.show("fit.html", fit=fit, plot=plot)

    return router


def reader_routes(engine: Engine, pages: DashboardPages) -> APIRouter:
    """The views of what single readers asked."""
    router = APIRouter(prefix="/views")

    @router.get("/questions")
    async def questions(caller: Operates, words: SearchedWords = "", outcome: AnyOutcome = "") -> Response:
        wanted = Outcome(outcome) if outcome else None
        asked = await engine.insight_store.questions(words, wanted, _MOST_QUESTIONS)
        is_cut = len(asked) == _MOST_QUESTIONS
        return pages.show("questions.html", view=QuestionsView(words.strip(), wanted, asked, is_cut))

    @router.get("/sessions")
    async def sessions(caller: Operates, id: SearchedId = "") -> Response:
        session_id = id.strip()
        found = await (
            engine.insight_store.find(session_id)
            if session_id
            else engine.insight_store.list_sessions(limit=_MOST_SESSIONS)
        )
        first_questions = await engine.insight_store.first_questions([session.id for session in found])
        return pages.show("sessions.html", view=SessionsView.of(session_id, found, first_questions))

    @router.get("/session")
    async def session(caller: Operates, session: SessionRef) -> Response:
        return pages.show("session.html", view=SessionView.of(await engine.insight_store.export(*session)))

    return router


async def _manifest(engine: Engine) -> tuple[Manifest | None, str]:
    """The manifest, or why there is none: the page that shows failures must not fail itself."""
    try:
        return await engine.book.manifest(), ""
    except (IndexFault, SearchTimeout) as error:
        return None, problem_of(error).message
