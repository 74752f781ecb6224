"""The command `mcp`: standard output is for the protocol, everything else goes to standard error."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

import click

from glossator.adapters.writers.service import warm_up
from glossator.cli.group import book_option, commands, settings_of
from glossator.cli.serve import configure_log
from glossator.extras import need_extra
from glossator.model import Owner, Scope
from glossator.settings import Settings
from glossator.wiring import embedder_of
from glossator.wiring.engine import wire_engine

if TYPE_CHECKING:
    from glossator.web.mcp import Context


@commands.command()
@book_option
def mcp(book: str | None) -> None:
    """Serve the book's tools to an MCP client over standard input and output."""
    need_extra("mcp", "This command")
    settings = settings_of(book)
    configure_log(settings)
    if settings.model:
        warm_up()
    asyncio.run(_serve(settings))


async def _serve(settings: Settings) -> None:
    """Serves until the client closes its end; running answers are cancelled then."""
    from mcp.server.stdio import stdio_server

    from glossator.web.mcp import protocol

    wired = wire_engine(settings, embedder_of(settings, lambda message: click.echo(message, err=True)))
    server = protocol(wired.engine, partial(_admit, Owner("command-line", book=settings.book)))
    try:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())
    finally:
        await wired.engine.turn_runner.stop(0)
        await wired.aclose()


def _admit(owner: Owner, context: Context, scope: Scope) -> Owner:
    """Admits everybody: whoever can start this command can read the book."""
    return owner
