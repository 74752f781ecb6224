"""Build the real Docusaurus sites that the tests read, through npm, in the cache folder.

python scripts/get_docusaurus.py        prints the folders of the built sites

What is installed is pinned in tests/sites/docusaurus. A site is built again when its pages, its configuration or the
plugin changed, and only then.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path

from cached import cache_folder
from npm import NpmError, node, npm, npm_pack

REPOSITORY = Path(__file__).parents[1]
SAMPLE = REPOSITORY / "examples" / "physical-ai-book"
PLUGIN = REPOSITORY / "integrations" / "docusaurus"
SITES = REPOSITORY / "tests" / "sites" / "docusaurus"
PINS = (SITES / "package.json", SITES / "package-lock.json")


def main() -> None:
    try:
        print(get_book(), get_small(), sep="\n")
    except NpmError as reason:
        sys.exit(f"get_docusaurus: {reason}")


def get_book() -> Path:
    """The sample book, at `/book/`."""
    own = {name: SAMPLE / name for name in ("docs", "static", "sidebars.ts")}
    return _get_site({**own, "book.config.ts": SAMPLE / "docusaurus.config.ts", **_listed(SITES / "book")})


def get_small() -> Path:
    """Two pages at `/` with all that the book does not have."""
    return _get_site(_listed(SITES / "small"))


def _listed(folder: Path) -> dict[str, Path]:
    return {path.name: path for path in sorted(folder.iterdir())}


def _get_site(parts: Mapping[str, Path]) -> Path:
    """The built site out of these files and folders, by their names in it."""
    with _alone():
        installed = _get_installed()
        built = installed / "built" / _digest([*parts.values(), PLUGIN])
        if not built.is_dir():
            _build(parts, installed, built)
        return built


@contextmanager
def _alone() -> Generator[None]:
    """Of processes that want the same, one makes it and the others wait."""
    _cache().mkdir(parents=True, exist_ok=True)
    with (_cache() / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _cache() -> Path:
    return cache_folder() / "docusaurus"


def _get_installed() -> Path:
    installed = _cache() / _digest(PINS)
    if not installed.is_dir():
        with tempfile.TemporaryDirectory(dir=_cache()) as folder:
            unfinished = Path(folder) / "installed"
            (unfinished / "built").mkdir(parents=True)
            for pin in PINS:
                shutil.copy(pin, unfinished)
            npm(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--maxsockets=30"], unfinished)
            unfinished.rename(installed)
    return installed


def _build(parts: Mapping[str, Path], installed: Path, built: Path) -> None:
    # Below what is installed, where Node looks for it.
    with tempfile.TemporaryDirectory(dir=installed) as folder:
        site = Path(folder)
        for name, part in parts.items():
            (shutil.copytree if part.is_dir() else shutil.copy)(part, site / name)
        _install_plugin(site)
        _run_docusaurus(site)
        (site / "build").rename(built)


def _install_plugin(site: Path) -> None:
    """As npm would publish it."""
    with tarfile.open(npm_pack(str(PLUGIN), site)) as archive:
        archive.extractall(site, filter="data")
    (site / "node_modules").mkdir()
    (site / "package").rename(site / "node_modules" / "docusaurus-plugin-glossator")


def _run_docusaurus(site: Path) -> None:
    program = site.parent / "node_modules" / "@docusaurus" / "core" / "bin" / "docusaurus.mjs"
    environment = {**os.environ, "NO_UPDATE_NOTIFIER": "1"}
    done = subprocess.run(
        # Small scripts would be the same scripts, and take nearly twice as long.
        [*node(), str(program), "build", "--no-minify"],
        cwd=site,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise NpmError(f"docusaurus build failed: {done.stdout.strip()} {done.stderr.strip()}")


def _digest(places: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for place in places:
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if path.is_file():
                content = hashlib.sha256(path.read_bytes()).hexdigest()
                digest.update(f"{path.relative_to(place.parent)} {content}\n".encode())
    return digest.hexdigest()[:16]


if __name__ == "__main__":
    main()
