"""Write the elements of an HTML page as Markdown, block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from justhtml import Element, Text

from glossator.ingest.html.anchors import give_ids
from glossator.ingest.html.code import code_text, language
from glossator.ingest.html.document import Node, attribute, children, classes, elements, is_shown
from glossator.ingest.html.inline import HEADINGS, inline
from glossator.ingest.html.table import rows_of
from glossator.ingest.sites.listing import fenced, lines_of
from glossator.ingest.write_markdown import line_start, prefixed, table

_BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "div", "dl",
    "dt", "fieldset", "figcaption", "figure", "header", "hgroup", "hr", "li", "main", "ol", "p", "pre",
    "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul", *HEADINGS,
}  # fmt: skip
_NO_WORDS = {"lang", "linenos", "lineno", "line-numbers", "line-numbers-rows", "gutter", "headerlink"}
"""Classes of what generators put beside code and headings."""
_LAST_NUMBER = 999_999_999


@dataclass(frozen=True, slots=True)
class Placed:
    """A block of Markdown, and where it stands in the file."""

    text: str
    name: str
    """Of its element; empty for text that has none of its own."""
    start: int
    last: int
    """Where the last element or text in it begins."""


def markdown_blocks(main: Element) -> Iterator[Placed]:
    give_ids(main)
    return _placed(children(main))


def _placed(nodes: Sequence[Node]) -> Iterator[Placed]:
    shown = [node for node in nodes if is_shown(node) and not _is_beside(node)]
    for are_blocks, run in groupby(shown, _is_block):
        if are_blocks:
            for node in run:
                assert isinstance(node, Element)
                yield from _block(node)
        else:
            nodes = list(run)
            yield from _paragraph(nodes, nodes, "")


def _is_beside(node: Node) -> bool:
    return isinstance(node, Element) and not _NO_WORDS.isdisjoint(classes(node))


def _is_block(node: Node) -> bool:
    return isinstance(node, Element) and (node.name in _BLOCKS or any(map(_is_block, children(node))))


def _paragraph(content: Sequence[Node], nodes: Sequence[Node], name: str) -> Iterator[Placed]:
    text = line_start(inline(content))
    if text:
        yield Placed(text, name, *_range(nodes))


def _range(nodes: Sequence[Node]) -> tuple[int, int]:
    """Where the first and the last of the nodes and all in them begin; blanks between tags do not count."""
    found = list[int]()
    waiting = list(reversed(nodes))
    while waiting:
        node = waiting.pop()
        is_blank = isinstance(node, Text) and not (node.data or "").strip()
        if node.origin_offset is not None and not is_blank:
            found.append(node.origin_offset)
        waiting += children(node)[::-1]
    return (min(found), max(found)) if found else (0, 0)


def _block(element: Element) -> Iterator[Placed]:
    write = _LEAVES.get(element.name)
    if element.name == "p":
        yield from _paragraph(children(element), [element], "p")
    elif write is None or (element.name == "table" and _is_layout(element)):
        yield from _placed(children(element))
    elif text := write(element):
        yield Placed(text, element.name, *_range([element]))


def _is_layout(element: Element) -> bool:
    """A table that arranges a page, or puts numbers before the lines of code."""
    return attribute(element, "role") in ("presentation", "none") or any(
        node.name in ("pre", "table", *HEADINGS) for node in elements(element)
    )


def _joined(nodes: Sequence[Node]) -> str:
    return "\n\n".join(block.text for block in _placed(nodes))


def _heading(element: Element) -> str:
    text, anchor = inline(children(element)), attribute(element, "id")
    is_writable = anchor and not any(character in "{}*" or character.isspace() for character in anchor)
    mark = "#" * int(element.name[1])
    return f"{mark} {text} {{#{anchor}}}" if text and is_writable else f"{mark} {text}" if text else ""


def _code(element: Element) -> str:
    text = code_text(element)
    return fenced(lines_of(text), language(element)) if text.strip() else ""


def _list(element: Element) -> str:
    items = [node for node in children(element) if isinstance(node, Element) and is_shown(node)]
    start = attribute(element, "start").strip()
    first = int(start) if start.isascii() and start.isdigit() and len(start) < 10 else 1
    numbers = (min(first + number, _LAST_NUMBER) for number in range(len(items)))
    marks = (f"{number}. " if element.name == "ol" else "- " for number in numbers)
    return "\n".join(filter(None, map(_item, marks, items)))


def _item(mark: str, item: Element) -> str:
    text = _joined(children(item) if item.name == "li" else [item])
    return prefixed(text, mark, " " * len(mark)).rstrip() if text else ""


def _definitions(element: Element) -> str:
    """Terms with their descriptions, as items of a list."""
    written, terms = list[str](), list[str]()
    for name, run in groupby(_terms_and_descriptions(element), lambda node: node.name):
        if name == "dt":
            terms = [f"**{text}**" for node in run if (text := inline(children(node)))]
            continue
        body = "\n\n".join(filter(None, (_joined(children(node)) for node in run)))
        written.append(prefixed(": ".join(filter(None, (", ".join(terms), body))), "- ", "  "))
        terms = []
    written += [f"- {term}" for term in terms]
    return "\n".join(written)


def _terms_and_descriptions(element: Element) -> Iterator[Element]:
    """A `div` may hold a term together with its description."""
    for node in children(element):
        if isinstance(node, Element) and is_shown(node):
            yield from _terms_and_descriptions(node) if node.name == "div" else [node]


def _quote(element: Element) -> str:
    text = _joined(children(element))
    return prefixed(text, "> ", "> ") if text else ""


def _table(element: Element) -> str:
    caption = next((inline(children(node)) for node in elements(element, "caption")), "")
    rows = list(rows_of(element))
    head = rows[0] if rows and rows[0].is_head else None
    written = table(head.texts if head else (), [row.texts for row in (rows[1:] if head else rows)])
    return "\n\n".join(filter(None, (f"**{caption}**" if caption else "", written)))


def _summary(element: Element) -> str:
    text = inline(children(element))
    return f"**{text}**" if text else ""


_LEAVES: dict[str, Callable[[Element], str]] = {
    "blockquote": _quote,
    "dl": _definitions,
    "hr": lambda element: "***",
    "ol": _list,
    "pre": _code,
    "summary": _summary,
    "table": _table,
    "ul": _list,
    **dict.fromkeys(HEADINGS, _heading),
}
"""How the elements are written that are one block; all others only hold blocks."""
