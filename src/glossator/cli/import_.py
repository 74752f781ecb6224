"""The command that takes over what readers asked another server."""

from __future__ import annotations

import asyncio
from dataclasses import asdict

import click

from glossator.adapters.records.foreign import Left, read_tables, sessions_in
from glossator.adapters.records.importing import Imported, Importer
from glossator.cli import show
from glossator.cli.group import as_json, commands
from glossator.settings import load_settings
from glossator.wiring.records import database_of, retention_of

_MOST_NAMED = 5


@commands.command("import")
@click.argument("url")
@click.option("--key", required=True, metavar="ID", help="The key under which its readers go on.")
@click.option("--dry-run", is_flag=True, help="Only say what would be taken.")
@as_json
def import_(url: str, key: str, dry_run: bool, json: bool) -> None:
    """Take over the conversations in a database of one of the first designs, at URL."""
    taken = asyncio.run(_imported(url, key, dry_run))
    click.echo(show.json({"dry_run": dry_run, **asdict(taken)}) if json else _told(taken, dry_run))


async def _imported(url: str, key: str, dry_run: bool) -> Imported:
    settings, left = load_settings(), Left()
    tables = await read_tables(url)
    async with database_of(settings) as database:
        importer = Importer(database, retention_of(settings), key, dry_run)
        return await importer.take(sessions_in(tables, left), left)


def _told(taken: Imported, dry_run: bool) -> str:
    verb = "Would take" if dry_run else "Took"
    lines = [f"{verb} {taken.sessions} sessions with {taken.exchanges} exchanges."]
    for reason, names in taken.left.items():
        named = ", ".join(names[:_MOST_NAMED]) + (", …" if len(names) > _MOST_NAMED else "")
        lines.append(f"Left {len(names)}: {reason} ({named})")
    return "\n".join(lines)
