"""The commands `sessions …` and `import`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TypeVar

import click

from glossator.adapters.records.foreign import Unimported, read_tables, sessions_in
from glossator.adapters.records.importing import Importer, ImportReport
from glossator.adapters.records.insights import SqlInsightStore
from glossator.adapters.records.retention_store import SqlRetentionStore
from glossator.cli import show
from glossator.cli.group import Command, commands, json_option
from glossator.cli.show_markdown import markdown
from glossator.errors import SessionUnknown
from glossator.model import (
    Contract,
    ErasedReader,
    KeptExchange,
    Owner,
    RetentionReport,
    Session,
    SessionState,
)
from glossator.model.insights import Export
from glossator.settings import LIFECYCLES, load_settings
from glossator.wiring.engine import database_of, retention_of

STATES = [state.value for state in SessionState]
CONTRACTS = [contract.value for contract in LIFECYCLES]

Result = TypeVar("Result")


@commands.group()
def sessions() -> None:
    """List, show, export and delete readers' sessions, erase a reader, purge old sessions."""


def session_argument(command: Command) -> Command:
    owner = click.option(
        "--owner", metavar="KEY[/USER]", help="Select the owner if several have a session with this ID."
    )
    return click.argument("session_id", metavar="ID")(owner(command))


@sessions.command("list")
@click.option("--state", type=click.Choice(STATES), help="List only sessions in this state.")
@click.option("--contract", type=click.Choice(CONTRACTS), help="List only sessions of this contract.")
@click.option(
    "--limit", type=click.IntRange(1), default=50, show_default=True, help="List at most this many."
)
@json_option
def show_all(state: str | None, contract: str | None, limit: int, json: bool) -> None:
    """List the sessions, those used last first."""
    found = _with_insight_store(
        lambda insight_store: insight_store.list_sessions(
            state=SessionState(state) if state else None,
            contract=Contract(contract) if contract else None,
            limit=limit,
        )
    )
    if json:
        click.echo(show.json({"sessions": found}))
    elif found:
        click.echo("\n".join(_line(session) for session in found))
    else:
        click.echo("There is no such session.", err=True)


@sessions.command("show")
@session_argument
def show_one(session_id: str, owner: str | None) -> None:
    """Show the questions and answers of the session ID."""
    exported = _with_insight_store(lambda insight_store: _exported(insight_store, session_id, owner))
    exchanges = [_exchange(exchange) for exchange in exported.exchanges]
    click.echo("\n\n".join([_head(exported.session), *exchanges]))


@sessions.command()
@session_argument
def export(session_id: str, owner: str | None) -> None:
    """Print everything that is stored of the session ID, as JSON."""
    click.echo(
        show.json(_with_insight_store(lambda insight_store: _exported(insight_store, session_id, owner)))
    )


