"""Lines that open or close a container: an admonition or a tab of Docusaurus, MkDocs and their like."""

from __future__ import annotations

import re
from dataclasses import dataclass

from glossator.model import Span

_FIRST_CHARACTERS = ":/!?="
_CONTAINER = re.compile(
    # Docusaurus: `:::note[Title]`, `:::note Title`, `:::`
    r"(?::{3,}\s*+(?P<colons>[\w-]*+)\s*+(?:\[(?P<bracketed>.*)\]|(?P<bare>.*?))"
    # pymdownx.blocks: `/// note | Title`, `///`
    r"|/{3,}[ \t]*+(?:(?P<slashes>[a-z][\w.-]*+)[ \t]*+(?:\|[ \t]*+(?P<after_bar>.*?))?)?"
    # MkDocs: `!!! note inline end "Title"`, `??? note`, `=== "Tab"`
    r"|(?P<indents>(?:!!!|\?\?\?\+?)[ \t]*+(?P<kind>[\w-]++)(?:[ \t]++[\w-]++)*+"
    r"(?:[ \t]++\"(?P<quoted>.*)\")?|===[!+]?[ \t]++\"(?P<tab>.*)\"))\s*$"
)
_TITLES = ("bracketed", "bare", "after_bar", "quoted", "tab")


@dataclass(frozen=True, slots=True)
class ContainerLine:
    kind: str
    """`note`; empty for a tab and for a line that closes a container."""
    title: Span
    """What the page displays of the line; may be empty."""
    is_tab: bool
    indents: bool
    """Whether what belongs to the container is indented below this line, instead of ended by another."""

    @property
    def opens(self) -> bool:
        return bool(self.kind or self.is_tab or self.title.start < self.title.end)


def container_line(line: str, start: int = 0) -> ContainerLine | None:
    """The line from `start` on, where its indent and its quote marks end."""
    match = _CONTAINER.match(line, start) if line[start : start + 1] in _FIRST_CHARACTERS else None
    if not match:
        return None
    return ContainerLine(
        match["colons"] or match["slashes"] or match["kind"] or "",
        next((Span(*match.span(name)) for name in _TITLES if match[name]), Span(start, start)),
        is_tab=match["tab"] is not None,
        indents=bool(match["indents"]),
    )
