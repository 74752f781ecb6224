"""Included files: `{{#include file.rs:2:10}}`, `{{#rustdoc_include file.rs:anchor}}`, `{{#playground x}}`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from glossator.ingest.sites.site import Directive
from glossator.ingest.write_markdown import fenced, lines_of
from glossator.model import Span

_MUSTACHE = re.compile(r"(?<!\\)\{\{\s*+#(\w++)\s++([^{}\n]++)\}\}")
_NUMBER = re.compile("[0-9]{1,9}")
_ANCHOR = re.compile(r"ANCHOR(?P<end>_END)?:\s*+(?P<name>[\w-]++)")


def directives(text: str, folder: Path) -> Iterator[Directive]:
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
