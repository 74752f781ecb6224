"""Every command, option, setting, error, metric and route is documented, and nothing that does not exist."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

import click
import pytest
import reference
from prometheus_client.parser import text_string_to_metric_families
from pydantic import SecretStr
from pydantic_core import PydanticUndefined
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route

from glossator import errors
from glossator.cli import commands
from glossator.engine import Engine
from glossator.settings import Settings
from glossator.web.app import ServerConfig, routes
from glossator.web.contract import ContractSettings
from glossator.web.contracts import citations, grounding, openai, pipeline, threads
from glossator.web.middleware.metrics import Metrics
from glossator.web.problem import STATUS, ProblemKind

ROOT = Path(__file__).parents[1]
PAGES = {
    page.relative_to(ROOT / "docs").as_posix(): page.read_text(encoding="utf-8")
    for page in sorted((ROOT / "docs").rglob("*.md"))
}
GUIDES = "\n".join(text for name, text in PAGES.items() if name != "commands.md")
SECRETS = [name for name, field in Settings.model_fields.items() if field.annotation == SecretStr | None]


@pytest.mark.parametrize(("name", "command"), [*reference.every_command(commands)])
def test_every_command_and_each_of_its_options_is_documented(name: str, command: click.Command):
    assert name in GUIDES
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.opts[0] in GUIDES, f"{name} {option.opts[0]}"


@pytest.mark.parametrize("field", sorted(Settings.model_fields))
def test_every_setting_is_documented(field: str):
    assert f"GLOSSATOR_{field.upper()}" in PAGES["settings.md"]


def test_no_setting_is_documented_that_does_not_exist():
    documented = {name.lower() for name in re.findall(r"GLOSSATOR_([A-Z_]+)", PAGES["settings.md"])}
    assert documented <= {*Settings.model_fields, *(f"{name}_file" for name in SECRETS)}


@pytest.mark.parametrize("field", SECRETS)
def test_every_secret_is_documented_with_its_file(field: str):
    assert f"`GLOSSATOR_{field.upper()}_FILE" in PAGES["settings.md"]


@pytest.mark.parametrize("field", sorted(Settings.model_fields))
def test_the_default_of_a_setting_is_the_documented_one(field: str):
    default = Settings.model_fields[field].default
    if default in (None, PydanticUndefined, "", ()):
        return
    name = f"GLOSSATOR_{field.upper()}"
    row = next(cells for cells in rows("settings.md") if f"`{name}`" in cells[0])
    # A row may hold two settings with their two defaults.
    documented = dict(zip(code_in(row[0]), code_in(row[1]), strict=False))
    assert documented.get(name, row[1]) in (written(default), "OpenAI's")


def written(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case float():
            return f"{value:g}"
        case _:
            return str(value)


def rows(page: str) -> Iterator[list[str]]:
    """The cells of every table's rows, without its header."""
    for line in PAGES[page].splitlines():
        if line.startswith("| ") and not line.startswith("|--"):
            yield [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def code_in(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_the_page_of_commands_is_the_command_line_itself():
    assert PAGES["commands.md"] == reference.page(), "run `make reference`"


def test_every_command_has_a_page_that_explains_it():
    names = {name.split()[1] for name, _ in reference.every_command(commands)}
    assert names == names & reference.GUIDES.keys()


def error_classes() -> list[type[errors.GlossatorError]]:
    found = [cast("object", value) for value in vars(errors).values()]
    return [value for value in found if isinstance(value, type) and issubclass(value, errors.GlossatorError)]


@pytest.mark.parametrize("error", error_classes()[1:], ids=lambda error: error.__name__)
def test_every_error_is_documented_with_its_message(error: type[errors.GlossatorError]):
    documented = {cells[0]: cells[1:] for cells in rows("errors.md") if len(cells) == 3}
    message, remedy = documented[f"`{error.__name__}`"]
    assert message == (error.__doc__ or "").strip()
    assert remedy


def test_no_error_is_documented_that_does_not_exist():
    names = {name for cells in rows("errors.md") if len(cells) == 3 for name in code_in(cells[0])}
    assert names <= {error.__name__ for error in error_classes()}


def test_every_code_of_the_native_api_is_documented_with_its_status():
    documented = {
        cells[0]: int(cells[1]) for cells in rows("errors.md") if len(cells) == 4 and cells[1].isdigit()
    }
    assert documented == {f"`{kind}`": STATUS[kind] for kind in ProblemKind}


def test_every_code_of_the_other_contracts_is_documented():
    documented = {cells[0]: cells[1:] for cells in rows("errors.md") if len(cells) == 6}
    for kind in ProblemKind:
        codes = (
            threads.CODES_AND_SUGGESTIONS[kind][0],
            citations.CODES[kind],
            grounding.CODES[kind],
            pipeline.TYPES[kind],
            openai.TYPES_AND_CODES[kind][1],
        )
        assert documented[f"`{kind}`"] == [f"`{code}`" for code in codes]


def test_every_metric_is_documented_with_its_kind():
    exposed = bytes(Metrics().render().body).decode()
    families = text_string_to_metric_families(exposed)
    kinds = {family.name: family.type for family in families if not family.name.endswith("_created")}
    documented = {code_in(cells[0])[0]: cells[1] for cells in rows("metrics.md") if cells[0].startswith("`")}
    assert {name.removesuffix("_total"): kind for name, kind in documented.items()} == kinds


@cache
def served() -> Sequence[tuple[str, str, Mount | None]]:
    """Method and address of every route, and the contract that it belongs to."""
    # No route looks at the engine before a request comes.
    engine = cast("Engine", None)
    config = ServerConfig(guarded=lambda contract: contract.app, metrics=Response)
    return [entry for route in routes(engine, ContractSettings(), config) for entry in addresses(route)]


def addresses(route: BaseRoute) -> Iterator[tuple[str, str, Mount | None]]:
    if isinstance(route, Mount):
        paths = cast("Any", route.app).app.openapi()["paths"]
        yield from (
            (verb.upper(), route.path + path, route) for path, verbs in paths.items() for verb in verbs
        )
    elif isinstance(route, Route):
        # MCP takes any method and answers all but POST with 405.
        yield from ((method, route.path, None) for method in (route.methods or {"POST"}) - {"HEAD"})


def test_every_route_is_documented_and_no_other():
    documented = {
        (cells[0], code_in(cells[1])[0])
        for cells in rows("routes.md")
        if len(cells) == 4 and code_in(cells[1])
    }
    assert documented == {(method, address) for method, address, _ in served()}


@pytest.mark.parametrize(
    ("method", "address", "contract"),
    [entry for entry in served() if entry[2] and entry[2].path.startswith(("/contracts", "/openai"))],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_route_is_on_the_page_of_its_contract(method: str, address: str, contract: Mount):
    name = contract.path.removesuffix("/v1").rpartition("/")[2]
    path = re.sub(r"\{\w+\}", "{", address.removeprefix(contract.path))
    page = re.sub(r"\{\w+\}", "{", PAGES[f"contracts/{name}.md"])
    assert f"| {method} `{path}" in page


def test_links_between_the_documents_lead_somewhere():
    for page in [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


CONTRIBUTING = re.sub(r"```.*?```", "", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), flags=re.S)
SUFFIXES = (".py", ".md", ".json", ".npz", ".toml", ".txt", ".yml", ".yaml", ".cff")
NOT_IN_THE_REPOSITORY = {"build/release", "/b/NAME", "/dev/shm"}


def paths_in_contributing() -> list[str]:
    named = {name for name in code_in(CONTRIBUTING) if re.fullmatch(r"[\w./-]+", name)}
    paths = {name for name in named if "/" in name or name.endswith(SUFFIXES)}
    return sorted(path for path in paths - NOT_IN_THE_REPOSITORY if "NAME" not in path)


@pytest.mark.parametrize("path", paths_in_contributing())
def test_every_path_that_contributing_names_exists(path: str):
    """Paths stand as they are in the repository, or below a package that the section is about."""
    packages = (ROOT / "src" / "glossator", ROOT / "bench")
    assert (ROOT / path).exists() or any(found for folder in packages for found in folder.rglob(path))


@pytest.mark.parametrize("target", sorted(set(re.findall(r"`make ([\w-]+)", CONTRIBUTING))))
def test_every_make_target_that_contributing_names_exists(target: str):
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
