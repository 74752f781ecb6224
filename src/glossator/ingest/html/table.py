"""The rows of an HTML table, with cells that span several rows or columns in each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from justhtml import Element

from glossator.ingest.html.document import attribute, children, elements, is_shown
from glossator.ingest.html.inline import inline

_WIDEST = 100
"""Columns; further ones are left out."""
_MOST_ROWS = 1000
"""That one cell may span."""
_LONGEST_REPEATED = 200
"""Characters; a longer text stands in the first of the rows that its cell spans."""


@dataclass(frozen=True, slots=True)
class Row:
    texts: Sequence[str]
    is_head: bool


@dataclass(slots=True)
class _Spanning:
    """A cell that goes on in the rows below."""

    text: str
    rows_left: int


def rows_of(table: Element) -> Iterator[Row]:
    spanning = dict[int, _Spanning]()
    for element in elements(table, "tr"):
        cells = [
            node
            for node in children(element)
            if isinstance(node, Element) and node.name in ("td", "th") and is_shown(node)
        ]
        texts = _filled(cells, spanning)
        if texts:
            parent = element.parent
            in_head = isinstance(parent, Element) and parent.name == "thead"
            yield Row(texts, in_head or all(cell.name == "th" for cell in cells))


def _filled(cells: Sequence[Element], spanning: dict[int, _Spanning]) -> list[str]:
    texts, waiting = list[str](), list(reversed(cells))
    while len(texts) < _WIDEST and (waiting or len(texts) in spanning):
        above = spanning.get(len(texts))
        if above is not None:
            texts.append(above.text)
            above.rows_left -= 1
            if above.rows_left == 0:
                del spanning[len(texts) - 1]
            continue
        _put(waiting.pop(), texts, spanning)
    return texts


def _put(cell: Element, texts: list[str], spanning: dict[int, _Spanning]) -> None:
    text = inline(children(cell)).replace("|", "\\|")
    rows = _number(cell, "rowspan", _MOST_ROWS)
    for _ in range(_number(cell, "colspan", _WIDEST - len(texts))):
        if rows > 1:
            spanning[len(texts)] = _Spanning(text if len(text) <= _LONGEST_REPEATED else "", rows - 1)
        texts.append(text)
        text = text if len(text) <= _LONGEST_REPEATED else ""


def _number(cell: Element, name: str, most: int) -> int:
    text = attribute(cell, name).strip()
    return max(1, min(int(text), most)) if text.isascii() and text.isdigit() and len(text) < 6 else 1
