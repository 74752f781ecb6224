"""The dashboard's downloads, and the deletion of sessions."""

# pyright: reportUnusedFunction=false
from __future__ import annotations

from fastapi import APIRouter, Response
from pydantic import TypeAdapter

from glossator.engine import Engine
from glossator.insights.gap_table import as_csv, as_markdown
from glossator.insights.gaps import LEAST_SESSIONS
from glossator.insights.monthly import monthly_report
from glossator.model.insights import Export
from glossator.web.auth.caller import Operates
from glossator.web.contract import ContractSettings
from glossator.web.dashboard.period import Days, Period
from glossator.web.dashboard.sections import Least
from glossator.web.dashboard.sessions import SessionRef

_EXPORT = TypeAdapter(Export)


def export_routes(engine: Engine, contract_settings: ContractSettings) -> APIRouter:
    router = APIRouter()

    @router.get("/files/gaps.csv")
    async def gaps_as_csv(caller: Operates, days: Days = 30, least: Least = LEAST_SESSIONS) -> Response:
        report = await engine.gaps(Period(days, contract_settings.clock().date()).since, least)
        return _file(as_csv(report), "text/csv", "gaps.csv")

    @router.get("/files/gaps.md")
    async def gaps_as_markdown(caller: Operates, days: Days = 30, least: Least = LEAST_SESSIONS) -> Response:
        report = await engine.gaps(Period(days, contract_settings.clock().date()).since, least)
        return _file(as_markdown(report), "text/markdown", "gaps.md")

    @router.get("/files/report.md")
    async def report(caller: Operates, days: Days = 30, least: Least = LEAST_SESSIONS) -> Response:
        """The figures, gaps and sections of a period, for an author to keep."""
        period = Period(days, contract_settings.clock().date())
        text = monthly_report(
            await engine.book.manifest(),
            await engine.insight_store.overview(period.since),
            await engine.gaps(period.since, least),
            await engine.cited(period.since),
            period.today.isoformat(),
        )
        return _file(text, "text/markdown", f"report-{period.today.isoformat()}.md")

    @router.get("/files/session.json")
    async def export(caller: Operates, session: SessionRef) -> Response:
        """Everything that is stored of a session."""
        content = _EXPORT.dump_json(await engine.insight_store.export(*session), indent=2)
        return _file(content, "application/json", "session.json")

    @router.delete("/sessions", status_code=204)
    async def delete(caller: Operates, session: SessionRef) -> None:
        await engine.insight_store.delete(*session)

    return router


def _file(content: str | bytes, media_type: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=media_type, headers=headers)
