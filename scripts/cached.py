"""Where what the tests and pictures need is kept between runs."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    return Path(os.environ.get("GLOSSATOR_CACHE", Path.home() / ".cache" / "glossator"))
