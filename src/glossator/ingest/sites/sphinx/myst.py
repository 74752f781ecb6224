"""MyST, the Markdown of Sphinx: labels, directives and roles become plain Markdown, and files are included.

Only the lines of a directive itself are replaced, so that its content stays where it is in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from glossator.ingest.sites.site import Directive
from glossator.ingest.sites.sphinx.directives import (
    LABELLED,
    LISTINGS,
    NOT_SHOWN,
    OBJECTS,
    PROSE_ROLES,
    selected_lines,
    version_note,
)
from glossator.ingest.sites.sphinx.documents import References
from glossator.ingest.write_markdown import fenced, language_of, lines_of
from glossator.model import Span

_FENCE = re.compile(
    r"(?P<space>[ \t]*+)(?P<marks>`{3,}+|~{3,}+|:{3,}+)(?:\{(?P<name>[\w:.+-]++)\})?(?P<rest>[^\n]*+)"
)
_LABEL = re.compile(r"\(([^()\s][^()\n]*+)\)=\s*+")
_OPTION = re.compile(r"\s*+:(?P<name>[\w-]++):\s*+(?P<value>[^\n]*+)")
_ROLE = re.compile(r"\{(?P<name>[\w:.+-]++)\}(?P<ticks>`++)(?P<text>[^`\n]++)(?P=ticks)")
_ADMONITIONS = {
    "admonition", "attention", "caution", "danger", "error", "hint", "important", "note", "seealso",
    "tip", "warning",
}  # fmt: skip
_CODE = {*LISTINGS, "code-cell"}
_HIDDEN = {*NOT_SHOWN, "contents", "tableofcontents", "bibliography", "eval-rst"}


@dataclass(frozen=True, slots=True)
class _Fence:
    """A directive, from its opening line to its closing line."""

    name: str
    argument: str
    options: Mapping[str, str]
    head: Span
    """Its opening line and its options."""
    body: Span
    tail: Span
    """Its closing line."""
    indent: str
    marks: str


_DEEPEST = 20
"""Directives inside of directives; what is deeper stays as it is written."""


def myst_directives(
    text: str, folder: Path, source: Path, references: References, depth: int = 0
) -> Iterator[Directive]:
    """The parts of a page that its readers do not see as they are written, in order."""
    from docutils.nodes import make_id

    lines = list(_lines(text))
    skipped_to, label = 0, ""
    for number, (start, line) in enumerate(lines):
        if start < skipped_to:
            continue
        if found := _LABEL.fullmatch(line):
            label = make_id(found[1])
            yield _replaced(Span(start, start + len(line)), "")
        elif opening := _opening(line):
            close = _close(lines, number, opening)
            skipped_to = _end_of_code(lines, close)
            if opening["name"] and close < len(lines):
                fence = _read_fence(lines, number, close, opening)
                yield from _directive(fence, text, folder, source, references, depth)
        else:
            yield from _roles(line, start, references)
            if label and line.startswith("#"):
                end = start + len(line.rstrip())
                yield _replaced(Span(end, end), f" {{#{label}}}")
            label = "" if line.strip() else label


def _lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for line in text.split("\n"):
        yield start, line.removesuffix("\r")
        start += len(line) + 1


def _replaced(span: Span, shown: str) -> Directive:
    return Directive(span, (), lambda _: shown)


def _roles(line: str, start: int, references: References) -> Iterator[Directive]:
    for role in _ROLE.finditer(line):
        name = role["name"].lower()
        if name == "math":
            shown = f"${role['text']}$"
        else:
            text = references.shown(name, role["text"])
            shown = text if name.split(":")[-1] in PROSE_ROLES else f"`{text}`"
        yield _replaced(Span(start + role.start(), start + role.end()), shown)


def _read_fence(lines: Sequence[tuple[int, str]], number: int, close: int, opening: re.Match[str]) -> _Fence:
    options, body = dict[str, str](), number + 1
    while body < close and (option := _OPTION.fullmatch(lines[body][1])):
        options[option["name"]] = option["value"].strip()
        body += 1
    if body == number + 1 and lines[min(body, close)][1].strip() == "---":
        body = next((n + 1 for n in range(body + 1, close) if lines[n][1].strip() == "---"), body)
    start, line = lines[min(body, close) - 1]
    head = Span(lines[number][0], start + len(line))
    end, last = lines[close]
    name, argument = opening["name"].lower(), opening["rest"].strip()
    body_span = Span(min(head.end + 1, end), end)
    return _Fence(
        name,
        argument,
        options,
        head,
        body_span,
        Span(end, end + len(last)),
        opening["space"],
        opening["marks"],
    )


def _close(lines: Sequence[tuple[int, str]], number: int, opening: re.Match[str]) -> int:
    """The number of the closing line; behind the last line where it is missing."""
    mark, length = opening["marks"][0], len(opening["marks"])
    for later in range(number + 1, len(lines)):
        line = lines[later][1].strip()
        if len(line) >= length and not line.strip(mark):
            return later
    return len(lines)


def _opening(line: str) -> re.Match[str] | None:
    """A line of colons without a name opens nothing."""
    opening = _FENCE.fullmatch(line)
    return opening if opening and (opening["name"] or opening["marks"][0] != ":") else None


def _end_of_code(lines: Sequence[tuple[int, str]], close: int) -> int:
    start, line = lines[min(close, len(lines) - 1)]
    return start + len(line)


def _directive(
    fence: _Fence, text: str, folder: Path, source: Path, references: References, depth: int
) -> Iterator[Directive]:
    whole = Span(fence.head.start, fence.tail.end)
    match fence.name:
        case name if name in _HIDDEN:
            yield _replaced(whole, "")
        case "literalinclude" | "include":
            yield _included(fence, whole, folder, source)
        case name if name in _CODE:
            language = fence.argument.split()[0] if fence.argument else ""
            marks = fence.marks if fence.marks[0] != ":" else "```"
            yield _replaced(fence.head, f"{fence.indent}{marks}{language}")
            yield _replaced(fence.tail, f"{fence.indent}{marks}")
        case "math":
            yield _replaced(fence.head, f"{fence.indent}$$")
            yield _replaced(fence.tail, f"{fence.indent}$$")
        case _:
            yield _replaced(fence.head, _head(fence))
            inner = text[fence.body.start : fence.body.end] if depth < _DEEPEST else ""
            for part in myst_directives(inner, folder, source, references, depth + 1):
                span = Span(part.span.start + fence.body.start, part.span.end + fence.body.start)
                yield Directive(span, part.files, part.select)
            yield _replaced(fence.tail, f"{fence.indent}:::" if fence.name in _ADMONITIONS else "")


def _head(fence: _Fence) -> str:
    argument = fence.argument
    if fence.name in ("figure", "image"):
        return f"{fence.indent}![{fence.options.get('alt', '')}]({argument})\n"
    if fence.name in _ADMONITIONS:
        title = f"[{argument}]" if argument else ""
        return f"{fence.indent}:::{'note' if fence.name == 'admonition' else fence.name}{title}\n"
    if note := version_note(fence.name, argument):
        return f"{fence.indent}{note}\n\n"
    if argument and fence.name in LABELLED:
        return f"{fence.indent}**{argument}**\n"
    return f"{fence.indent}`{argument}`\n" if argument and fence.name.split(":")[-1] in OBJECTS else ""


def _included(fence: _Fence, whole: Span, folder: Path, source: Path) -> Directive:
    name = fence.argument
    file = source / name.lstrip("/") if name.startswith("/") else folder / name

    def select(text: str) -> str | None:
        lines = selected_lines(lines_of(text), fence.options)
        if lines is None or fence.name == "include":
            return None if lines is None else "\n".join(lines)
        return fenced(lines, fence.options.get("language") or language_of(name), fence.indent)

    return Directive(whole, (file,), select)
