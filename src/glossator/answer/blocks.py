"""Lists, tables and code of a chunk as an answer can show them: whole, or the parts that belong to it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from glossator.model import Chunk, Span
from glossator.text.markdown import clean

_MOST_LINES = 30
"""Of code that is shown whole."""
_AROUND = 2
"""Lines of code before and after those that belong, where not all have room."""

_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*([\w+#.-]*)")
_FENCE_END = re.compile(r"`{3,}|~{3,}")
_SEPARATOR = re.compile(r"[|:\-\s]+")
_PICTURES = frozenset({"mermaid", "plantuml", "dot", "graphviz"})
_INCLUDED = re.compile(r"^[^\S\n]*+\{\{#\w[^{}]*+\}\}[^\S\n]*+$", re.MULTILINE)
_BESIDE = re.compile(r"[ \t>]*")
_ITEM = re.compile(r"([ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)(.*)")


Line = tuple[str, Span]


def list_items(chunk: Chunk, span: Span, belonging: Sequence[Span], room: int) -> str:
    """The whole list where it has room, else the best of the items that belong."""
    lines = _lines(chunk, span)
    whole = _list([text for text, _ in lines])
    if len(whole.split()) <= room:
        return whole
    items = _items(lines)
    sizes = [len(_list([text for text, _ in item]).split()) for item in items]
    chosen = _best_with_room(items, sizes, belonging, room)
    return _list([text for number in chosen for text, _ in items[number]])


def table_rows(chunk: Chunk, span: Span, belonging: Sequence[Span], room: int) -> str:
    """The whole table where it has room, else its header with the rows that belong."""
    lines = [(clean(text), place) for text, place in _lines(chunk, span) if text.strip()]
    whole = "\n".join(text for text, _ in lines)
    if len(whole.split()) <= room:
        return whole
    # One that goes on from another chunk has no header.
    header = lines[:2] if len(lines) > 1 and _SEPARATOR.fullmatch(lines[1][0]) else []
    rows = [[line] for line in lines[len(header) :]]
    sizes = [len(text.split()) for ((text, _),) in rows]
    left = room - sum(len(text.split()) for text, _ in header)
    chosen = _best_with_room(rows, sizes, belonging, left)
    return "\n".join([*(text for text, _ in header), *(rows[number][0][0] for number in chosen)])


def _best_with_room(
    parts: Sequence[Sequence[Line]], sizes: Sequence[int], belonging: Sequence[Span], room: int
) -> list[int]:
    """Places of the parts, in reading order; the best comes however long it is."""
    chosen = list[int]()
    for span in belonging:
        for number, part in enumerate(parts):
            is_it = any(_overlaps(place, span) for _, place in part)
            if is_it and number not in chosen and (not chosen or sizes[number] <= room):
                chosen.append(number)
                room -= sizes[number]
    return sorted(chosen)


def code_lines(chunk: Chunk, span: Span, belonging: Sequence[Span]) -> str:
    """Short code whole, of longer code the lines around those that belong; nothing for a drawn picture."""
    lines = _lines(chunk, span)
    if not lines:
        return ""
    if lines[0][0].startswith("$$"):
        # On one line, so that nobody takes the formula for sentences.
        return " ".join(" ".join(text for text, _ in lines).split())
    fence = _FENCE.match(lines[0][0])
    if fence and (fence[2].lower() in _PICTURES or _INCLUDED.search("\n".join(text for text, _ in lines))):
        return ""
    mark, language = (fence[1], fence[2]) if fence else ("```", "")
    body = lines[1:] if fence else lines
    if body and _FENCE_END.fullmatch(body[-1][0].strip()):
        body = body[:-1]
    while any(text.lstrip().startswith(mark) for text, _ in body):
        # A broken page may have fences inside of its code.
        mark += mark[0]
    if len(body) > _MOST_LINES:
        body = _around(body, belonging)
    return "\n".join([f"{mark}{language}", *(text for text, _ in body), mark]) if body else ""


def _around(body: list[Line], belonging: Sequence[Span]) -> list[Line]:
    """A run of lines around the best, stretched to the others that belong as far as it has room."""
    places = [
        number for one in belonging for number, (_, place) in enumerate(body) if _overlaps(place, one)
    ] or [0]
    first = max(places[0] - _AROUND, 0)
    after = min(places[0] + _AROUND + 1, len(body))
    for number in places:
        wider = min(first, number), max(after, number + 1)
        if wider[1] - wider[0] <= _MOST_LINES:
            first, after = wider
    return body[first:after]


def _lines(chunk: Chunk, span: Span) -> list[Line]:
    """Each line of the span with its place, without what stands before it in a list or quote."""
    start, end = max(span.start, chunk.start), min(span.end, chunk.end)
    if start >= end:
        return []
    source = chunk.text[start - chunk.start : end - chunk.start]
    column = start - chunk.start - chunk.text.rfind("\n", 0, start - chunk.start) - 1
    beside = _BESIDE.match(source)
    column += beside.end() if beside else 0
    found, at = list[Line](), start
    for number, line in enumerate(source.split("\n")):
        text = line.lstrip(" \t>") if not number else re.sub(rf"^[ \t>]{{0,{column}}}", "", line)
        found.append((text, Span(at, at + len(line))))
        at += len(line) + 1
    return found


def _overlaps(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _items(lines: Sequence[Line]) -> list[list[Line]]:
    """The lines of each item of the list, with those of the lists inside it."""
    items = list[list[Line]]()
    for line in lines:
        begins = _ITEM.match(line[0]) and not line[0][:1].isspace()
        if begins or not items:
            items.append([])
        items[-1].append(line)
    return items


def _list(lines: Sequence[str]) -> str:
    """Every item on one line, however it was wrapped; code inside stays as it is."""
    shown, wrapped, fence = list[str](), "", ""
    for line in lines:
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


def _item(line: str) -> str:
    """Its mark, or the blanks that put it under one, stay."""
    item = _ITEM.match(line)
    mark = item[1] if item else line[: len(line) - len(line.lstrip())]
    return mark + clean(line[len(mark) :])
