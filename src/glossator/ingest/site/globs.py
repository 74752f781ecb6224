"""Patterns of paths, as generators write them: `**/drafts/**`, `*.{md,mdx}`, `/templates/`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_PART = re.compile(r"\*\*/|/\*\*$|\*\*|\*|\?|\{[^{}]*\}|.", re.DOTALL)


def matches_any(path: str, patterns: Iterable[str]) -> bool:
    """Whether a whole path is what one of the patterns describes."""
    return any(_describe(_parts(pattern), path) for pattern in patterns)


def is_ignored(path: str, lines: Iterable[str]) -> bool:
    """Whether the last line that speaks of the path leaves it out, as in a .gitignore."""
    ignored = False
    for line in (line.strip() for line in lines):
        if not line or line.startswith("#"):
            continue
        if _describe(_ignored_parts(line.removeprefix("!")), path):
            ignored = not line.startswith("!")
    return ignored


def _ignored_parts(line: str) -> list[str]:
    above = [] if "/" in line.rstrip("/") else ["**/"]
    below = ["/", "**"] if line.endswith("/") else ["/**"]
    return [*above, *_parts(line.strip("/")), *below]


def _parts(pattern: str) -> list[str]:
    return [part[0] for part in _PART.finditer(pattern)]


def _describe(parts: Sequence[str], path: str) -> bool:
    return len(path) in _ends(parts, path, {0})


def _ends(parts: Sequence[str], path: str, places: set[int]) -> set[int]:
    """Where the parts may end when they begin at one of the places.

    All places at once: an expression with many stars would try them one after the other, and each again
    for every place of the one before.
    """
    for part in parts:
        places = _after(part, path, places) if places else places
    return places


def _after(part: str, path: str, places: set[int]) -> set[int]:
    match part:
        case "**/":
            return places | {place + 1 for place in range(min(places), len(path)) if path[place] == "/"}
        case "/**":
            slashes = [place for place in places if path.startswith("/", place)]
            return places | set(range(min(slashes) + 1, len(path) + 1) if slashes else ())
        case "**":
            return set(range(min(places), len(path) + 1))
        case "*":
            return _within_folder(path, places)
        case "?":
            return {place + 1 for place in places if path[place : place + 1] not in ("", "/")}
        case _ if len(part) > 1:
            choices = map(_parts, part[1:-1].split(","))
            return {end for choice in choices for end in _ends(choice, path, places)}
        case _:
            return {place + 1 for place in places if path.startswith(part, place)}


def _within_folder(path: str, places: set[int]) -> set[int]:
    """The places, and all that follow up to a slash."""
    reached = set[int]()
    for place in places:
        while place not in reached:
            reached.add(place)
            place += path[place : place + 1] not in ("", "/")
    return reached
