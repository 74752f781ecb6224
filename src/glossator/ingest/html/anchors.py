"""Find the anchors of headings that have no id of their own."""

from __future__ import annotations

from justhtml import Element

from glossator.ingest.html.document import attribute, children, elements, texts
from glossator.ingest.html.inline import HEADINGS

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
            before = child


def _in(heading: Element) -> str:
    return next((name for node in elements(heading) if (name := _name(node))), "")


def _before(before: Element | None, parent: Element) -> str:
    if before is None:
        return attribute(parent, "id") if parent.name in _SECTIONS else ""
    is_mark = before.name in ("a", "span") and not any(text.strip() for text in texts(before))
    return _name(before) if is_mark else ""


def _name(element: Element) -> str:
    return attribute(element, "id") or attribute(element, "name")
