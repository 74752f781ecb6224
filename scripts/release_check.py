"""What must be true before a release: `make release-check`. Publishes nothing.

Builds the wheel, the sdist and both npm packages from an export of the last commit, so that no file outside
the repository can get in; installs them into empty environments, one for each Python that the machine has;
asks each one question. Writes the packages, an SBOM and the licences of all dependencies to build/release.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

from npm import NpmError, node, npm

ROOT = Path(__file__).parents[1]
OUT = ROOT / "build" / "release"
PYTHONS = ("3.11", "3.12", "3.13")
NPM_PACKAGES = ("widget", "integrations/docusaurus")
QUESTION = "What is domain randomization good for?"
SBOM_TOOL = "cyclonedx-bom>=7,<8"
# A lock file would name the registry of whoever wrote it, and no tool needs its own install script.
NPM_INSTALL = ["install", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]

ALLOWED = (
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "CNRI-Python", "HPND", "ISC", "MIT", "MIT-0",
    "MIT-CMU", "MPL-2.0", "PSF-2.0", "Python-2.0", "Unlicense", "Zlib",
)  # fmt: skip
"""By SPDX identifier: all let Apache-2.0 software depend on them."""
LICENCE_NAMES = {
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "BSD": "BSD-3-Clause",
    "BSD License": "BSD-3-Clause",
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: BSD License": "BSD-3-Clause",
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "MIT License": "MIT",
}
"""How packages that do not write SPDX identifiers name the same licences."""
REVIEWED = {
    "protobuf": "BSD-3-Clause",  # says "3-Clause BSD License", which no tool takes for a name
    "docutils": "BSD-2-Clause",  # also lists the GPL, for an Emacs mode that its wheel does not have
}
"""Packages whose metadata does not say it, and what their licence files say."""


class CheckError(Exception):
    """Something that keeps a release back."""


def main() -> None:
    try:
        check()
    except (CheckError, NpmError) as reason:
        sys.exit(f"release_check: {reason}")


def check() -> None:
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    print(f"version                  {check_version()}")
    with tempfile.TemporaryDirectory() as folder:
        exported = export(Path(folder) / "source")
        for name in build(exported):
            print(f"built                    {name}")
        check_python_packages(exported, Path(folder))
        check_npm_packages(exported, Path(folder) / "npm")
    print(f"Everything is in {OUT.relative_to(ROOT)}.")


def check_version() -> str:
    """One version everywhere, and a changelog whose first entry is this version's."""
    version = tomllib.loads(_text("pyproject.toml"))["project"]["version"]
    others = {
        f"{name}/package.json": json.loads(_text(f"{name}/package.json"))["version"] for name in NPM_PACKAGES
    }
    others |= {
        name: _field(name, field)
        for name, field in (("CITATION.cff", "version"), ("deploy/chart/Chart.yaml", "appVersion"))
    }
    for name, other in others.items():
        if other != version:
            raise CheckError(f"{name} says {other}, pyproject.toml {version}")
    entries = [heading.split()[0] for heading in re.findall(r"^## (.+)$", _text("CHANGELOG.md"), re.M)]
    if entries[:1] == ["Unreleased"] and version not in entries:
        return f"{version}; before the tag, call the changelog's first entry {version} instead of Unreleased"
    if entries[:1] != [version]:
        raise CheckError(f"the first entry of CHANGELOG.md must be {version} or, before it, Unreleased")
    return version


def export(folder: Path) -> Path:
    """The last commit without anything that is not in it, away from the repository."""
    if _run("git", "status", "--porcelain", "--untracked-files=no").strip():
        print("                         note: there are changes that are not committed; they are not checked")
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as files:
        # Refuses links that lead out of the folder.
        files.extractall(folder, filter="data")
    return folder


def build(source: Path) -> list[str]:
    _run(sys.executable, "-m", "hatchling", "build", "--directory", str(OUT), folder=source)
    npm(NPM_INSTALL, source / "widget")
    for package in NPM_PACKAGES:
        npm(["pack", "--silent", "--pack-destination", str(OUT)], source / package)
    return sorted(path.name for path in OUT.iterdir())


def check_python_packages(source: Path, folder: Path) -> None:
    found = {version: python for version in PYTHONS if (python := find_python(version))}
    if not found:
        raise CheckError(f"none of Python {', '.join(PYTHONS)} is on this machine")
    wheel, sdist = next(OUT.glob("*.whl")), next(OUT.glob("*.tar.gz"))
    for version, python in found.items():
        answer = try_package(python, wheel, source, folder / f"wheel-{version}")
        print(f"Python {version}, wheel       {answer}")
    oldest = next(iter(found))
    print(f"Python {oldest}, sdist       {try_package(found[oldest], sdist, source, folder / 'sdist')}")
    for version in PYTHONS:
        if version not in found:
            print(f"Python {version}              not on this machine: not tried")
    check_licences(write_sbom(folder / f"wheel-{oldest}", folder / "tools"))


