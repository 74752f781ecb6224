"""MkDocs Material and mdBook, as they come from PyPI, in the cache folder and not in the environment of the tests."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

REQUIREMENTS = Path(__file__).parents[1] / "sites" / "requirements.txt"


def run_mkdocs(folder: Path) -> Path:
    """The built site."""
    environment = {**os.environ, "PYTHONPATH": str(_installed()), "NO_MKDOCS_2_WARNING": "1"}
    _run([sys.executable, "-m", "mkdocs", "build", "--strict"], folder, environment)
    return folder / "site"


def run_mdbook(folder: Path) -> Path:
    """The built site."""
    _run([str(_installed() / "bin" / "mdbook"), "build"], folder, dict(os.environ))
    return folder / "book"


def _run(command: list[str], folder: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def _installed() -> Path:
    """Of processes that want the same, one makes it and the others wait."""
    default = Path.home() / ".cache" / "glossator"
    cache = Path(os.environ.get("GLOSSATOR_CACHE", default)) / "generators"
    installed = cache / hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()[:16]
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not installed.is_dir():
            _install(installed)
    return installed


def _install(installed: Path) -> None:
    with tempfile.TemporaryDirectory(dir=installed.parent) as folder:
        target = Path(folder) / "installed"
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        _run(
            [*pip, "--target", str(target), "--requirement", str(REQUIREMENTS)],
            Path(folder),
            dict(os.environ),
        )
        target.rename(installed)
