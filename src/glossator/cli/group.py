"""What the commands have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import click

from glossator.model import Filters

FILTERS = ("chapter", "section", "page", "page_title", "url")

Command = Callable[..., Any]


_LOADED_LATER = {
    "gaps": "glossator.cli.gaps",
    "import": "glossator.cli.sessions",
    "keys": "glossator.cli.keys",
    "mcp": "glossator.cli.mcp",
    "serve": "glossator.cli.serve",
    "sessions": "glossator.cli.sessions",
}
"""Whose libraries, of the server and the database, the other commands need not wait for."""


class Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *_LOADED_LATER})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _LOADED_LATER:
            import_module(_LOADED_LATER[cmd_name])
        return super().get_command(ctx, cmd_name)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="glossator", prog_name="glossator")
def commands() -> None:
    """Answers a reader's question about a book, from the book, and shows where."""


def as_json(command: Command) -> Command:
    return click.option("--json", "json", is_flag=True, help="For machines.")(command)


def filters_of(pairs: Sequence[str]) -> Filters:
    values = dict[str, list[str]]()
    for pair in pairs:
        field, equals, value = pair.partition("=")
        if not equals or field not in FILTERS:
            raise click.BadParameter(f"{pair!r} is not FIELD=VALUE with a FIELD of {', '.join(FILTERS)}.")
        values.setdefault(field, []).append(value)
    return Filters(**{field: tuple(some) for field, some in values.items()})
