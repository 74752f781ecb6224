"""Helpers that run in a process of their own, which has to find this package."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_TESTS = Path(__file__).parents[1]


def command(module: str, *words: str) -> list[str]:
    return [sys.executable, "-m", module, *words]


def environment(**variables: str) -> dict[str, str]:
    path = os.pathsep.join(filter(None, [str(_TESTS), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, **variables}
