"""The commands `books …`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import click

from glossator.cli import show
from glossator.cli.group import commands, json_option
from glossator.errors import SettingsError
from glossator.model import DEFAULT_BOOK, Manifest
from glossator.settings import Settings, load_settings
from glossator.wiring import index_store_of
from glossator.wiring.books import book_names, remove_book, rename_book


@commands.group()
def books() -> None:
    """List, remove and rename the books of the index."""


@books.command("list")
@json_option
def show_all(json: bool) -> None:
    """List the books; the one without a name is called default."""
    found = list(_manifests(load_settings()))
    if json:
        click.echo(show.json({"books": [_fields(name, manifest) for name, manifest in found]}))
    elif found:
        click.echo("\n".join(_line(name, manifest) for name, manifest in found))
    else:
        click.echo("There is no book yet: run `glossator ingest PATH`.", err=True)


@books.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Confirm the removal.")
def remove(name: str, yes: bool) -> None:
    """Remove the book NAME with its readers' sessions; running servers follow within a second."""
    if not yes:
        raise SettingsError(f"This removes the book {name} for good: add --yes if that is meant.")
    erased = asyncio.run(remove_book(load_settings(book=name)))
    click.echo(f"The book {name} is removed, with {show.count(erased.sessions, 'session')}.", err=True)


@books.command()
@click.argument("name")
@click.argument("new_name")
def rename(name: str, new_name: str) -> None:
    """Give the book NAME the name NEW_NAME, and with it another address."""
    asyncio.run(rename_book(load_settings(book=name), new_name))
    click.echo(f"The book {name} is now {new_name}.", err=True)


def _manifests(settings: Settings) -> Iterator[tuple[str, Manifest]]:
    for name in ("", *book_names(settings)):
        if manifest := index_store_of(settings.of_book(name)).current():
            yield name or DEFAULT_BOOK, manifest


def _line(name: str, manifest: Manifest) -> str:
    return "  ".join(
        [
            click.style(name, bold=True),
            f"“{manifest.book}”",
            show.count(len(manifest.pages), "page"),
            f"generation {manifest.generation}, made {manifest.created_at}",
        ]
    )


def _fields(name: str, manifest: Manifest) -> dict[str, object]:
    return {
        "name": name,
        "title": manifest.book,
        "pages": len(manifest.pages),
        "generation": manifest.generation,
        "created_at": manifest.created_at,
    }
