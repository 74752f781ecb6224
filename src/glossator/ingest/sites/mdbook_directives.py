"""What mdBook and its preprocessors put into a page: included files, and the fences of mdbook-admonish."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from glossator.ingest.sites.site import Directive
from glossator.ingest.write_markdown import fenced, lines_of
from glossator.model import Span

_MUSTACHE = re.compile(r"(?<!\\)\{\{\s*+#(\w++)\s++([^{}\n]++)\}\}")
_NUMBER = re.compile("[0-9]{1,9}")
_ANCHOR = re.compile(r"ANCHOR(?P<end>_END)?:\s*+(?P<name>[\w-]++)")


def directives(text: str, folder: Path) -> Iterator[Directive]:
    yield from sorted([*_includes(text, folder), *_admonitions(text)], key=lambda directive: directive.span)


def _includes(text: str, folder: Path) -> Iterator[Directive]:
    """`{{#include file.rs:2:10}}`, `{{#rustdoc_include file.rs:anchor}}`, `{{#playground x}}`."""
    for match in _MUSTACHE.finditer(text):
        words = match[2].split()
        path, _, part = words[0].partition(":") if words else ("", "", "")
        span = Span(*match.span())
        match match[1]:
            case "include" | "rustdoc_include":
                yield Directive(span, (folder / path,), _part(part))
            case "playground" | "playpen":
                yield Directive(span, (folder / path,), lambda code: fenced(lines_of(code), "rust"))
            case "title":
                yield Directive(span, (), lambda _: "")
            case _:
                continue


def _part(part: str) -> Callable[[str], str | None]:
    first, *rest = part.split(":")
    if first and not _NUMBER.fullmatch(first):
        return lambda text: _anchored(text, first)
    start = int(first or 1) - 1
    end = start + 1 if first and not rest else None
    if rest and _NUMBER.fullmatch(rest[0]):
        end = int(rest[0])
    return lambda text: "\n".join(lines_of(text)[max(start, 0) : end])


def _anchored(text: str, name: str) -> str | None:
    """The lines between the marks of an anchor, without those of anchors inside it."""
    lines, is_inside, is_found = list[str](), False, False
    for line in lines_of(text):
        mark = _ANCHOR.search(line)
        if mark and mark["name"] == name:
            is_inside, is_found = not mark["end"], True
        elif is_inside and not mark:
            lines.append(line)
    return "\n".join(lines) if is_found else None


_FENCE = re.compile(r"^[ \t>]*+(?P<marks>`{3,}+|~{3,}+)(?P<info>[^\n]*+)", re.MULTILINE)
_ADMONISH = re.compile(r"[ \t]*+admonish(?![\w-])(?:[ \t]++(?P<kind>[\w-]++)(?!=))?+(?P<options>[^\n`]*+)")
_TITLE = re.compile(r"(?:title[ \t]*+=[ \t]*+)?+(?P<quote>[\"'])(?P<title>[^\"']*+)(?P=quote)")


@dataclass(frozen=True, slots=True)
class _OpenFence:
    marks: str
    is_admonition: bool

    def is_closed_by(self, line: re.Match[str]) -> bool:
        return line["marks"].startswith(self.marks) and not line["info"].strip()


def _admonitions(text: str) -> Iterator[Directive]:
    """The lines around the text of an admonition, which may hold fences itself, as those of a container."""
    open_fences = list[_OpenFence]()
    for line in _FENCE.finditer(text) if "admonish" in text else ():
        span, innermost = Span(line.start("marks"), line.end()), open_fences[-1] if open_fences else None
        if innermost and innermost.is_closed_by(line):
            open_fences.pop()
            if innermost.is_admonition:
                yield Directive(span, (), lambda _: ":::")
        elif innermost is None or innermost.is_admonition:
            opening = _ADMONISH.fullmatch(line["info"])
            open_fences.append(_OpenFence(line["marks"], opening is not None))
            if opening:
                container = _container(opening)
                yield Directive(span, (), lambda _, container=container: container)


def _container(opening: re.Match[str]) -> str:
    title = _TITLE.search(opening["options"])
    shown = f"[{title['title']}]" if title and title["title"] else ""
    return f":::{opening['kind'] or 'note'}{shown}"
