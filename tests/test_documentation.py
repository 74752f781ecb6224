"""Every command, option and setting is documented."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from pydantic import SecretStr

from glossator.cli import commands
from glossator.settings import Settings

ROOT = Path(__file__).parents[1]
PAGES = {page.name: page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs").rglob("*.md"))}
ALL = "\n".join(PAGES.values())
SECRETS = [name for name, field in Settings.model_fields.items() if field.annotation == SecretStr | None]


def every_command(group: click.Group, above: str = "glossator") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield f"{above} {name}", command
        if isinstance(command, click.Group):
            yield from every_command(command, f"{above} {name}")


@pytest.mark.parametrize(("name", "command"), [*every_command(commands)])
def test_every_command_and_each_of_its_options_is_documented(name: str, command: click.Command):
    assert name in ALL
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.opts[0] in ALL, f"{name} {option.opts[0]}"


@pytest.mark.parametrize("field", sorted(Settings.model_fields))
def test_every_setting_is_documented(field: str):
    assert f"GLOSSATOR_{field.upper()}" in PAGES["settings.md"]


def test_no_setting_is_documented_that_does_not_exist():
    documented = {name.lower() for name in re.findall(r"GLOSSATOR_([A-Z_]+)", PAGES["settings.md"])}
    assert documented <= {*Settings.model_fields, *(f"{name}_file" for name in SECRETS)}


@pytest.mark.parametrize("field", SECRETS)
def test_every_secret_is_documented_with_its_file(field: str):
    assert f"`GLOSSATOR_{field.upper()}_FILE" in PAGES["settings.md"]


def test_links_between_the_documents_lead_somewhere():
    for page in [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"
