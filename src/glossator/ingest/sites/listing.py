"""Listings: what a directive includes, and code as a Markdown fence."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from glossator.model import Span


@dataclass(frozen=True, slots=True)
class Directive:
    """A place in a text that a file, or a part of it, is put into."""

    span: Span
    files: tuple[Path, ...]
    """Where the file may be, first choice first; none for a mark that shows nothing."""
    select: Callable[[str], str | None]
    """The text to show, from that of the file; None where the file has no such part."""


_TICKS = re.compile("`{3,}")


def fenced(lines: Sequence[str], language: str = "", indent: str = "") -> str:
    """The fence is longer than any inside it."""
    longest = max((len(ticks) for line in lines for ticks in _TICKS.findall(line)), default=2)
    fence = "`" * (longest + 1)
    return "\n".join(f"{indent}{line}" for line in (f"{fence}{language}", *lines, fence))


def lines_of(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def language_of(file: str) -> str:
    return _LANGUAGES.get(PurePosixPath(file).suffix.lower(), "")


_LANGUAGES = {
    ".c": "c", ".cpp": "cpp", ".h": "cpp", ".hpp": "cpp", ".java": "java", ".js": "js", ".json": "json",
    ".py": "python", ".rs": "rust", ".sh": "bash", ".toml": "toml", ".ts": "ts", ".urdf": "xml",
    ".xml": "xml", ".yaml": "yaml", ".yml": "yaml",
}  # fmt: skip
"""The language of a listing by the suffix of its file."""
