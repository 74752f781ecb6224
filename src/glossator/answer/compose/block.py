"""A whole piece of code, table or list of the evidence, as it can be shown in an answer."""

from __future__ import annotations

import re
from dataclasses import dataclass

from glossator.model import Chunk, Span, UnitKind
from glossator.text.inline import clean

LONGEST = 60
"""Lines."""

_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*([\w+#.-]*)")
_PICTURES = frozenset({"mermaid", "plantuml", "dot", "graphviz"})
_INCLUDED = re.compile(r"^[^\S\n]*+\{\{#\w[^{}]*+\}\}[^\S\n]*+$", re.MULTILINE)
_BESIDE = re.compile(r"[ \t>]*")
_ITEM = re.compile(r"([ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)(.*)")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Block:
    kind: UnitKind
    span: Span
    """In the page's source."""
    text: str
    """Markdown that can stand on its own."""
    words: int


def block_of(chunk: Chunk, kind: UnitKind, span: Span) -> Block | None:
    """None where it is not whole in the chunk, is too long for an answer, or is a picture drawn in code."""
    if span.start < chunk.start or span.end > chunk.end:
        return None
    start = span.start - chunk.start
    source = chunk.text[start : span.end - chunk.start]
    if source.count("\n") >= LONGEST:
        return None
    text = _outdented(source, start - chunk.text.rfind("\n", 0, start) - 1)
    shown = _SHOWN[kind](text)
    return Block(kind, span, shown, len(_WORD.findall(shown))) if shown else None


def topic(block: Block) -> str:
    """What it is about: all of it, but of a table only the names of its columns and rows."""
    if block.kind is not UnitKind.ROW:
        return block.text
    header, *rows = block.text.split("\n")
    return " ".join([header, *(row.strip("| ").partition("|")[0] for row in rows)])


def row_in_words(source: str) -> str:
    """A row of a table that cannot be shown whole."""
    cells = clean(source.rstrip().rpartition("\n")[2]).strip("| ").split(" | ")
    return " — ".join(cell.strip() for cell in cells if cell.strip())


def _outdented(source: str, column: int) -> str:
    """Without what stands before it on its lines when it is a part of a list or a quote."""
    beside = _BESIDE.match(source)
    column += beside.end() if beside else 0
    first, *rest = source.split("\n")
    return "\n".join([first.lstrip(" \t>"), *(re.sub(rf"^[ \t>]{{0,{column}}}", "", line) for line in rest)])


def _code(text: str) -> str:
    """With its language and nothing else beside the fence; code that has no fence gets one."""
    fence = _FENCE.match(text)
    if text.startswith("$$"):
        # On one line, so that nobody takes the formula for sentences.
        return " ".join(text.split())
    if not fence:
        return f"```\n{text}\n```"
    if fence[2].lower() in _PICTURES or _INCLUDED.search(text):
        return ""
    _, _, body = text.partition("\n")
    if body.rstrip().rpartition("\n")[2].strip() != fence[1]:
        body += f"\n{fence[1]}"
    return f"{fence[1]}{fence[2]}\n{body}"


def _table(text: str) -> str:
    return "\n".join(clean(line) for line in text.split("\n"))


def _list(text: str) -> str:
    """Every item on one line, however it was wrapped; code inside stays as it is."""
    shown, wrapped, fence = list[str](), "", ""
    for line in text.split("\n"):
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
    return "\n".join([*shown, _item(wrapped)]).rstrip()


def _item(line: str) -> str:
    """Its mark, or the blanks that put it under one, stay."""
    item = _ITEM.match(line)
    mark = item[1] if item else line[: len(line) - len(line.lstrip())]
    return mark + clean(line[len(mark) :])


_SHOWN = {UnitKind.CODE: _code, UnitKind.ROW: _table, UnitKind.ITEM: _list, UnitKind.PROSE: clean}
