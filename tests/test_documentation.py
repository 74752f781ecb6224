"""Every command, option and setting is documented."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from glossator.cli import commands
from glossator.settings import Settings

ROOT = Path(__file__).parents[1]
PAGES = {page.name: page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs").glob("*.md"))}
ALL = "\n".join(PAGES.values())


@pytest.mark.parametrize("name", sorted(commands.commands))
def test_every_command_and_each_of_its_options_is_documented(name: str):
    assert f"glossator {name}" in ALL
    options = [option for option in commands.commands[name].params if isinstance(option, click.Option)]
    for option in options:
        assert option.opts[0] in ALL, f"{name} {option.opts[0]}"


@pytest.mark.parametrize("field", sorted(Settings.model_fields))
def test_every_setting_is_documented(field: str):
    assert f"GLOSSATOR_{field.upper()}" in PAGES["settings.md"]


def test_no_setting_is_documented_that_does_not_exist():
    documented = set(re.findall(r"GLOSSATOR_([A-Z_]+)", PAGES["settings.md"]))
    assert {name.lower() for name in documented} <= set(Settings.model_fields)


def test_links_between_the_documents_lead_somewhere():
    for page in [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"
