"""The command that offers the book to an assistant on this machine.

Standard output is the protocol's: everything else goes to standard error.
"""

from __future__ import annotations

import asyncio

import click
from mcp.server.stdio import stdio_server

from glossator.adapters.writers.service import warm_up
from glossator.cli.group import commands
from glossator.cli.serve import configure_log
from glossator.model import Owner, Scope
from glossator.settings import Settings, load_settings
from glossator.web.mcp import Context, protocol
from glossator.wiring import embedder_of
from glossator.wiring.engine import machine_of

_OWNER = Owner("command-line")


@commands.command()
def mcp() -> None:
    """Serve the book's tools to an MCP client, over standard input and output."""
    settings = load_settings()
    configure_log(settings)
    if settings.model:
        warm_up()
    asyncio.run(_serve(settings))


async def _serve(settings: Settings) -> None:
    """Until the client closes its end; answers that are on their way then are broken off."""
    machine = machine_of(settings, embedder_of(settings, lambda message: click.echo(message, err=True)))
    server = protocol(machine.engine, _admitted)
    try:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())
    finally:
        await machine.engine.turn_runner.stop(0)
        await machine.aclose()


def _admitted(context: Context, scope: Scope) -> Owner:
    """Whoever may start this command has the book anyway."""
    return _OWNER
