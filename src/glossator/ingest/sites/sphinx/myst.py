"""MyST, the Markdown of Sphinx and Jupyter Book: labels, directives and roles become plain Markdown.

Only the lines of a directive itself are replaced, so that its content stays where it is in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from glossator.ingest.front_matter import body_start, front_matter
from glossator.ingest.sites.config_file import items_of, text_of
from glossator.ingest.sites.site import Directive
from glossator.ingest.sites.sphinx.directives import (
    LABELLED,
    LISTINGS,
    NOT_SHOWN,
    OBJECTS,
    selected_lines,
    version_note,
)
from glossator.ingest.sites.sphinx.documents import References
from glossator.ingest.sites.sphinx.myst_inline import inline, replaced, shown_text
from glossator.ingest.write_markdown import fenced, language_of, lines_of
from glossator.model import Span

_FENCE = re.compile(
    r"(?P<space>[ \t]*+)(?P<marks>`{3,}+|~{3,}+|:{3,}+)[ \t]*+"
    r"(?:\{(?P<name>[A-Za-z][\w:.+-]*+)\})?(?P<rest>[^\n]*+)"
)
_WORD = re.compile(r"[\w-]+")
_LABEL = re.compile(r"\(([^()\s][^()\n]*+)\)=\s*+")
_NO_ANCHOR = re.compile(r"[\s{}*]+")
_NOT_SHOWN_LINE = re.compile(r"%|\+\+\+(?:\s|$)")
"""A comment, or the beginning of a cell."""
_OPTION = re.compile(r"\s*+:(?P<name>[\w-]++):\s*+(?P<value>[^\n]*+)")
_MEANS = re.compile(r":[ \t]++(?=\S)")
"""A definition of the term in the line before."""
_ADMONITIONS = {
    "admonition", "attention", "caution", "danger", "error", "hint", "important", "note", "seealso",
    "tip", "warning",
}  # fmt: skip
_CODE = {*LISTINGS, "code-cell", "doctest", "ipython", "jupyter-execute", "parsed-literal", "testoutput"}
_HIDDEN = {
    *NOT_SHOWN, "bibliography", "command-output", "contents", "eval-rst", "exercise-end", "program-output",
    "solution-end", "tableofcontents",
}  # fmt: skip
_REMOVED_CELLS = {"remove-cell", "remove-input", "remove_cell", "remove_input"}
_TITLED = {
    *LABELLED, "aside", "csv-table", "list-table", "margin", "rubric", "sidebar", "tabbed", "table", "topic",
}  # fmt: skip
"""Directives whose argument is a title over their content."""
_NAMED = re.compile(r"(?:(?:prf|proof):)?(?P<kind>(?<=:)\w++|exercise|solution)(?:-start)?")
"""Theorems and exercises: the name of the directive is part of its title."""
_SIGNS = _ADMONITIONS | {
    "code-block", "code-cell", "dropdown", "eval-rst", "figure", "glossary", "grid", "include", "list-table",
    "literalinclude", "math", "tab-item", "tab-set", "tableofcontents", "toctree", "versionadded",
    "versionchanged",
}  # fmt: skip
"""Directives of MyST alone; Quarto and R Markdown have others in braces, such as `{r}` and `{theorem}`."""


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


@dataclass(frozen=True, slots=True)
class _Page:
    folder: Path
    source: Path
    references: References


_MOST_TERMS = 20
"""How many terms one definition may have."""
_DEEPEST = 20
"""How deep directives may be nested; deeper ones stay as they are written."""


def myst_directives(text: str, folder: Path, source: Path, references: References) -> Iterator[Directive]:
    """The parts of a page that its readers do not see as they are written, in order."""
    start = body_start(text) if text.startswith("---") else 0
    yield from _directives(text, Span(start, len(text)), _Page(folder, source, references))


def is_myst(text: str) -> bool:
    """Whether a page has a directive of MyST, outside of code."""
    lines = list(_lines(text, Span(0, len(text))))
    return any(opening["name"] in _SIGNS for _, _, opening in _fences(lines))


def _directives(
    text: str, part: Span, page: _Page, depth: int = 0, within: _Fence | None = None
) -> Iterator[Directive]:
    """The directives in a part of the text, which is the content of the directive `within`."""
    lines, first = list(_lines(text, part)), 0
    for opened, close, opening in _fences(lines):
        yield from _prose(text, lines[first:opened], page, within)
        first = close + 1
        if opening["name"] and close < len(lines):
            yield from _directive(_read_fence(lines, opened, close, opening), text, page, depth)
    yield from _prose(text, lines[first:], page, within)


_Line = tuple[int, str]
"""Where it begins, and its text."""


def _lines(text: str, part: Span) -> Iterator[_Line]:
    start = part.start
    for line in text[part.start : part.end].split("\n"):
        yield start, line.removesuffix("\r")
        start += len(line) + 1


# Prose: labels, comments, terms with definitions, and what stands inside of paragraphs.


def _prose(text: str, lines: Sequence[_Line], page: _Page, within: _Fence | None) -> Iterator[Directive]:
    if not lines:
        return
    position, end = lines[0][0], lines[-1][0] + len(lines[-1][1])
    for span, shown in [*_marks(lines, page, within), (Span(end, end), "")]:
        yield from inline(text, Span(position, span.start), page.references)
        if shown or span.start < span.end:
            yield replaced(span, shown)
        position = span.end


def _marks(lines: Sequence[_Line], page: _Page, within: _Fence | None) -> Iterator[tuple[Span, str]]:
    """What paragraphs end at, with what readers see of it; they also end at an empty span."""
    number, label = 0, ""
    while number < len(lines):
        start, line = lines[number]
        span = Span(start, start + len(line.rstrip()))
        if term := _term(lines, number, page, within):
            yield term[0], term[1]
            number, label = term[2], ""
        elif found := _LABEL.fullmatch(line):
            label = _NO_ANCHOR.sub("-", found[1])
            yield span, ""
        elif _NOT_SHOWN_LINE.match(line):
            yield span, ""
        elif _MEANS.match(line):
            # One more definition of the term above.
            yield Span(start, start + 1), " "
        elif line.startswith("#"):
            yield Span(start, start), ""
            yield Span(span.end, span.end), f" {{#{label}}}" if label else ""
            label = ""
        elif span.start < span.end:
            label = ""
        else:
            yield span, ""
        number += 1


def _term(
    lines: Sequence[_Line], number: int, page: _Page, within: _Fence | None
) -> tuple[Span, str, int] | None:
    """A term up to the beginning of its definition, as an item of a list, and the line of that beginning."""
    is_glossary = within is not None and within.name == "glossary"
    indent = len(within.indent) if within and is_glossary else 0
    last = number
    most = number + (_MOST_TERMS if is_glossary else 1)
    while last < min(most, len(lines)) and _is_term(lines[last][1], indent):
        last += 1
    if last == number or last == len(lines):
        return None
    below = last + 1 if not lines[last][1].strip() and last + 1 < len(lines) else last
    start, line = lines[below]
    means = _MEANS.match(line, min(indent, len(line)))
    if means:
        end = means.end()
    elif is_glossary and below == last:
        end = len(line) - len(line.lstrip())
    else:
        return None
    terms = (shown_text(term.split(" : ")[0].strip(), page.references) for _, term in lines[number:last])
    shown = ", ".join(term if term[0] in "*_" else f"**{term}**" for term in terms)
    return Span(lines[number][0], start + end), f"{' ' * indent}- {shown}: ", below


def _is_term(line: str, indent: int) -> bool:
    term = line[indent:]
    is_other = term[:1] in " \t:%#|>(" or term[:2] in ("- ", "* ", "+ ")
    return bool(term.strip()) and not line[:indent].strip() and not is_other


# Directives.


def _fences(lines: Sequence[_Line]) -> Iterator[tuple[int, int, re.Match[str]]]:
    """The numbers of the lines that open and close them, also of code; the last one may be missing."""
    number = 0
    while number < len(lines):
        opening = _FENCE.fullmatch(lines[number][1])
        # A line of colons without a name opens nothing.
        if opening and (opening["name"] or opening["marks"][0] != ":"):
            close = _close(lines, number, opening)
            yield number, close, opening
            number = close
        number += 1


def _close(lines: Sequence[_Line], number: int, opening: re.Match[str]) -> int:
    """The number of the closing line, which is indented no deeper; behind the last where it is missing."""
    mark, length = opening["marks"][0], len(opening["marks"])
    deepest = len(opening["space"]) + 3
    for later in range(number + 1, len(lines)):
        line = lines[later][1].rstrip()
        marks = line.lstrip()
        if len(marks) >= length and not marks.strip(mark) and len(line) - len(marks) <= deepest:
            return later
    return len(lines)


def _read_fence(lines: Sequence[_Line], number: int, close: int, opening: re.Match[str]) -> _Fence:
    options, body = dict[str, str](), number + 1
    while body < close and (option := _OPTION.fullmatch(lines[body][1])):
        options[option["name"]] = option["value"].strip()
        body += 1
    if body == number + 1 and lines[body][1].strip() == "---":
        body = next((n + 1 for n in range(body + 1, close) if lines[n][1].strip() == "---"), body)
        options = _yaml_options(lines[number + 1 : body])
    start, line = lines[body - 1]
    head = Span(lines[number][0], start + len(line))
    end, last = lines[close]
    return _Fence(
        opening["name"].lower(),
        opening["rest"].strip(),
        options,
        head,
        Span(min(head.end + 1, end), end),
        Span(end, end + len(last)),
        opening["space"],
        opening["marks"],
    )


def _yaml_options(lines: Sequence[_Line]) -> dict[str, str]:
    fields = front_matter("".join(f"{line}\n" for _, line in lines))
    texts = {name: text_of(value) or " ".join(map(str, items_of(value))) for name, value in fields.items()}
    return {name: " ".join(text.split()) for name, text in texts.items()}


def _directive(fence: _Fence, text: str, page: _Page, depth: int) -> Iterator[Directive]:
    whole = Span(fence.head.start, fence.tail.end)
    match fence.name:
        case name if name in _HIDDEN or not _REMOVED_CELLS.isdisjoint(_tags(fence)):
            yield replaced(whole, "")
        case "literalinclude" | "include":
            yield _included(fence, whole, page)
        case name if name in _CODE:
            marks = fence.marks if fence.marks[0] != ":" else "```"
            yield replaced(fence.head, f"{fence.indent}{marks}{_language(fence)}{_title(fence)}")
            yield replaced(fence.tail, f"{fence.indent}{marks}")
        case "math":
            yield replaced(fence.head, f"{fence.indent}$$")
            yield replaced(fence.tail, f"{fence.indent}$$")
        case _:
            yield replaced(fence.head, _head(fence, page))
            if depth < _DEEPEST:
                yield from _directives(text, fence.body, page, depth + 1, fence)
            yield replaced(fence.tail, f"{fence.indent}:::" if fence.name in _ADMONITIONS else "")


def _tags(fence: _Fence) -> set[str]:
    return set(_WORD.findall(fence.options.get("tags", "")))


def _language(fence: _Fence) -> str:
    named = fence.argument.split()[0] if fence.argument else ""
    match fence.name:
        case "doctest":
            return "pycon"
        case "parsed-literal" | "testoutput":
            return ""
        case _:
            return "python" if named.startswith("ipython") else named


def _title(fence: _Fence) -> str:
    title = fence.options.get("caption") or fence.options.get("filename")
    return f' title="{title.replace(chr(34), chr(39))}"' if title else ""


def _head(fence: _Fence, page: _Page) -> str:
    argument = shown_text(fence.argument, page.references)
    named = _NAMED.fullmatch(fence.name)
    if fence.name in ("figure", "image"):
        return f"{fence.indent}![{fence.options.get('alt', '')}]({fence.argument})\n"
    if fence.name in _ADMONITIONS:
        title = f"[{argument}]" if argument else ""
        return f"{fence.indent}:::{'note' if fence.name == 'admonition' else fence.name}{title}\n"
    if note := version_note(fence.name, argument):
        return f"{fence.indent}{note}\n\n"
    if named:
        # The argument of a solution is the label of its exercise.
        title = f" ({argument})" if argument and named["kind"] != "solution" else ""
        return f"{fence.indent}**{named['kind'].capitalize()}{title}**\n"
    if argument and fence.name in _TITLED:
        return f"{fence.indent}**{argument}**\n"
    is_object = argument and fence.name.split(":")[-1] in OBJECTS
    return f"{fence.indent}`{fence.argument}`\n" if is_object else ""


def _included(fence: _Fence, whole: Span, page: _Page) -> Directive:
    name = fence.argument
    file = page.source / name.lstrip("/") if name.startswith("/") else page.folder / name

    def select(text: str) -> str | None:
        lines = selected_lines(lines_of(text), fence.options)
        if lines is None or fence.name == "include":
            return None if lines is None else "\n".join(lines)
        return fenced(lines, fence.options.get("language") or language_of(name), fence.indent)

    return Directive(whole, (file,), select)
