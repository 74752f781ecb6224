"""The command `doctor`."""

from __future__ import annotations

import asyncio
import textwrap

import click

from glossator.cli import show
from glossator.cli.group import commands, json_option
from glossator.errors import SettingsError
from glossator.settings import load_settings
from glossator.wiring.doctor import Finding, Findings, Severity, examine

_COLOURS = {Severity.OK: "green", Severity.NOTE: "yellow", Severity.FAULT: "red"}
_WIDTH = 100


@commands.command()
@click.option(
    "--model", is_flag=True, help="Also make one short call to the language model, which may cost money."
)
@json_option
def doctor(model: bool, json: bool) -> int:
    """Examine all that answers depend on, and say what to do; exit code 1 if readers get no answers."""
    findings = _examine(call_model=model)
    if json:
        click.echo(show.json({"stops_answers": findings.stops_answers, "findings": findings.all}))
    else:
        click.echo("\n".join(_lines(finding) for finding in findings.all))
    return 1 if findings.stops_answers else 0


def _examine(*, call_model: bool) -> Findings:
    try:
        settings = load_settings()
    except SettingsError as error:
        findings = Findings()
        findings.fault("settings", str(error), "Correct it; nothing else was examined.")
        return findings
    return asyncio.run(examine(settings, call_model=call_model))


def _lines(finding: Finding) -> str:
    level = click.style(f"{finding.level:<5}", fg=_COLOURS[finding.level], bold=True)
    todo = [click.style(line, dim=True) for line in _wrapped(finding.todo)]
    first, *more = _wrapped(f"{finding.subject}: {finding.text}")
    return "\n".join([f"{level} {first.strip()}", *more, *todo])


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 6)
