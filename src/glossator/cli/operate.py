"""The commands `rollback`, `backup` and `restore`."""

from __future__ import annotations

from pathlib import Path

import click

from glossator.adapters.backup import BackupSummary, restore_backup, write_backup
from glossator.adapters.lock import ingest_lock
from glossator.cli.group import book_option, commands, settings_of
from glossator.settings import load_settings
from glossator.wiring import index_store_of
from glossator.wiring.stores import elsewhere, stores_of


@commands.command()
@book_option
def rollback(book: str | None) -> None:
    """Go back to the book as it was before the last ingest; running servers follow at once."""
    settings = settings_of(book)
    with ingest_lock(settings.index_home):
        manifest = index_store_of(settings).roll_back()
    click.echo(
        f"Generation {manifest.generation} of “{manifest.book}” serves again: {len(manifest.pages):,} pages, "
        f"made {manifest.created_at}. The next ingest builds upon it.",
        err=True,
    )


@commands.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def backup(file: Path) -> None:
    """Write the database and the index into the archive FILE, also while they are in use."""
    settings = load_settings()
    summary = write_backup(file, stores_of(settings))
    click.echo(f"Backed up {_contents(summary)} to {file} ({file.stat().st_size / 1e6:,.1f} MB).", err=True)
    for line in elsewhere(settings):
        click.echo(line, err=True)


@commands.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def restore(file: Path) -> None:
    """Restore the archive FILE where there is neither a book nor a database yet."""
    settings = load_settings()
    with ingest_lock(settings.home):
        summary = restore_backup(file, stores_of(settings))
    click.echo(f"Restored {_contents(summary)}, as of {summary.created_at}.", err=True)


def _contents(summary: BackupSummary) -> str:
    book = (
        [f"generation {summary.generation} of “{summary.book}” ({summary.pages:,} pages)"]
        if summary.has_book
        else []
    )
    return " and ".join([*book, *(["the database"] if summary.has_records else [])])
