"""Included files: `--8<-- "a.md:2:10"` of pymdownx.snippets, `{* file.py ln[2:10] *}` of FastAPI's docs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from glossator.ingest.sites.site import Directive
from glossator.ingest.write_markdown import fenced, language_of, lines_of
from glossator.model import Span

_MKDOCS = re.compile(
    r"""^(?P<space>[ \t]*+)(?:
        -++8<-++[ \t]++(?P<quote>["'])(?P<snippet>[^"'\n]++)(?P=quote)[ \t]*+
        |(?P<block>-++8<-++)
        |\{\*[ \t]*+(?P<code>[^\s*]++)(?P<options>[^\n}]*+)\}
    )\r?$""",
    re.MULTILINE | re.VERBOSE,
)
_SNIPPET_RANGE = re.compile(r"(-?[0-9]{1,9})?(?::(-?[0-9]{1,9})?)?")
_BARE_MARK = re.compile("-++8<-++")
_SECTION = re.compile(r"(?<![;-])-++8<-++[ \t]++\[[ \t]*+(?P<type>start|end)[ \t]*+:[ \t]*+(?P<name>[\w-]++)")
_PATH = re.compile(r"(?P<path>[^:\n]*+)(?::(?P<part>[^\n]*+))?")
_LISTED = re.compile(r"\bln\[([^\[\]]*+)\]")
_RANGE = re.compile(r"\s*+([0-9]{0,9})(:?)([0-9]{0,9})\s*+")


def directives(text: str, folder: Path, snippet_folders: Sequence[Path]) -> Iterator[Directive]:
    """Paths are relative to the folder of `mkdocs.yml` or the snippet folders, not to that of the page."""
    block_start: int | None = None
    for match in _MKDOCS.finditer(text):
        if match["block"]:
            if block_start is not None:
                yield from _block(text, Span(block_start, match.end()), snippet_folders)
            block_start = match.end() if block_start is None else None
            if block_start is not None:
                yield Directive(Span(*match.span()), (), lambda _: "")
        elif block_start is not None:
            continue
        elif match["snippet"]:
            yield _snippet(match["snippet"], match["space"], Span(*match.span()), snippet_folders)
        else:
            yield _code(match, folder)


def _block(text: str, span: Span, snippet_folders: Sequence[Path]) -> Iterator[Directive]:
    """The lines between two bare marks, each the name of a file, and the second mark."""
    start = span.start
    for line in text[span.start : span.end].split("\n"):
        name, end = line.strip(), start + len(line)
        if _BARE_MARK.fullmatch(name) or name.startswith(";"):
            yield Directive(Span(start, end), (), lambda _: "")
        elif name:
            space = line[: len(line) - len(line.lstrip())]
            yield _snippet(name, space, Span(start, end), snippet_folders)
        start = end + 1


def _snippet(name: str, space: str, span: Span, folders: Sequence[Path]) -> Directive:
    match = _PATH.fullmatch(name.strip())
    path, part = (match["path"], match["part"] or "") if match else (name, "")
    files = tuple(folder / path for folder in folders)

    def select(text: str) -> str | None:
        chosen = _snippet_part(text, part)
        return None if chosen is None else "\n".join(space + line if line else "" for line in chosen)

    return Directive(span, files, select)


def _snippet_part(text: str, part: str) -> list[str] | None:
    # The end of the last line counts as a line of its own.
    lines = text.split("\n")
    if part[:1].isalpha():
        return _section(lines, part)
    chosen = list[str]()
    for numbers in part.split(","):
        found = _SNIPPET_RANGE.fullmatch(numbers)
        if found is None:
            return None
        first, last = int(found[1] or 1), int(found[2]) if found[2] else len(lines)
        start = max(len(lines) + first, 0) if first < 0 else max(first - 1, 0)
        chosen += lines[start : max(len(lines) + 1 + last, 0) if last < 0 else last]
    shown = [line for line in chosen if not _SECTION.search(line)]
    return shown[:-1] if shown and not shown[-1] else shown


def _section(lines: Sequence[str], name: str) -> list[str] | None:
    chosen, is_inside, is_found = list[str](), False, False
    for line in lines:
        mark = _SECTION.search(line)
        if mark and mark["name"] == name:
            is_inside, is_found = mark["type"] == "start", True
        elif is_inside and not mark:
            chosen.append(line)
    return chosen if is_found else None


def _code(match: re.Match[str], folder: Path) -> Directive:
    ranges = [numbers for listed in _LISTED.findall(match["options"]) for numbers in listed.split(",")]

    def select(text: str) -> str:
        lines = lines_of(text)
        chosen = _ranges(lines, ranges) if ranges else lines
        return fenced(list(chosen), language_of(match["code"]), match["space"])

    return Directive(Span(*match.span()), (folder / match["code"],), select)


def _ranges(lines: Sequence[str], ranges: Sequence[str]) -> Iterator[str]:
    """The lines of each range; an empty line stands for what is left out between two."""
    for number, numbers in enumerate(ranges):
        if number:
            yield ""
        if found := _RANGE.fullmatch(numbers):
            start = int(found[1] or 1)
            yield from lines[max(start, 1) - 1 : int(found[3]) if found[3] else None if found[2] else start]
