"""The command `gaps`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import click

from glossator.adapters.records.insights import SqlInsightStore
from glossator.answer.book import ServedBook
from glossator.cli import show
from glossator.cli.group import book_option, commands, settings_of
from glossator.insights.gap_table import as_csv, as_markdown, on_one_line, outcomes_text, state_text, summary
from glossator.insights.gaps import LEAST_SESSIONS, Gaps
from glossator.model.insights import Gap, GapReport
from glossator.settings import WriterKind
from glossator.wiring import assistant_of
from glossator.wiring.engine import database_of, retention_of

_MOST_WORDINGS = 3
"""How many wordings are printed for each gap, besides its example."""


@commands.command()
@click.option(
    "--days",
    type=click.IntRange(1, 3650),
    default=30,
    show_default=True,
    help="Use the questions of this many days.",
)
@click.option(
    "--least-sessions",
    type=click.IntRange(1),
    default=LEAST_SESSIONS,
    show_default=True,
    help="Show gaps that at least this many sessions asked about.",
)
@book_option
@click.option("--csv", "form", flag_value="csv", help="Print CSV.")
@click.option("--markdown", "form", flag_value="markdown", help="Print a Markdown table.")
@click.option("--json", "form", flag_value="json", help="Print JSON.")
def gaps(days: int, least_sessions: int, book: str | None, form: str | None) -> None:
    """Show what readers asked and the book did not answer, grouped by meaning."""
    report = asyncio.run(_report(datetime.now(UTC) - timedelta(days=days), least_sessions, book))
    match form:
        case "csv":
            click.echo(as_csv(report), nl=False)
        case "markdown":
            click.echo(as_markdown(report), nl=False)
        case "json":
            click.echo(show.json(report))
        case _:
            click.echo("\n\n".join([*map(_gap, report.gaps), summary(report)]))


async def _report(since: datetime, least_sessions: int, book: str | None) -> GapReport:
    settings = settings_of(book)
    with assistant_of(settings, writer=WriterKind.EXTRACTIVE, say=_say) as assistant:
        async with database_of(settings) as database:
            insight_store = SqlInsightStore(database, retention_of(settings), book=settings.book)
            return await Gaps(insight_store, ServedBook(assistant)).report(since, least_sessions)


def _say(message: str) -> None:
    click.echo(message, err=True)


def _gap(gap: Gap) -> str:
    return "\n".join(
        [click.style(on_one_line(gap.example), bold=True), *(f"   {line}" for line in _facts(gap))]
    )


def _facts(gap: Gap) -> Iterator[str]:
    yield (
        f"{show.count(gap.count, 'time')} in {show.count(gap.sessions, 'session')}, "
        f"last {gap.last_asked:%Y-%m-%d}: "
        f"{outcomes_text(gap.outcomes)}; {state_text(gap.state)}"
    )
    others = [wording for wording in gap.questions if wording != gap.example]
    for wording in others[:_MOST_WORDINGS]:
        yield f"also: {on_one_line(wording)}"
    if len(others) > _MOST_WORDINGS:
        yield f"and {show.count(len(others) - _MOST_WORDINGS, 'wording')} more"
    if gap.missing:
        yield f"words the book lacks: {', '.join(gap.missing)}"
    if gap.nearest:
        yield click.style(f"nearest: {gap.nearest.title}  {gap.nearest.url}", dim=True)
