"""The numbers in front of file names that order them and are no part of the address."""

from __future__ import annotations

import re
from typing import NamedTuple

_DATE_OR_VERSION = re.compile(r"\d+[-_.]\d+", re.ASCII)
_NUMBERED = re.compile(r"(\d+)\s*[-_.]+\s*([^-_.\s].*)", re.ASCII)


class Numbered(NamedTuple):
    name: str
    number: float | None


def numbered(name: str) -> Numbered:
    """`02-ros2` is `ros2`, the second; `2021-01-01-news` and `1.2.3-notes` keep their numbers."""
    match = None if _DATE_OR_VERSION.match(name) else _NUMBERED.fullmatch(name)
    return Numbered(match[2], float(match[1])) if match else Numbered(name, None)


def unnumbered_path(path: str) -> str:
    return "/".join(numbered(part).name for part in path.split("/"))
