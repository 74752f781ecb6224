"""What the product imports, it declares; what not everybody needs is an extra, and its absence is one line."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from glossator.extras import EXTRAS

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OPTIONAL = PROJECT["optional-dependencies"]
BEHIND_AN_EXTRA = {
    "mcp": ["web/mcp/"],
    "postgres": ["adapters/records/postgres.py"],
    "preview": ["preview/"],
}
"""Modules that are imported only where the extra is installed, and may import its packages at their top."""


def imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def sources() -> Iterator[tuple[str, ast.Module]]:
    folder = ROOT / "src" / "glossator"
    for file in folder.rglob("*.py"):
        yield file.relative_to(folder).as_posix(), ast.parse(file.read_text())


def plain(requirement: str) -> str:
    name = requirement
    for sign in "[<>=!~; ":
        name = name.partition(sign)[0]
    return name.lower().replace("_", "-").replace(".", "-")


def missing(names: set[str], requirements: list[str]) -> set[str]:
    declared = {plain(requirement) for requirement in requirements}
    distributions = packages_distributions()
    return {
        name
        for name in names
        if name in distributions
        and not declared & {plain(requirement) for requirement in distributions[name]}
    }


def test_every_import_is_declared():
    found = {name for _, tree in sources() for name in imports(tree)}
    optional = {package for packages in EXTRAS.values() for package in packages}
    foreign = found - set(sys.stdlib_module_names) - {"glossator"}
    assert not missing(foreign - optional, PROJECT["dependencies"])


@pytest.mark.parametrize("extra", EXTRAS)
def test_every_package_of_an_extra_is_declared_there_and_only_there(extra: str):
    assert not missing(set(EXTRAS[extra]), OPTIONAL[extra])
    assert not {plain(requirement) for requirement in OPTIONAL[extra]} & {
        plain(requirement) for requirement in PROJECT["dependencies"]
    }


def test_all_has_every_extra_and_the_tests_run_with_it():
    assert OPTIONAL["all"] == [f"glossator[{','.join(sorted(EXTRAS.keys() - {'fastembed'}))}]"]
    assert "glossator[all]" in OPTIONAL["dev"]


def test_the_packages_of_an_extra_are_imported_only_where_they_are_needed():
    early = set[str]()
    for file, tree in sources():
        allowed = {extra for extra, places in BEHIND_AN_EXTRA.items() if file.startswith(tuple(places))}
        packages = {package for extra in EXTRAS.keys() - allowed for package in EXTRAS[extra]}
        top = (node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom))
        early |= {f"{file}: {name}" for node in top for name in imports(node) if name in packages}
    assert not early


def without(packages: tuple[str, ...], tmp_path: Path, *command: str, **settings: str) -> tuple[int, str]:
    """Exit code and standard error of a command where the packages cannot be imported, also in its workers."""
    blocked = "".join(f"sys.modules[{name!r}] = None\n" for name in packages)
    (tmp_path / "sitecustomize.py").write_text(f"import sys\n{blocked}")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GLOSSATOR_")},
        "PYTHONPATH": str(tmp_path),
        "GLOSSATOR_HOME": str(tmp_path / "home"),
        **{f"GLOSSATOR_{name.upper()}": value for name, value in settings.items()},
    }
    done = subprocess.run(
        [sys.executable, "-c", "from glossator.cli import main; main()", *command],
        env=environment,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("extra", "what", "command", "settings"),
    [
        ("mcp", "This command", ["mcp"], {}),
        (
            "postgres",
            "A PostgreSQL database",
            ["sessions", "list"],
            {"database_url": "postgresql://nobody@127.0.0.1:1/none"},
        ),
        ("preview", "The preview", ["serve", "--port", "0", "--preview", "."], {}),
        (
            "redis",
            "Counting requests in Redis",
            ["serve", "--port", "0"],
            {"redis_url": "redis://127.0.0.1:1/0"},
        ),
    ],
    ids=["mcp", "postgres", "preview", "redis"],
)
def test_without_its_extra_a_command_ends_with_one_line(
    extra: str, what: str, command: list[str], settings: dict[str, str], tmp_path: Path
):
    code, errors = without(EXTRAS[extra], tmp_path, *command, **settings)
    assert errors == f"glossator: {what} needs the extra '{extra}': pip install 'glossator[{extra}]'.\n"
    assert code == 1


def test_without_its_extra_a_pdf_is_named_with_the_line_that_installs_it(tmp_path: Path):
    (tmp_path / "book.pdf").write_bytes(b"%PDF-1.7")
    code, errors = without(EXTRAS["pdf"], tmp_path, "ingest", str(tmp_path / "book.pdf"))
    assert errors.endswith(
        f"glossator: No page of {tmp_path / 'book.pdf'} can be read: "
        "book.pdf needs the extra 'pdf': pip install 'glossator[pdf]'.\n"
    )
    assert code == 1


def test_the_help_needs_no_extra(tmp_path: Path):
    every = tuple(package for packages in EXTRAS.values() for package in packages if package != "pygments")
    assert without(every, tmp_path, "--help") == (0, "")
