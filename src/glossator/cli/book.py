"""The commands `ingest`, `search`, `check`, `info` and `export`."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click

from glossator.adapters.lock import ingest_lock
from glossator.adapters.terminal import progress_for
from glossator.answer.retrieve import retrieve
from glossator.cli import show
from glossator.cli.group import (
    FILTER_HELP,
    Command,
    book_option,
    commands,
    filters_of,
    json_option,
    settings_of,
)
from glossator.errors import NoBookYet
from glossator.export import chunk_fields, chunks_of
from glossator.ingest.choose import place_in_book
from glossator.ingest.pipeline import ingest as ingest_book
from glossator.ingest.sites import SiteKind, SiteOptions, locales_of
from glossator.lint import Find
from glossator.lint import check as check_book
from glossator.model import Manifest
from glossator.ports import Index
from glossator.settings import Settings, load_settings
from glossator.wiring import embedder_of, index_of, ingest_tools_of, reader_of
from glossator.wiring.sources import is_address, source_of

SOME_PAGES_SKIPPED = 2
EVERY_LOCALE = "all"
KINDS = [kind.value for kind in SiteKind]


def site_options(command: Command) -> Command:
    """Adds the options that say how the book is published."""
    for option in (
        click.option("--locale", help="Read this language of a translated book, not its default one."),
        click.option("--route-base", help="Set the path of the pages below the base URL, such as docs."),
        click.option("--base-url", help="Set where the book is published, such as https://book.example/."),
        click.option(
            "--site", type=click.Choice(KINDS), help="Set the site generator instead of detecting it."
        ),
    ):
        command = option(command)
    return command


@commands.command()
@click.argument("path")
@site_options
@click.option("--title", help="Set the title of the book, which its readers see.")
@click.option(
    "--files", multiple=True, metavar="PAGE…", help="Read only these pages again, and keep the others."
)
@click.option(
    "--replace",
    is_flag=True,
    help="Allow removal of more than a third of the indexed book.",
)
@click.option("--book", metavar="NAME", help="Ingest into the book NAME.")
@click.argument("more_files", nargs=-1, metavar="")
@json_option
def ingest(
    path: str,
    files: Sequence[str],
    more_files: Sequence[str],
    replace: bool,
    book: str | None,
    json: bool,
    **site: Any,
) -> int:
    """Read the book at PATH into the index: a folder, a page, or the address of a site or its sitemap.

    Run it again when the book changes: only changed text is embedded. A page of the book in the index is read
    again in its place. With --locale all, each language of a translated site becomes a book.
    """
    if more_files and not files:
        raise click.UsageError(
            f"There is one PATH; {more_files[0]} is one too many (pages go after --files)."
        )
    only = [*files, *more_files]
    if site["locale"] != EVERY_LOCALE:
        return _ingest(path, only, replace, book, json, site)
    codes = [
        _ingest(path, only, replace, name or None, json, {**site, "locale": locale})
        for locale, name in _family(Path(path), book)
    ]
    return max(codes)


def _family(path: Path, book: str | None) -> list[tuple[str, str]]:
    """The languages of a translated site, each with the name of its book."""
    first, *others = locales_of(path)
    names = {locale: "-".join(filter(None, (book, locale.replace("_", "-")))) for locale in others}
    said = [*filter(None, [book]), *(f"{locale}={name}" for locale, name in names.items())]
    click.echo(
        f'The widget asks the book in the page\'s language with data-book="{" ".join(said)}".', err=True
    )
    return [(first, book or ""), *names.items()]


def _ingest(
    path: str, only: Sequence[str], replace: bool, book: str | None, json: bool, site: Mapping[str, Any]
) -> int:
    settings = load_settings(book=book) if book else load_settings()
    with ingest_lock(settings.index_home):
        tools = ingest_tools_of(
            settings, progress_for(sys.stderr), say=lambda message: click.echo(message, err=True)
        )
        if not only and not replace and not is_address(path):
            folder, only = place_in_book(Path(path), tools.index_store.current())
            path = str(folder)
        source = source_of(path, _options(**site), settings, tools.progress)
        report = ingest_book(source.path, source.site, tools, only, replace_book=replace)
        report = dataclasses.replace(report, skipped=(*source.skipped, *report.skipped))
    click.echo(show.json(report) if json else show.report(report))
    return SOME_PAGES_SKIPPED if report.skipped else 0


@commands.command()
@click.argument("text")
@click.option(
    "--top-k", type=click.IntRange(1, 20), default=5, show_default=True, help="Show this many chunks."
)
@click.option("--filter", "filters", multiple=True, metavar="FIELD=VALUE", help=FILTER_HELP)
@book_option
@json_option
def search(text: str, top_k: int, filters: Sequence[str], book: str | None, json: bool) -> None:
    """Search the book for TEXT."""
    settings = settings_of(book)
    say = partial(click.echo, err=True)
    embedder, reader = embedder_of(settings, say), reader_of(settings, say)
    with closing(index_of(settings, expects=embedder.identity)) as index:
        hits = retrieve(text, embedder, reader, index, top_k=top_k, filters=filters_of(filters)).hits
        origin = index.manifest().site_origin
    click.echo(
        show.json({"hits": [show.hit_fields(hit) for hit in hits]}) if json else show.hits(hits, origin)
    )


@commands.command()
@click.argument("path", type=click.Path(path_type=Path))
@site_options
@book_option
@json_option
def check(path: Path, book: str | None, json: bool, **site: Any) -> int:
    """Check the book at PATH for broken links and anchors, unexplained terms and unfindable pages."""
    settings = settings_of(book)
    with _finder(path, settings) as find:
        report = check_book(path, _options(**site).site(path), find=find)
    click.echo(show.json(report) if json else show.findings(report))
    return 1 if report.findings else 0


@commands.command()
@book_option
@json_option
def info(book: str | None, json: bool) -> None:
    """Show which book is in the index, and how it was made."""
    settings = settings_of(book)
    with closing(index_of(settings)) as index:
        manifest = index.manifest()
    click.echo(
        show.json(show.manifest_fields(manifest, settings)) if json else show.manifest(manifest, settings)
    )


@commands.command()
@book_option
def export(book: str | None) -> None:
    """Write the chunks of the book to standard output, in reading order, as JSON Lines."""
    with closing(index_of(settings_of(book))) as index:
        for chunk in chunks_of(index, index.manifest()):
            click.echo(show.json_line(chunk_fields(chunk)))


def _options(site: str | None, **options: str | None) -> SiteOptions:
    return SiteOptions(SiteKind(site) if site else None, **options)


@contextmanager
def _finder(path: Path, settings: Settings) -> Generator[Find | None]:
    """Searches the pages for a question; None when the index does not hold the book at `path`."""
    with closing(index_of(settings)) as index:
        manifest = _manifest(index)
        if manifest is None or not _holds(path, manifest):
            yield None
            return
        embedder, reader = embedder_of(settings), reader_of(settings)
        if manifest.embedder == embedder.identity:
            yield lambda text: [hit.chunk.page for hit in retrieve(text, embedder, reader, index).hits]
        else:
            yield None


def _holds(path: Path, manifest: Manifest) -> bool:
    """Whether most pages of the index are in the folder."""
    folder = path.parent if path.is_file() else path
    return 2 * sum((folder / page.path).is_file() for page in manifest.pages) > len(manifest.pages)


def _manifest(index: Index) -> Manifest | None:
    try:
        return index.manifest()
    except NoBookYet:
        return None
