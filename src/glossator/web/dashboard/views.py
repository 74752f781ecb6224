"""The pages of the desk, as pieces of HTML that the shell puts in; each for a key with the scope operate."""

# pyright: reportUnusedFunction=false
from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Response

from glossator.engine import Engine
from glossator.errors import IndexFault, SearchTimeout
from glossator.insights.gaps import LEAST_SESSIONS
from glossator.model import Manifest
from glossator.plot import reliability
from glossator.web.auth.caller import Operates
from glossator.web.contract import ContractSettings
from glossator.web.dashboard.overview import overview_view
from glossator.web.dashboard.pages import DashboardPages
from glossator.web.dashboard.period import Days, Period
from glossator.web.dashboard.sections import BookView, GapsView, Least, sections_view
from glossator.web.dashboard.sessions import Named, SessionsView, SessionView
from glossator.web.problem import problem_of

Wanted = Annotated[str, Query(max_length=255)]

Most = Annotated[int, Query(ge=1, le=200)]

_MOST_SESSIONS = 50


def views(engine: Engine, contract_settings: ContractSettings, pages: DashboardPages) -> APIRouter:
    router = APIRouter(prefix="/views")

    def last(days: int) -> Period:
        return Period(days, contract_settings.clock().date())

    @router.get("/overview")
    async def overview(caller: Operates, days: Days = 30) -> Response:
        period = last(days)
        now, both = await asyncio.gather(
            engine.insight_store.overview(period.since), engine.insight_store.overview(period.before)
        )
        return pages.show("overview.html", view=overview_view(period, now, both))

    @router.get("/gaps")
    async def gaps(caller: Operates, days: Days = 30, least: Least = LEAST_SESSIONS) -> Response:
        period = last(days)
        return pages.show("gaps.html", view=GapsView(period, await engine.gaps(period.since, least)))

    @router.get("/flagged")
    async def flagged(caller: Operates, most: Most = 20) -> Response:
        return pages.show("flagged.html", flagged=await engine.flagged(most), most=most)

    @router.get("/sections")
    async def sections(caller: Operates, days: Days = 30) -> Response:
        period = last(days)
        cited = await engine.cited(period.since)
        return pages.show("sections.html", view=sections_view(period, cited, await engine.book.manifest()))

    @router.get("/book")
    async def book(caller: Operates) -> Response:
        manifest, reason = await _manifest(engine)
        return pages.show("book.html", view=BookView(manifest, reason, await engine.health.probe()))

    @router.get("/fit")
    async def fit(caller: Operates) -> Response:
        found = await engine.fit()
        plot = reliability(found.bins, "similarity", "bore on the question")
        return pages.show("fit.html", fit=found, plot=plot)

    @router.get("/sessions")
    async def sessions(caller: Operates, id: Wanted = "") -> Response:
        wanted = id.strip()
        found = await (
            engine.insight_store.find(wanted)
            if wanted
            else engine.insight_store.list_sessions(limit=_MOST_SESSIONS)
        )
        return pages.show("sessions.html", view=SessionsView.of(wanted, found))

    @router.get("/session")
    async def session(caller: Operates, named: Named) -> Response:
        return pages.show("session.html", view=SessionView.of(await engine.insight_store.export(*named)))

    return router


async def _manifest(engine: Engine) -> tuple[Manifest | None, str]:
    """The page that says what is ill must not fail because of it."""
    try:
        return await engine.book.manifest(), ""
    except (IndexFault, SearchTimeout) as error:
        return None, problem_of(error).message
