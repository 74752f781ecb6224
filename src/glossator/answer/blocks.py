"""Renders lists, tables and code of a chunk for an answer: whole, or only the relevant parts.

`belonging` are the spans of the relevant parts, best first; `room` is a number of words; `whole` says whether
the parts that are not relevant may be shown too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from textwrap import dedent

from glossator.model import Chunk, Span
from glossator.text.containers import container_line
from glossator.text.markdown import OMITTED, clean, code_titles, escape

_MOST_LINES = 30
"""Lines of code that is shown whole; of longer code, an excerpt."""
_CONTEXT_LINES = 6
"""Lines of code before and after the best one in an excerpt (docs/quality.md)."""

_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*([\w+#.-]*)")
_FENCE_END = re.compile(r"`{3,}|~{3,}")
_SEPARATOR = re.compile(r"[|:\-\s]+")
_DIAGRAM_LANGUAGES = frozenset({"mermaid", "plantuml", "dot", "graphviz"})
_INCLUDE = re.compile(r"^[^\S\n]*+\{\{#\w[^{}]*+\}\}[^\S\n]*+$", re.MULTILINE)
_HIDDEN_LINE = re.compile(r"\s*#(?:\s|$)")
"""Of Rust: mdBook and rustdoc compile such a line and do not show it; no line of Rust begins so."""
_PREFIX = re.compile(r"[ \t>]*")
_CONTAINER_INDENT = 4
"""Of what belongs to an admonition or a tab of MkDocs."""
_ITEM = re.compile(r"([ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)(.*)")


Line = tuple[str, Span]


def list_items(chunk: Chunk, span: Span, belonging: Sequence[Span], room: int, *, whole: bool) -> str:
    """The whole list if it fits, otherwise the best of the relevant items."""
    lines = _lines(chunk, span)
    text = _list([text for text, _ in lines])
    if whole and len(text.split()) <= room:
        return text
    items = _items(lines)
    sizes = [len(_list([text for text, _ in item]).split()) for item in items]
    chosen = _best_that_fit(items, sizes, belonging, room)
    shown = (_list([text for text, _ in items[number]]) for number in chosen)
    # A single item, as of a glossary, is no list with gaps.
    gaps = (len(chosen) > 1 and number + 1 not in (*chosen, len(items)) for number in chosen)
    return "\n".join(
        f"{text} {OMITTED}" if is_gap else text for text, is_gap in zip(shown, gaps, strict=True)
    )


def table_rows(chunk: Chunk, span: Span, belonging: Sequence[Span], room: int, *, whole: bool) -> str:
    """The whole table if it fits, otherwise its header with the relevant rows."""
    lines = [(clean(text), line_span) for text, line_span in _lines(chunk, span) if text.strip()]
    text = "\n".join(text for text, _ in lines)
    if whole and len(text.split()) <= room:
        return text
    # A table that continues from another chunk has no header.
    header = lines[:2] if len(lines) > 1 and _SEPARATOR.fullmatch(lines[1][0]) else []
    rows = [[line] for line in lines[len(header) :]]
    sizes = [len(text.split()) for ((text, _),) in rows]
    left = room - sum(len(text.split()) for text, _ in header)
    chosen = _best_that_fit(rows, sizes, belonging, left)
    return "\n".join([*(text for text, _ in header), *(rows[number][0][0] for number in chosen)])


def _best_that_fit(
    parts: Sequence[Sequence[Line]], sizes: Sequence[int], belonging: Sequence[Span], room: int
) -> list[int]:
    """Indexes of the parts, in reading order; the best one is taken whatever its length."""
    chosen = list[int]()
    for span in belonging:
        for number, part in enumerate(parts):
            contains = any(_overlaps(line_span, span) for _, line_span in part)
            if contains and number not in chosen and (not chosen or sizes[number] <= room):
                chosen.append(number)
                room -= sizes[number]
    return sorted(chosen)


def code_lines(chunk: Chunk, span: Span, belonging: Sequence[Span]) -> str:
    """Short code whole, of longer code the lines around the relevant ones; nothing for a diagram."""
    lines = _lines(chunk, span)
    if not lines:
        return ""
    if lines[0][0].startswith("$$"):
        # On one line, so that a formula is not split into sentences.
        return " ".join(" ".join(text for text, _ in lines).split())
    fence = _FENCE.match(lines[0][0])
    if fence and (
        fence[2].lower() in _DIAGRAM_LANGUAGES or _INCLUDE.search("\n".join(text for text, _ in lines))
    ):
        return ""
    mark, language = (fence[1], fence[2]) if fence else ("```", "")
    body = lines[1:] if fence else lines
    if body and _FENCE_END.fullmatch(body[-1][0].strip()):
        body = body[:-1]
    if body and not fence:
        body = _dedented(chunk, body)
    if language.lower().startswith("rust"):
        body = [line for line in body if not _HIDDEN_LINE.match(line[0])]
    while any(text.lstrip().startswith(mark) for text, _ in body):
        # A broken page may have fences inside its code.
        mark += mark[0]
    shown = _around(body, belonging) if len(body) > _MOST_LINES else [text for text, _ in body]
    return "\n".join([f"{mark}{language}", *shown, mark]) if shown else ""


def code_title(chunk: Chunk, span: Span) -> str:
    """What the page shows above the code, as Markdown that can be set in bold; mostly empty."""
    first_line = next((text for text, _ in _lines(chunk, span)), "")
    title = next(code_titles(first_line), "")
    if "*" in title:
        return ""
    return f"`{title}`" if title and not re.search("[ `]", title) else escape(title)


def _around(body: Sequence[Line], belonging: Sequence[Span]) -> list[str]:
    """Lines around the best one, extended to the other relevant lines as far as they fit."""
    numbers = [
        line_number
        for relevant in belonging
        for line_number, (_, line_span) in enumerate(body)
        if _overlaps(line_span, relevant)
    ] or [0]
    first = max(numbers[0] - _CONTEXT_LINES, 0)
    after = min(numbers[0] + _CONTEXT_LINES + 1, len(body))
    for line_number in numbers:
        wider = min(first, line_number), max(after, line_number + 1)
        if wider[1] - wider[0] <= _MOST_LINES:
            first, after = wider
    shown = [line_number for line_number in numbers if first <= line_number < after] or [first]
    first = _first_of_part(body, first, min(shown))
    after = _end_of_part(body, max(shown) + 1, after)
    before, behind = [OMITTED] * (first > 0), [OMITTED] * (after < len(body))
    return [*before, *(text for text, _ in body[first:after]), *behind]


def _first_of_part(body: Sequence[Line], first: int, last: int) -> int:
    """The line indented least, if possible below a blank line: the head of a function."""

    def depth(number: int) -> tuple[int, bool]:
        text = body[number][0]
        return len(text) - len(text.lstrip()), number > 0 and bool(body[number - 1][0].strip())

    return min(
        (number for number in range(first, last + 1) if body[number][0].strip()), key=depth, default=last
    )


def _end_of_part(body: Sequence[Line], first: int, after: int) -> int:
    """The last blank line from `first` to `after`; `after` if there is none."""
    if after == len(body):
        return after
    return next((number for number in range(after, first - 1, -1) if not body[number][0].strip()), after)


def _lines(chunk: Chunk, span: Span) -> list[Line]:
    """Each line of the span with its position, without the indent or quote marks of its block."""
    start, end = max(span.start, chunk.start), min(span.end, chunk.end)
    if start >= end:
        return []
    source = chunk.text[start - chunk.start : end - chunk.start]
    column = start - chunk.start - chunk.text.rfind("\n", 0, start - chunk.start) - 1
    prefix = _PREFIX.match(source)
    column += prefix.end() if prefix else 0
    lines, offset = list[Line](), start
    for number, line in enumerate(source.split("\n")):
        text = line.lstrip(" \t>") if not number else re.sub(rf"^[ \t>]{{0,{column}}}", "", line)
        lines.append((text, Span(offset, offset + len(line))))
        offset += len(line) + 1
    return lines


def _dedented(chunk: Chunk, lines: Sequence[Line]) -> list[Line]:
    """The lines of code that begins before the chunk: its first line may be indented deeper than others."""
    line_start = chunk.text.rfind("\n", 0, lines[0][1].start - chunk.start) + 1
    spans = [Span(chunk.start + line_start, lines[0][1].end), *(span for _, span in lines[1:])]
    source = [chunk.text[span.start - chunk.start : span.end - chunk.start] for span in spans]
    return list(zip(dedent("\n".join(source)).split("\n"), spans, strict=True))


def _overlaps(first: Span, second: Span) -> bool:
    return first.start < second.end and second.start < first.end


def _items(lines: Sequence[Line]) -> list[list[Line]]:
    """The lines of each item, including nested lists."""
    items = list[list[Line]]()
    for line in lines:
        begins = _ITEM.match(line[0]) and not line[0][:1].isspace()
        if begins or not items:
            items.append([])
        items[-1].append(line)
    return items


def _list(lines: Sequence[str]) -> str:
    """Joins the wrapped lines of each item; code inside stays as it is."""
    shown, wrapped, fence = list[str](), "", ""
    for line in _without_containers(lines):
        mark = _FENCE.match(line.strip())
        is_code = bool(fence or mark)
        if wrapped and not is_code and line.strip() and not _ITEM.match(line):
            wrapped += f" {line.strip()}"
            continue
        shown += [_item(wrapped)] if wrapped else []
        wrapped = "" if is_code or not line.strip() else line
        shown += [] if wrapped else [line]
        if mark and (not fence or mark[1] == fence):
            fence = "" if fence else mark[1]
    return "\n".join([*shown, *([_item(wrapped)] if wrapped else [])]).rstrip()


def _without_containers(lines: Sequence[str]) -> Iterator[str]:
    """Without the lines that open and close admonitions and tabs; what is indented below one moves left."""
    indents = list[int]()
    for line in lines:
        indent = len(line) - len(line.lstrip())
        while indents and line.strip() and indent < indents[-1] + _CONTAINER_INDENT:
            indents.pop()
        container = container_line(line, indent)
        if container and container.indents:
            indents.append(indent)
        yield "" if container else line[_CONTAINER_INDENT * len(indents) :]


def _item(line: str) -> str:
    """Cleans the text, but keeps the list mark or the indent."""
    match = _ITEM.match(line)
    mark = match[1] if match else line[: len(line) - len(line.lstrip())]
    return mark + clean(line[len(mark) :])