def find_python(version: str) -> str | None:
    """On the path, or one of pyenv's, whose names on the path do nothing where another version is chosen."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [shutil.which(f"python{version}"), *map(str, sorted(pyenv.glob(f"{version}.*/bin/python")))]
    return next((python for python in candidates if python and _is_python(python, version)), None)


def _is_python(python: str, version: str) -> bool:
    done = subprocess.run(
        [python, "-c", "import sys, venv; print('%d.%d' % sys.version_info[:2])"],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() == version


def try_package(python: str, package: Path, source: Path, environment: Path) -> str:
    """Installs it into an empty environment and asks the sample book a question; returns the outcome."""
    _run(python, "-m", "venv", str(environment))
    constraints = str(source / "constraints.txt")
    pip = [
        str(environment / "bin" / "python"),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]
    _run(*pip, "--constraint", constraints, f"{package}[all]")
    # Elsewhere, so that nothing is imported from the source.
    home = environment / "home"
    home.mkdir()
    # A busy machine is no fault of a package.
    (home / "glossator.toml").write_text("search_seconds = 60\nanswer_seconds = 90\n", encoding="utf-8")
    glossator = str(environment / "bin" / "glossator")
    _run(glossator, "ingest", str(source / "examples" / "physical-ai-book"), folder=home)
    answer = json.loads(_run(glossator, "ask", "--json", QUESTION, folder=home))
    if not answer["outcome"].startswith("answered") or not answer["citations"]:
        raise CheckError(f"{package.name} on {python} answered: {answer['outcome']}")
    return f"{answer['outcome']}, {len(answer['citations'])} citations"


def write_sbom(environment: Path, tools: Path) -> Mapping[str, Any]:
    """What an installation with all extras consists of, in CycloneDX's format."""
    _run(sys.executable, "-m", "venv", str(tools))
    _run(
        str(tools / "bin" / "python"),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        SBOM_TOOL,
    )
    file = OUT / "sbom.cdx.json"
    python = str(environment / "bin" / "python")
    _run(
        str(tools / "bin" / "cyclonedx-py"),
        "environment",
        "--output-reproducible",
        "--output-file",
        str(file),
        python,
    )
    return json.loads(file.read_text(encoding="utf-8"))


def check_licences(sbom: Mapping[str, Any]) -> None:
    components = [
        component
        for component in sbom["components"]
        if component["name"] not in ("glossator", "pip", "setuptools")
    ]
    licences = {
        f"{component['name']} {component['version']}": sorted(set(_licences(component)))
        for component in components
    }
    lines = [f"{name:<40} {', '.join(found) or 'none'}" for name, found in sorted(licences.items())]
    (OUT / "licences.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    refused = [
        line
        for line, found in zip(lines, (licences[name] for name in sorted(licences)), strict=True)
        if not found or not all(map(is_allowed, found))
    ]
    if refused:
        raise CheckError("licences that are not on the allowed list:\n" + "\n".join(refused))
    print(
        f"licences                 {len(lines)} dependencies, all on the allowed list; sbom.cdx.json, licences.txt"
    )


def _licences(component: Mapping[str, Any]) -> Iterator[str]:
    if component["name"] in REVIEWED:
        yield REVIEWED[component["name"]]
        return
    for entry in component.get("licenses", []):
        name: str = entry.get("expression") or entry["license"].get("id") or entry["license"]["name"]
        # Some put the whole text of the licence there; the classifier beside it names it.
        if "\n" not in name:
            yield LICENCE_NAMES.get(name, name)


def is_allowed(expression: str) -> bool:
    """Of an SPDX expression: all parts of an `AND`, one of an `OR`; an exception (`WITH`) only adds rights."""
    words = re.findall(r"[()]|[^\s()]+", re.sub(r"\s+WITH\s+\S+", "", expression))
    operators = {"AND": "and", "OR": "or", "(": "(", ")": ")"}
    # Nothing but these operators, True and False is evaluated.
    condition = " ".join(operators.get(word, str(word in ALLOWED)) for word in words)
    try:
        return bool(eval(condition or "False"))
    except SyntaxError:
        return False


def check_npm_packages(source: Path, site: Path) -> None:
    site.mkdir()
    for package in NPM_PACKAGES:
        about = json.loads((source / package / "package.json").read_text(encoding="utf-8"))
        if about.get("dependencies"):
            raise CheckError(f"{about['name']} has dependencies, whose licences nobody checks")
    (site / "package.json").write_text('{"private": true}', encoding="utf-8")
    npm([*NPM_INSTALL, "--legacy-peer-deps", *map(str, sorted(OUT.glob("*.tgz")))], site)
    _run(*node(), "--input-type=module", "--eval", _IMPORTS, folder=site)
    print(
        "npm packages             installed into an empty site; the plugin adds the widget, the types are there"
    )


_IMPORTS = """
import { existsSync, readFileSync } from "node:fs";
import plugin from "docusaurus-plugin-glossator";
const made = plugin({ siteConfig: {}, i18n: {} }, { server: "https://ask.example", key: "pk_x" });
const tags = JSON.stringify(made.injectHtmlTags());
if (!tags.includes("https://ask.example")) throw new Error(`the plugin adds ${tags}`);
const about = JSON.parse(readFileSync("node_modules/glossator-widget/package.json", "utf8"));
for (const file of Object.values(about.exports["."]))
  if (!existsSync(`node_modules/glossator-widget/${file}`)) throw new Error(`${file} is not in the widget's package`);
"""


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _field(name: str, field: str) -> str | None:
    found = re.search(rf"^{field}: (.+)$", _text(name), re.M)
    return found[1].strip() if found else None


def _run(*command: str, folder: Path = ROOT) -> str:
    # Settings of whoever runs this are not those of a new user, but the cache saves a download.
    environment = {
        name: value
        for name, value in os.environ.items()
        if name == "GLOSSATOR_CACHE" or not name.startswith(("GLOSSATOR_", "PYTHON", "VIRTUAL_ENV"))
    }
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CheckError(f"{' '.join(command)} failed:\n{(done.stderr or done.stdout).strip()[-1500:]}")
    return done.stdout


if __name__ == "__main__":
    main()
