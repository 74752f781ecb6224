"""The text of an HTML element: as one line of Markdown, as the rows of a table, as code with its language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from justhtml import Element, Text

from glossator.ingest.html.document import (
    Node,
    attribute,
    children,
    classes,
    elements,
    is_note_mark,
    is_shown,
    texts,
    words,
)
from glossator.ingest.write_markdown import destination, escaped, inline_code

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_SUPERSCRIPTS = str.maketrans("0123456789+-n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ")
_SUBSCRIPTS = str.maketrans("0123456789+-n", "₀₁₂₃₄₅₆₇₈₉₊₋ₙ")
_SCHEMES = ("javascript:", "data:", "vbscript:")
_PLAIN = {"abbr", "cite", "del", "font", "ins", "mark", "s", "small", "span", "time", "u", "var"}
_MARKS = {"b": "**", "strong": "**", "em": "*", "i": "*", "dfn": "*"}


def inline(nodes: Sequence[Node]) -> str:
    return " ".join(_inner(nodes).split())


def _inner(nodes: Sequence[Node]) -> str:
    parts = [""]
    for node in nodes:
        if is_note_mark(node):
            parts[-1] = parts[-1].rstrip()
        else:
            parts.append(_part(node))
    return "".join(parts)


def _part(node: Node) -> str:
    if isinstance(node, Text):
        return escaped(node.data or "")
    return _element(node) if isinstance(node, Element) and is_shown(node) else ""


def _element(element: Element) -> str:
    match element.name:
        case "a":
            return _link(element)
        case "code" | "kbd" | "samp" | "tt":
            text = words(element)
            return inline_code(text) if text else ""
        case "img":
            return _image(element)
        case "math":
            return _formula(element) or escaped(words(element))
        case "sup" | "sub":
            return _script(element)
        case "q":
            return f"“{_inner(children(element))}”"
        case "br" | "wbr":
            return " " if element.name == "br" else ""
        case name if name in _MARKS:
            return _marked(_inner(children(element)), _MARKS[name])
        case name if name in _PLAIN:
            return _formula(element) or _inner(children(element))
        case _:
            # The texts of two blocks, such as paragraphs in a cell of a table, stay apart.
            return f" {_inner(children(element))} "


def _marked(text: str, mark: str) -> str:
    """Blanks go outside of the marks, because marks beside a blank mark nothing."""
    shown = text.strip()
    if not shown:
        return text
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{before}{mark}{shown}{mark}{after}"


def _link(element: Element) -> str:
    text, address = _inner(children(element)), attribute(element, "href").strip()
    if address.startswith("#") and not any(character.isalnum() for character in text):
        return ""  # a sign that leads to the heading beside it, or back from a footnote
    parent = element.parent
    is_title = isinstance(parent, Element) and parent.name in HEADINGS and address.startswith("#")
    is_plain = not address or is_title or address.lower().startswith(_SCHEMES)
    shown = " ".join(text.split())
    return text if is_plain or not shown else f"[{shown}]({destination(address)})"


def _image(element: Element) -> str:
    alt, address = " ".join(attribute(element, "alt").split()), attribute(element, "src")
    if not alt:
        return ""
    return f"![{escaped(alt)}]({'' if address.lower().startswith(_SCHEMES) else destination(address)})"


def _formula(element: Element) -> str:
    found = " ".join(tex(element).split())
    return f"${found}$" if found else ""


_DELIMITED = re.compile(r"\\\((?P<inline>.+)\\\)|\\\[(?P<display>.+)\\\]", re.DOTALL)
_FORMULAS = {"arithmatex", "math"}
"""Classes of formulas in pages of Python-Markdown and Sphinx."""


def tex(element: Element) -> str:
    """The TeX that a formula was made from, where it is kept beside it, or that a script makes one from."""
    found = ""
    if element.name == "math":
        notes = elements(element, "annotation")
        found = next(
            ("".join(texts(node)) for node in notes if attribute(node, "encoding").endswith("tex")), ""
        )
    elif not _FORMULAS.isdisjoint(classes(element)):
        delimited = _DELIMITED.fullmatch("".join(texts(element)).strip())
        found = delimited["inline"] or delimited["display"] if delimited else ""
    return "" if "$" in found else "\n".join(filter(str.strip, found.split("\n"))).strip()


def _script(element: Element) -> str:
    """`10⁶` is another number than `106`."""
    text = "".join(texts(element)).strip()
    table = _SUPERSCRIPTS if element.name == "sup" else _SUBSCRIPTS
    is_footnote = any(elements(element, "a"))
    if is_footnote or not all(ord(character) in table for character in text):
        return _inner(children(element))
    return text.translate(table)


_WIDEST = 100
"""How many columns of a table are read; further ones are left out."""
_MOST_ROWS = 1000
"""How many rows one cell may span."""
_LONGEST_REPEATED = 200
"""Characters; a longer text is not repeated in each row that its cell spans, but is in the first alone."""


@dataclass(frozen=True, slots=True)
class TableRow:
    texts: Sequence[str]
    is_head: bool


@dataclass(slots=True)
class _Spanning:
    """A cell that goes on in the rows below."""

    text: str
    rows_left: int


def rows_of(table: Element) -> Iterator[TableRow]:
    """Cells that span several rows or columns stand in each of them."""
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
            yield TableRow(texts, in_head or all(cell.name == "th" for cell in cells))


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


_LANGUAGE = re.compile(r"(?:language|lang|highlight|sourceCode|brush:)-?(?P<name>[\w+#.-]+)")
_NO_LANGUAGE = {"", "default", "none", "plaintext", "text", "txt", "source", "er-rouge", "er"}
_NUMBERS = {"gutter", "hljs-ln-numbers", "lineno", "linenos", "ln", "line-number", "linenumber"}
_ANCESTORS = 4
"""How many elements around the code are searched for its language."""


def code_text(element: Element) -> str:
    return "".join(_pieces(element)).strip("\n")


def _pieces(node: Node) -> list[str]:
    if isinstance(node, Text):
        return [node.data or ""]
    if isinstance(node, Element) and (not is_shown(node) or not _NUMBERS.isdisjoint(classes(node))):
        return []
    if isinstance(node, Element) and node.name == "br":
        return ["\n"]
    pieces = [piece for child in children(node) for piece in _pieces(child)]
    # Some generators make each line an element of its own.
    is_line = isinstance(node, Element) and node.name == "div" and pieces and not pieces[-1].endswith("\n")
    return [*pieces, "\n"] if is_line else pieces


def language(pre: Element) -> str:
    """The one that the generator wrote into a class."""
    codes = list(elements(pre, "code"))[:1]
    around: list[Element] = [*codes, pre]
    parent = pre.parent
    while isinstance(parent, Element) and len(around) < _ANCESTORS and parent.name in ("div", "figure"):
        around.append(parent)
        parent = parent.parent
    return next((name for node in around if (name := _named(node))), "")


def _named(element: Element) -> str:
    own = attribute(element, "data-language") or attribute(element, "data-lang")
    found = (match["name"] for name in classes(element) if (match := _LANGUAGE.fullmatch(name)))
    named = next((name for name in (own, *found) if name not in _NO_LANGUAGE), "")
    return named if re.fullmatch(r"[\w+#.-]{1,40}", named) else ""
