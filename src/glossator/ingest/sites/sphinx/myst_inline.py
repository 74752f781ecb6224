"""What MyST writes inside of paragraphs: roles such as {ref}`a`, and links that show another's title."""

from __future__ import annotations

import re
from collections.abc import Iterator

from glossator.ingest.sites.site import Directive
from glossator.ingest.sites.sphinx.directives import PROSE_ROLES
from glossator.ingest.sites.sphinx.documents import References
from glossator.model import Span
from glossator.text.spans import code_ends

_TICKS = re.compile("`+")
_NAME = re.compile(r"\{([A-Za-z][\w:.+-]*+)\}")
_UNTITLED_LINK = re.compile(r"(?<!!)\[\]\(([^()\s]++)\)")
_NUMBER = re.compile(r"\s*+(?:%s|\{number\})")
"""Stands for the number of a figure in the text of a reference to it."""
_PROSE = PROSE_ROLES | {"del", "download", "sc", "smallcaps", "strike", "u", "underline"}
_MARKS = {"sub": "sub", "subscript": "sub", "sup": "sup", "superscript": "sup"}


def inline(text: str, span: Span, references: References) -> Iterator[Directive]:
    """The parts of a paragraph that its readers see as something else, in order."""
    paragraph = text[span.start : span.end]
    ends, position = code_ends(paragraph), 0
    while ticks := _TICKS.search(paragraph, position):
        end = ends.get(ticks.start())
        brace = paragraph.rfind("{", position, ticks.start()) if end else -1
        name = _NAME.fullmatch(paragraph, brace, ticks.start()) if brace >= 0 else None
        yield from _links(paragraph, position, brace if name else ticks.start(), span.start, references)
        if end and name:
            shown = _shown(name[1].lower(), paragraph[ticks.end() : end - len(ticks[0])], references)
            start = brace if shown else _before_blanks(paragraph, position, brace)
            yield replaced(Span(span.start + start, span.start + end), shown)
        position = end or ticks.end()
    yield from _links(paragraph, position, len(paragraph), span.start, references)


def replaced(span: Span, shown: str) -> Directive:
    return Directive(span, (), lambda _: shown)


def shown_text(text: str, references: References) -> str:
    """The text as its readers see it."""
    parts, position = list[str](), 0
    for part in inline(text, Span(0, len(text)), references):
        parts += (text[position : part.span.start], part.select("") or "")
        position = part.span.end
    return "".join([*parts, text[position:]])


def _shown(role: str, text: str, references: References) -> str:
    """Empty for a citation, of which readers see a number or a name in brackets that stands in no page."""
    name, kind = role.split(":")[-1], role.split(":")[0]
    if kind in ("cite", "footcite"):
        return ""
    match name:
        case "math":
            return f"${text}$"
        case "eq":
            return f"({text})"
        case "sub" | "subscript" | "sup" | "superscript":
            return f"<{_MARKS[name]}>{text}</{_MARKS[name]}>"
        case "pep" | "rfc" if "<" not in text:
            return f"{name.upper()} {text}"
        case "numref":
            return _NUMBER.sub("", references.shown(role, text))
        case _:
            shown = references.shown(role, text)
            return shown if name in _PROSE | {"pep", "rfc"} else f"`{shown}`"


def _links(paragraph: str, start: int, end: int, shift: int, references: References) -> Iterator[Directive]:
    for link in _UNTITLED_LINK.finditer(paragraph, start, end):
        title = references.titled(link[1])
        if title:
            place = shift + link.start() + 1
            yield replaced(Span(place, place), title)


def _before_blanks(paragraph: str, limit: int, position: int) -> int:
    while position > limit and paragraph[position - 1] in " \t":
        position -= 1
    return position
