"""Write the text of an HTML element as one line of Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from justhtml import Element, Text

from glossator.ingest.html.document import Node, attribute, children, elements, is_shown, texts, words
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
    return "".join(map(_part, nodes))


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
            return _math(element)
        case "sup" | "sub":
            return _script(element)
        case "q":
            return f"“{_inner(children(element))}”"
        case "br" | "wbr":
            return " " if element.name == "br" else ""
        case name if name in _MARKS:
            return _marked(_inner(children(element)), _MARKS[name])
        case name if name in _PLAIN:
            return _inner(children(element))
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


def _math(element: Element) -> str:
    """The TeX that a formula was made from, where it is kept beside it."""
    notes = elements(element, "annotation")
    source = next((words(node) for node in notes if attribute(node, "encoding").endswith("tex")), "")
    return f"${source}$" if source else escaped(words(element))


def _script(element: Element) -> str:
    """`10⁶` is another number than `106`."""
    text = "".join(texts(element)).strip()
    table = _SUPERSCRIPTS if element.name == "sup" else _SUBSCRIPTS
    is_footnote = any(elements(element, "a"))
    if is_footnote or not all(ord(character) in table for character in text):
        return _inner(children(element))
    return text.translate(table)
