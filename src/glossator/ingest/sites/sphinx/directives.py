"""The directives and roles of Sphinx: what readers see of them, and the lines they choose from a file."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Mapping, Sequence

LABELLED = {
    "card", "centered", "code-tab", "collapse", "details", "dropdown", "grid-item-card", "group-tab",
    "md-tab-item", "tab", "tab-item",
}  # fmt: skip
"""Directives whose argument is a label over their content."""
_VERSIONS = {
    "deprecated": "Deprecated since version",
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "versionremoved": "Removed in version",
}
OBJECTS = {
    "attribute", "class", "confval", "data", "describe", "enum", "envvar", "exception", "function", "macro",
    "member", "method", "module", "object", "option", "property", "struct", "type", "var",
}  # fmt: skip
"""Directives whose argument is a signature."""
LISTINGS = ("code", "code-block", "prompt", "sourcecode", "testcode")
NOT_SHOWN = (
    "autoclass", "autofunction", "automodule", "autosummary", "currentmodule", "date", "default-domain",
    "digraph", "graph", "graphviz", "highlight", "index", "mermaid", "meta", "plantuml", "raw",
    "redirect-from", "sectnum", "tabularcolumns", "testcleanup", "testsetup", "toctree", "uml",
)  # fmt: skip
PROSE_ROLES = {
    "abbr", "any", "dfn", "doc", "guilabel", "kbd", "keyword", "menuselection", "numref", "ref", "term",
    "token",
}  # fmt: skip
"""Roles whose text is prose; the text of any other role is code."""


def version_note(directive: str, argument: str) -> str:
    """The sentence that Sphinx writes for a directive such as `versionadded`; empty for all others."""
    change, words = _VERSIONS.get(directive), argument.split()
    if not change or not words:
        return ""
    return f"{change} {words[0]}" + (f": {' '.join(words[1:])}" if words[1:] else ".")


_RANGE = re.compile(r"\s*+([0-9]{0,9})\s*+(-?)\s*+([0-9]{0,9})\s*+")


def selected_lines(lines: Sequence[str], options: Mapping[str, str]) -> list[str] | None:
    """The lines that `literalinclude` or `include` shows; None where the file lacks what the options name."""
    chosen = list(lines)
    if "pyobject" in options:
        chosen = _object(chosen, options["pyobject"])
    if "lines" in options and chosen:
        chosen = _ranges(chosen, options["lines"])
    for select in (_from_start, _to_end):
        chosen = select(chosen, options) if chosen is not None else None
    if chosen is None:
        return None
    return (
        textwrap.dedent("\n".join(chosen)).split("\n")
        if options.get("dedent") == ""
        else _cut(chosen, options)
    )


def _ranges(lines: Sequence[str], ranges: str) -> list[str]:
    chosen = list[str]()
    for numbers in ranges.split(","):
        if found := _RANGE.fullmatch(numbers):
            first = int(found[1] or 1)
            last = int(found[3]) if found[3] else len(lines) if found[2] else first
            chosen += lines[max(first, 1) - 1 : last]
    return chosen


def _from_start(lines: Sequence[str], options: Mapping[str, str]) -> list[str] | None:
    mark = options.get("start-at") or options.get("start-after")
    if mark is None and "start-line" in options:
        return list(lines[_number(options["start-line"]) :])
    if mark is None:
        return list(lines)
    found = next((number for number, line in enumerate(lines) if mark in line), None)
    return None if found is None else list(lines[found + ("start-at" not in options) :])


def _to_end(lines: Sequence[str], options: Mapping[str, str]) -> list[str] | None:
    mark = options.get("end-at") or options.get("end-before")
    if mark is None and "end-line" in options:
        start = _number(options.get("start-line", "0"))
        return list(lines[: max(_number(options["end-line"]) - start, 0)])
    if mark is None:
        return list(lines)
    found = next((number for number, line in enumerate(lines) if mark in line), None)
    return None if found is None else list(lines[: found + ("end-at" in options)])


def _number(text: str) -> int:
    return int(text) if re.fullmatch("[0-9]{1,9}", text.strip()) else 0


def _cut(lines: Sequence[str], options: Mapping[str, str]) -> list[str]:
    count = _number(options.get("dedent", "0"))
    return [line[count:] if not line[:count].strip() else line for line in lines]


def _object(lines: Sequence[str], name: str) -> list[str] | None:
    """The lines of a class or function of Python, such as `Talker.send`."""
    try:
        body: Sequence[ast.stmt] = ast.parse("\n".join(lines)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | None = None
    for part in name.split("."):
        definitions = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        found = next((one for one in body if isinstance(one, definitions) and one.name == part), None)
        if found is None:
            return None
        body = found.body
    if found is None:
        return None
    first = min((found.lineno, *(decorator.lineno for decorator in found.decorator_list)))
    return list(lines[first - 1 : found.end_lineno])
