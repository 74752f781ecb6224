"""Patterns of paths, as generators write them: `**/drafts/**`, `*.{md,mdx}`, `/templates/`."""

from __future__ import annotations

import re
from collections.abc import Iterable

_PART = re.compile(r"\*\*/|/\*\*$|\*\*|\*|\?|\{[^{}]*\}|.", re.DOTALL)


def matches_any(path: str, patterns: Iterable[str]) -> bool:
    """Whether a whole path is what one of the patterns describes."""
    return any(re.fullmatch(_expression(pattern), path) for pattern in patterns)


def is_ignored(path: str, lines: Iterable[str]) -> bool:
    """Whether the last line that speaks of the path leaves it out, as in a .gitignore."""
    ignored = False
    for line in (line.strip() for line in lines):
        if not line or line.startswith("#"):
            continue
        if re.fullmatch(_ignore_expression(line.removeprefix("!")), path):
            ignored = not line.startswith("!")
    return ignored


def _ignore_expression(line: str) -> str:
    is_anchored = "/" in line.rstrip("/")
    inner = _expression(line.strip("/"))
    return f"{'' if is_anchored else '(?:.*/)?'}{inner}{'/.*' if line.endswith('/') else '(?:/.*)?'}"


def _expression(pattern: str) -> str:
    return "".join(_part_expression(part[0]) for part in _PART.finditer(pattern))


def _part_expression(part: str) -> str:
    match part:
        case "**/":
            return "(?:.*/)?"
        case "/**":
            return "(?:/.*)?"
        case "**":
            return ".*"
        case "*":
            return "[^/]*"
        case "?":
            return "[^/]"
        case _ if len(part) > 1:
            return f"(?:{'|'.join(_expression(choice) for choice in part[1:-1].split(','))})"
        case _:
            return re.escape(part)
