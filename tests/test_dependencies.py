"""What the product imports, it declares."""

from __future__ import annotations

import ast
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def imported() -> set[str]:
    names = set[str]()
    for file in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names.add(node.module.partition(".")[0])
    return names - set(sys.stdlib_module_names) - {"glossator"}


def plain(requirement: str) -> str:
    name = requirement
    for sign in "[<>=!~; ":
        name = name.partition(sign)[0]
    return name.lower().replace("_", "-").replace(".", "-")


def test_every_import_is_declared():
    extras = PROJECT["optional-dependencies"]
    declared = {plain(one) for one in [*PROJECT["dependencies"], *extras["fastembed"]]}
    distributions = packages_distributions()
    missing = {
        name
        for name in imported()
        if name in distributions and not declared & {plain(one) for one in distributions[name]}
    }
    assert not missing
