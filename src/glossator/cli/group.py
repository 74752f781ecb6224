"""The command group, and the options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import click

from glossator.model import Filters
from glossator.settings import Settings, load_settings

FILTERS = ("chapter", "section", "page", "page_title", "url")
FILTER_HELP = f"Use only chunks with this {', '.join(FILTERS[:-1])} or {FILTERS[-1]}; may repeat."

Command = Callable[..., Any]

_COMMANDS = {
    "ask": "glossator.cli.ask",
    "backup": "glossator.cli.operate",
    "books": "glossator.cli.books",
    "calibrate": "glossator.cli.examine",
    "check": "glossator.cli.book",
    "doctor": "glossator.cli.doctor",
    "exam": "glossator.cli.examine",
    "export": "glossator.cli.book",
    "gaps": "glossator.cli.gaps",
    "import": "glossator.cli.sessions",
    "info": "glossator.cli.book",
    "ingest": "glossator.cli.book",
    "keys": "glossator.cli.keys",
    "mcp": "glossator.cli.mcp",
    "restore": "glossator.cli.operate",
    "rollback": "glossator.cli.operate",
    "search": "glossator.cli.book",
    "serve": "glossator.cli.serve",
    "sessions": "glossator.cli.sessions",
}
"""The modules are imported when a command is called: some load the models, or the server's libraries."""


class Subcommands(click.Group):
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The first sentence of each command, wrapped; click cuts it at the end of the line."""
        named = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, command.get_short_help_str(limit=10_000)) for name, command in named if command]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class Commands(Subcommands):
    group_class = Subcommands

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*_COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _COMMANDS:
            import_module(_COMMANDS[cmd_name])
        return super().get_command(ctx, cmd_name)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="glossator", prog_name="glossator")
def commands() -> None:
    """Answers a reader's question about a book, from the book, and shows where."""


def json_option(command: Command) -> Command:
    return click.option("--json", "json", is_flag=True, help="Print JSON.")(command)


def book_option(command: Command) -> Command:
    return click.option("--book", metavar="NAME", help="Use the book NAME instead of the default one.")(
        command
    )


def settings_of(book: str | None) -> Settings:
    """The settings for a command that reads this book. Raises BookUnknown."""
    settings = load_settings(book=book) if book else load_settings()
    if settings.book:
        from glossator.wiring.books import book_names, unknown_book

        if settings.book not in book_names(settings):
            raise unknown_book(settings)
    return settings


def filters_of(pairs: Sequence[str]) -> Filters:
    values = dict[str, list[str]]()
    for pair in pairs:
        field, equals, value = pair.partition("=")
        if not equals or field not in FILTERS:
            raise click.BadParameter(f"{pair!r} is not FIELD=VALUE with a FIELD of {', '.join(FILTERS)}.")
        values.setdefault(field, []).append(value)
    return Filters(**{field: tuple(texts) for field, texts in values.items()})