@sessions.command()
@session_argument
@click.option("--all", "of_all", is_flag=True, help="Delete the sessions of all owners with this ID.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def delete(session_id: str, owner: str | None, of_all: bool, yes: bool) -> None:
    """Delete the session ID and everything that belongs to it."""
    found = _with_insight_store(
        lambda insight_store: _chosen(insight_store, session_id, owner, allow_many=of_all)
    )
    for session in found:
        click.echo(_line(session), err=True)
    if not yes:
        click.confirm(f"Delete {show.count(len(found), 'session')} for good?", abort=True, err=True)
    _with_insight_store(lambda insight_store: _delete(insight_store, found))
    click.echo(f"Deleted {show.count(len(found), 'session')}.", err=True)


@sessions.command()
@click.option("--dry-run", is_flag=True, help="Only print what would be done.")
@json_option
def purge(dry_run: bool, json: bool) -> None:
    """Archive and delete sessions past their retention time, as the server does every night."""
    report = asyncio.run(_sweep(dry_run=dry_run))
    click.echo(show.json(report) if json else _sweep_summary(report, dry_run=dry_run))


@sessions.command()
@click.argument("user")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@json_option
def erase(user: str, yes: bool, json: bool) -> None:
    """Delete all data of the reader USER, under every key and in every contract."""
    if not yes:
        click.confirm("Delete everything of this reader for good?", abort=True, err=True)
    erased = asyncio.run(_erase(user))
    counts = ", ".join(f"{count:,} {name}" for name, count in asdict(erased).items())
    click.echo(show.json({"user": user, "erased": erased}) if json else f"Erased: {counts}.")


def _with_insight_store(work: Callable[[SqlInsightStore], Awaitable[Result]]) -> Result:
    async def run() -> Result:
        settings = load_settings()
        async with database_of(settings) as database:
            return await work(SqlInsightStore(database, retention_of(settings)))

    return asyncio.run(run())


async def _sweep(*, dry_run: bool) -> RetentionReport:
    settings = load_settings()
    async with database_of(settings) as database:
        return await SqlRetentionStore(database, retention_of(settings)).sweep(
            datetime.now(UTC), dry_run=dry_run
        )


async def _erase(user: str) -> ErasedReader:
    settings = load_settings()
    async with database_of(settings) as database:
        return await SqlRetentionStore(database, retention_of(settings)).erase(user)


async def _exported(insight_store: SqlInsightStore, session_id: str, owner: str | None) -> Export:
    (session,) = await _chosen(insight_store, session_id, owner)
    return await insight_store.export(session.id, session.owner)


async def _delete(insight_store: SqlInsightStore, sessions: Sequence[Session]) -> None:
    for session in sessions:
        await insight_store.delete(session.id, session.owner)


async def _chosen(
    insight_store: SqlInsightStore, session_id: str, owner: str | None, *, allow_many: bool = False
) -> Sequence[Session]:
    """Raises SessionUnknown, or UsageError with the owners if several have such a session."""
    found = await insight_store.find(session_id)
    if owner is not None:
        found = [session for session in found if _whose(session.owner) == owner]
    if not found:
        raise SessionUnknown
    if len(found) > 1 and not allow_many:
        owners = ", ".join(_whose(session.owner) for session in found)
        raise click.UsageError(f"Several owners have a session of that ID: say --owner, one of {owners}.")
    return found


def _whose(owner: Owner) -> str:
    return f"{owner.key}/{owner.user}" if owner.user else owner.key


def _line(session: Session) -> str:
    parts = [
        click.style(session.id, bold=True),
        _whose(session.owner),
        session.contract.value,
        session.state.value,
        *([f"book {session.owner.book}"] if session.owner.book else []),
        show.count(session.exchanges, "exchange"),
        f"used {session.updated_at:%Y-%m-%d %H:%M}",
    ]
    return "  ".join(parts)


def _head(session: Session) -> str:
    return "\n".join([_line(session), session.topic_summary]) if session.topic_summary else _line(session)


def _exchange(exchange: KeptExchange) -> str:
    question = click.style(f"{exchange.asked_at:%Y-%m-%d %H:%M}  {exchange.question}", bold=True)
    return f"{question}\n{markdown(exchange.answer.text)}"


def _sweep_summary(report: RetentionReport, *, dry_run: bool) -> str:
    if report.is_elsewhere:
        return "Another process is at it; nothing was done here."
    would = "would be " if dry_run else ""
    return (
        f"{show.count(len(report.archived), 'session')} {would}archived, "
        f"{show.count(len(report.deleted), 'session')} {would}deleted, "
        f"{len(report.interrupted)} left by a crash {would}ended."
    )


_MAX_NAMES = 5
"""How many sessions that were not imported are named for each reason."""


@commands.command("import")
@click.argument("url")
@click.option("--key", required=True, metavar="ID", help="Import the sessions under this key.")
@click.option("--dry-run", is_flag=True, help="Only print what would be imported.")
@json_option
def import_(url: str, key: str, dry_run: bool, json: bool) -> None:
    """Import conversations from another server's database at URL."""
    report = asyncio.run(_import(url, key, dry_run))
    click.echo(
        show.json({"dry_run": dry_run, **asdict(report)}) if json else _import_summary(report, dry_run)
    )


async def _import(url: str, key: str, dry_run: bool) -> ImportReport:
    settings, unimported = load_settings(), Unimported()
    tables = await read_tables(url)
    async with database_of(settings) as database:
        importer = Importer(database, retention_of(settings), key, dry_run)
        return await importer.take(sessions_in(tables, unimported), unimported)


def _import_summary(report: ImportReport, dry_run: bool) -> str:
    verb = "Would take" if dry_run else "Took"
    lines = [
        f"{verb} {show.count(report.sessions, 'session')} with {show.count(report.exchanges, 'exchange')}."
    ]
    for reason, names in report.left.items():
        examples = ", ".join(names[:_MAX_NAMES]) + (", …" if len(names) > _MAX_NAMES else "")
        lines.append(f"Left {len(names)}: {reason} ({examples})")
    return "\n".join(lines)
