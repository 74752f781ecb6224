"""Read reStructuredText with docutils, which knows neither the directives nor the roles of Sphinx.

Unknown directives show their content, unknown roles their text. docutils itself opens no file and runs no
raw content: `include` and `literalinclude` are ours, and read only what `Files` allows.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, cast

from docutils import core, nodes
from docutils.parsers.rst import Directive, directives, roles

from glossator.ingest.sites.sphinx import References
from glossator.ingest.sites.sphinx.directives import (
    LABELLED,
    LISTINGS,
    NOT_SHOWN,
    OBJECTS,
    PROSE_ROLES,
    selected_lines,
    version_note,
)
from glossator.ingest.write_markdown import language_of, lines_of

_SETTINGS: Mapping[str, object] = {
    "_disable_config": True,
    "auto_id_prefix": "id",  # as Sphinx sets it
    "docinfo_xform": False,
    "doctitle_xform": False,
    "file_insertion_enabled": False,
    "halt_level": 6,
    "raw_enabled": False,
    "report_level": 5,
    "sectsubtitle_xform": False,
    "smart_quotes": False,
    "syntax_highlight": "none",
}
_DIRECTIVE = re.compile(r"^[ \t]*+\.\.[ \t]++(?:\|[^|\n]*+\|[ \t]++)?([\w.:+-]+?)::(?=\s|$)", re.MULTILINE)
_ROLE = re.compile(r":([\w.+-]++(?::[\w.+-]++)*+):`")
_LOCK = threading.Lock()
"""docutils keeps its directives and roles in global tables."""


def doctree(text: str, files: Files, references: References) -> nodes.document:
    with _LOCK, _registered(text, files, references):
        # The stubs of docutils do not give the types of this function.
        publish = cast("Any", core).publish_doctree
        return cast("nodes.document", publish(text, settings_overrides=dict(_SETTINGS)))


@contextmanager
def _registered(text: str, files: Files, references: References) -> Generator[None]:
    """Registers our directives and roles, and ones for the page's unknown names; removes them afterwards."""
    known_directives = cast("dict[str, Any]", cast("Any", directives)._directives)
    known_roles = cast("dict[str, Any]", cast("Any", roles)._roles)
    before = dict(known_directives), dict(known_roles)
    try:
        read = "\n".join([text, *included_texts(files, text)])
        unknown = {name.lower() for name in _DIRECTIVE.findall(read)} - _directives_of_docutils()
        known_directives.update(dict.fromkeys(unknown, Shown) | SPHINX_DIRECTIVES)
        names = {name.lower() for name in _ROLE.findall(read)} - known_roles.keys() - _ROLES_OF_DOCUTILS
        known_roles.update(dict.fromkeys(names, _role(references)))
        ReadsFiles.files = files
        yield
    finally:
        for table, saved in zip((known_directives, known_roles), before, strict=True):
            table.clear()
            table.update(saved)


def _directives_of_docutils() -> set[str]:
    return set(cast("dict[str, Any]", cast("Any", directives)._directive_registry))


_ROLES_OF_DOCUTILS = {
    "emphasis",
    "strong",
    "literal",
    "math",
    "sub",
    "sup",
    "subscript",
    "superscript",
    "title",
}


# Roles.

Role = Callable[..., tuple[list[nodes.Node], list[nodes.system_message]]]


def _role(references: References) -> Role:
    def role(
        name: str,
        rawtext: str,
        text: str,
        lineno: int,
        inliner: object,
        options: object = None,
        content: object = None,
    ) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        shown = references.shown(name.lower(), nodes.unescape(text))
        kind = nodes.inline if name.lower().split(":")[-1] in PROSE_ROLES else nodes.literal
        return [kind(rawtext, shown)], []

    return role


# Directives.


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
        if note := version_note(self.name.lower(), argument):
            texts, messages = self.state.inline_text(note, self.lineno)
            container += nodes.paragraph("", "", *texts, *messages)
        elif argument and self.name.lower() in LABELLED:
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
