"""The command line: parse, call one function, print.

Answers go to stdout, everything else to stderr; our own errors are one line and exit code 1.
"""

from __future__ import annotations

import logging
import sys
from typing import NoReturn

import click

from glossator.cli.group import commands
from glossator.errors import GlossatorError

__all__ = ["commands", "main"]


def main() -> NoReturn:
    logging.basicConfig(format="%(message)s", level=logging.WARNING, stream=sys.stderr)
    try:
        sys.exit(commands(standalone_mode=False) or 0)
    except GlossatorError as error:
        click.echo(f"glossator: {error}", err=True)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        click.echo(
            "Stopped. What was worked out is kept, and the book that was there still serves.", err=True
        )
    sys.exit(1)
