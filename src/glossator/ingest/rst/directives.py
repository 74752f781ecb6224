"""The directives of Sphinx and its extensions, as docutils calls them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive

from glossator.ingest.sites.listing import language_of, lines_of
from glossator.ingest.sites.sphinx.listing import selected_lines
from glossator.ingest.sites.sphinx.names import LABELLED, LISTINGS, NOT_SHOWN, OBJECTS


@dataclass(frozen=True, slots=True)
class Files:
    """The files that a page may include."""

    page: Path
    source: Path
    """The source folder of the site, which a path with a leading slash begins at."""
    read: Callable[[Path], str | None]
    """None for a file that may not be read."""

    def text(self, name: str) -> str | None:
        base = self.source if name.startswith("/") else self.page.parent
        return self.read(base / name.lstrip("/"))


class _AnyOption(dict[str, Callable[[str], str]]):
    """Accepts every option as it is written."""

    def __getitem__(self, name: str) -> Callable[[str], str]:
        return str

    def __bool__(self) -> bool:
        return True


class Shown(Directive):
    """A directive that we do not know: its content is shown, and its argument where that is a label."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[Any] = _AnyOption()

    def run(self) -> list[nodes.Node]:
        container = nodes.container()
        argument = " ".join(self.arguments).strip()
        if argument and self.name.lower() in LABELLED:
            texts, messages = self.state.inline_text(argument, self.lineno)
            container += nodes.rubric("", "", *texts, *messages)
        elif argument and self.name.lower().split(":")[-1] in OBJECTS:
            container += nodes.paragraph("", "", nodes.strong("", "", nodes.literal("", argument)))
        self.state.nested_parse(self.content, self.content_offset, container)
        return [_at(container, self.lineno)]


class _Hidden(Directive):
    """A directive that shows nothing of its own content to readers."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[Any] = _AnyOption()

    def run(self) -> list[nodes.Node]:
        return []


class ReadsFiles(Directive):
    """Directives that read files of the page being parsed, one page at a time."""

    files: ClassVar[Files]
    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[Any] = _AnyOption()


class _Code(ReadsFiles):
    def run(self) -> list[nodes.Node]:
        language = " ".join(self.arguments)
        return [_listing("\n".join(self.content), language, self.options.get("caption"), self.lineno)]


class _LiteralInclude(ReadsFiles):
    def run(self) -> list[nodes.Node]:
        name = " ".join(self.arguments)
        text = self.files.text(name)
        lines = selected_lines(lines_of(text), self.options) if text is not None else None
        if lines is None:
            return []
        language = self.options.get("language") or language_of(name)
        return [_listing("\n".join(lines), language, self.options.get("caption"), self.lineno)]


class _Included(ReadsFiles):
    """`include`, whose text is read as part of the page."""

    def run(self) -> list[nodes.Node]:
        text = self.files.text(" ".join(self.arguments))
        lines = selected_lines(lines_of(text), self.options) if text is not None else None
        if lines is None:
            return []
        if "literal" in self.options or "code" in self.options:
            return [_listing("\n".join(lines), self.options.get("code", ""), None, self.lineno)]
        container = nodes.container()
        inner = [line for line in lines if not _INCLUDE.match(line)]
        self.state_machine.insert_input(inner, "included")
        return [container]


def included_texts(files: Files, text: str) -> Sequence[str]:
    """The files that a page includes, whose directives must be known before the page is read."""
    names = (match[1].strip() for match in _INCLUDE.finditer(text))
    return [*filter(None, map(files.text, names))]


_INCLUDE = re.compile(r"^[ \t]*+\.\.[ \t]++include::[ \t]++([^\n]++)", re.MULTILINE)


class _SeeAlso(ReadsFiles):
    def run(self) -> list[nodes.Node]:
        note = nodes.admonition("", classes=["seealso"])
        if self.arguments:
            texts, _ = self.state.inline_text(" ".join(self.arguments), self.lineno)
            note += nodes.paragraph("", "", *texts)
        self.state.nested_parse(self.content, self.content_offset, note)
        return [_at(note, self.lineno)]


SPHINX_DIRECTIVES: dict[str, type[Directive]] = {
    **dict.fromkeys(LISTINGS, _Code),
    **dict.fromkeys(NOT_SHOWN, _Hidden),
    "class": Shown,
    "glossary": Shown,
    "include": _Included,
    "literalinclude": _LiteralInclude,
    "only": Shown,
    "seealso": _SeeAlso,
}


def _listing(code: str, language: str, caption: str | None, line: int) -> nodes.Node:
    block = nodes.literal_block("", code, language=language)
    shown = (
        nodes.container("", block)
        if caption is None
        else nodes.container("", nodes.rubric("", caption), block)
    )
    return _at(shown, line)


def _at(node: nodes.Element, line: int) -> nodes.Element:
    node.line = line
    return node
