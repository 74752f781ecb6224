"""The main content of an HTML page as Markdown, with the place of each of its blocks in the file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby

from justhtml import Element, Text

from glossator.ingest.discover import PageFile
from glossator.ingest.html.document import (
    Node,
    attribute,
    children,
    classes,
    elements,
    is_admonition,
    is_shown,
    is_tablist,
    main_content,
    parsed,
    texts,
    words,
)
from glossator.ingest.html.text import HEADINGS, code_text, inline, language, rows_of, tex
from glossator.ingest.write_markdown import escaped, fenced, line_start, lines_of, prefixed, table
from glossator.model import Origin, Span


def html_page(file: PageFile) -> PageFile:
    """Raises PageUnreadable."""
    main = main_content(parsed(file.text))
    blocks = list(markdown_blocks(main)) if main else []
    text = "".join(f"{block.text}\n\n" for block in blocks)
    content_hash = hashlib.sha256(f"{file.content_hash}\0{text}".encode()).hexdigest()
    return replace(file, text=text, content_hash=content_hash, origins=tuple(_origins(blocks, file.text)))


def _origins(blocks: Sequence[Placed], source: str) -> Iterator[Origin]:
    """The parser moves elements that stand where they must not; their places stay in order nevertheless."""
    starts = list(accumulate((block.start for block in blocks), max))
    position = 0
    for block, start, limit in zip(blocks, starts, [*starts[1:], len(source)], strict=False):
        length = len(block.text) + 2
        yield Origin(Span(position, position + length), Span(start, _end(block, start, limit, source)))
        position += length


def _end(block: Placed, start: int, limit: int, source: str) -> int:
    """Behind the end tag of the block; where it has none, behind its last text. Never behind `limit`."""
    last = max(block.last, start)
    close = source.find(f"</{block.name}", last, limit) if block.name else source.find("<", last, limit)
    if close >= 0 and block.name:
        bracket = source.find(">", close, limit)
        return bracket + 1 if bracket >= 0 else limit
    return close if close > start else start + len(source[start:limit].rstrip())


_BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "div", "dl",
    "dt", "fieldset", "figcaption", "figure", "header", "hgroup", "hr", "li", "main", "ol", "p", "pre",
    "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul", *HEADINGS,
}  # fmt: skip
_NO_WORDS = {"lang", "linenos", "lineno", "line-numbers", "line-numbers-rows", "gutter", "headerlink"}
"""Classes of what generators put beside code and headings, and which is not part of them."""
_LAST_NUMBER = 999_999_999


@dataclass(frozen=True, slots=True)
class Placed:
    """A block of Markdown, and where it stands in the file."""

    text: str
    name: str
    """The name of its element; empty for text that has none of its own."""
    start: int
    last: int
    """Where the last element or text in it begins."""


def markdown_blocks(main: Element) -> Iterator[Placed]:
    give_ids(main)
    give_labels(main)
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
    return isinstance(node, Element) and (
        not _NO_WORDS.isdisjoint(classes(node)) or _is_default_title(node) or is_tablist(node)
    )


def _is_default_title(element: Element) -> bool:
    """Over an admonition to which its author gave none: "Note" says nothing about what follows."""
    named = " ".join(classes(element)).lower()
    if not ("title" in named or "heading" in named) or words(element).lower() not in _DEFAULT_TITLES:
        return False
    return isinstance(element.parent, Element) and is_admonition(element.parent)


_DEFAULT_TITLES = {
    "attention", "caution", "danger", "error", "hint", "important", "info", "note", "tip", "warning",
}  # fmt: skip


def _is_block(node: Node) -> bool:
    return isinstance(node, Element) and (
        node.name in _BLOCKS or _is_display(node) or any(map(_is_block, children(node)))
    )


def _is_display(element: Element) -> bool:
    """A formula in lines of its own."""
    return element.name == "math" and attribute(element, "display") == "block"


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
    write = _formula if tex(element) else _LEAVES.get(element.name)
    if label := attribute(element, _LABEL):
        yield Placed(f"**{escaped(label)}**", "", element.origin_offset or 0, element.origin_offset or 0)
    if element.name == "p" and not any(map(_is_display, elements(element))):
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


def _formula(element: Element) -> str:
    return f"$$\n{tex(element)}\n$$"


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
            names = (inline(children(node)).rstrip(" :") for node in run)
            terms = [f"**{name}**" for name in names if name]
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
"""How elements that are one block are written; all other elements only contain blocks."""


_SECTIONS = ("section", "div", "article", "header")


def give_ids(main: Element) -> None:
    """Give a heading the id of a mark in or before it, or of the section that it begins."""
    for parent in [main, *elements(main)]:
        before: Element | None = None
        for child in children(parent):
            if not isinstance(child, Element):
                continue
            if child.name in HEADINGS and not attribute(child, "id"):
                child.attrs["id"] = _in(child) or _before(before, parent)
            # Sphinx puts the further ids of a section behind its own; some are only counted, such as `id1`.
            is_further = parent.name == "section" and before is None and _is_mark(child)
            before = None if is_further else child


def _in(heading: Element) -> str:
    return next((name for node in elements(heading) if (name := _name(node))), "")


def _before(before: Element | None, parent: Element) -> str:
    if before is None:
        return attribute(parent, "id") if parent.name in _SECTIONS else ""
    return _name(before) if _is_mark(before) else ""


def _is_mark(element: Element) -> bool:
    return element.name in ("a", "span") and not any(text.strip() for text in texts(element))


def _name(element: Element) -> str:
    return attribute(element, "id") or attribute(element, "name")


_LABEL = "data-label-of-the-tab"


def give_labels(main: Element) -> None:
    """Give each panel of tabs what its tab says. Tabs may stand in the panels of others."""
    by_id, waiting = dict[str, str](), list[list[str]]()
    for element in elements(main):
        if is_tablist(element):
            tabs = [node for node in elements(element) if _is_tab(node)]
            by_id |= {name: words(tab) for tab in tabs if (name := attribute(tab, "id"))}
            waiting.append([words(tab) for tab in reversed(tabs)])
        elif attribute(element, "role") == "tabpanel" or "tabbed-block" in classes(element):
            while waiting and not waiting[-1]:
                waiting.pop()
            next_label = waiting[-1].pop() if waiting else ""
            element.attrs[_LABEL] = by_id.get(attribute(element, "aria-labelledby"), next_label)


def _is_tab(element: Element) -> bool:
    return attribute(element, "role") == "tab" or element.name == "label"
