"""The text of a code block, and the language that its generator wrote into a class."""

from __future__ import annotations

import re

from justhtml import Element, Text

from glossator.ingest.html.document import Node, attribute, children, classes, elements, is_shown

_LANGUAGE = re.compile(r"(?:language|lang|highlight|sourceCode|brush:)-?(?P<name>[\w+#.-]+)")
_NO_LANGUAGE = {"", "default", "none", "plaintext", "text", "txt", "source", "er-rouge", "er"}
_NUMBERS = {"gutter", "hljs-ln-numbers", "lineno", "linenos", "ln", "line-number", "linenumber"}
_ANCESTORS = 4
"""Elements around the code that are asked for its language."""


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
