"""The command group, and the options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import click

from glossator.model import Filters

FILTERS = ("chapter", "section", "page", "page_title", "url")
FILTER_HELP = f"Use only chunks with this {', '.join(FILTERS[:-1])} or {FILTERS[-1]}; may repeat."

Command = Callable[..., Any]

_LAZY_COMMANDS = {
    "gaps": "glossator.cli.gaps",
    "import": "glossator.cli.sessions",
    "keys": "glossator.cli.keys",
    "mcp": "glossator.cli.mcp",
    "serve": "glossator.cli.serve",
    "sessions": "glossator.cli.sessions",
}
"""Imported when called: they load the libraries of the server and the database."""


class Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *_LAZY_COMMANDS})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _LAZY_COMMANDS:
            import_module(_LAZY_COMMANDS[cmd_name])
        return super().get_command(ctx, cmd_name)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="glossator", prog_name="glossator")
def commands() -> None:
    """Answers a reader's question about a book, from the book, and shows where."""


def json_option(command: Command) -> Command:
    return click.option("--json", "json", is_flag=True, help="Print JSON.")(command)


def filters_of(pairs: Sequence[str]) -> Filters:
    values = dict[str, list[str]]()
    for pair in pairs:
        field, equals, value = pair.partition("=")
        if not equals or field not in FILTERS:
            raise click.BadParameter(f"{pair!r} is not FIELD=VALUE with a FIELD of {', '.join(FILTERS)}.")
        values.setdefault(field, []).append(value)
    return Filters(**{field: tuple(texts) for field, texts in values.items()})
