"""Write text of another format as Markdown: escapes, inline code, lists, tables, listings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

_SYNTAX = re.compile(r"[\\`*\[\]<$]|(?<![^\W_])_|_(?![^\W_])|\{(?=#)|&(?=#?\w{1,32};)")
_STARTS = re.compile(r"(?P<number>\d{1,9})(?=[.)]\s)|[-+#>~=](?=\s|[-#>~=])|:(?=::)")
_TICKS = re.compile("`{3,}")


def escaped(text: str) -> str:
    return _SYNTAX.sub(r"\\\g<0>", text)


def line_start(text: str) -> str:
    """A paragraph that begins like a list or a heading must not become one."""
    match = _STARTS.match(text)
    if match is None:
        return text
    return f"{match['number']}\\{text[match.end() :]}" if match["number"] else f"\\{text}"


def inline_code(text: str) -> str:
    shown = " ".join(text.split())
    ticks = "`" * (max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    blank = " " if shown[:1] == "`" or shown[-1:] == "`" else ""
    return f"{ticks}{blank}{shown}{blank}{ticks}"


def prefixed(text: str, first: str, rest: str) -> str:
    """Puts a mark before the first line, such as that of a list item, and blanks before the others."""
    lines = text.split("\n")
    return "\n".join(
        f"{first if number == 0 else rest}{line}" if line.strip() or number == 0 else rest.rstrip()
        for number, line in enumerate(lines)
    )


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Writes cells that are one line each; empty for a table without cells."""
    width = max(map(len, (head, *rows)), default=0)
    # Only the head needs all its cells; to fill every row would take the square of a hostile table's size.
    full_head = (*head, *[""] * (width - len(head)))
    return "\n".join([_cells(full_head), "|" + " --- |" * width, *map(_cells, rows)]) if width else ""


def _cells(row: Sequence[str]) -> str:
    return "|" + "".join(f" {cell} |" for cell in row)


def destination(address: str) -> str:
    """Writes the address of a link or an image."""
    shown = address.strip().replace(" ", "%20").replace("\n", "%0A")
    return shown.replace("(", "%28").replace(")", "%29").replace("<", "%3C")


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
