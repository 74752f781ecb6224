"""Read reStructuredText with docutils, which knows neither the directives nor the roles of Sphinx.

Unknown directives show their content, unknown roles their text. docutils itself opens no file and runs no
raw content: `include` and `literalinclude` are ours, and read only what `Files` allows.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any, cast

from docutils import core, nodes
from docutils.parsers.rst import directives, roles

from glossator.ingest.rst.directives import SPHINX_DIRECTIVES, Files, ReadsFiles, Shown, included_texts
from glossator.ingest.sites.sphinx import References
from glossator.ingest.sites.sphinx.names import PROSE_ROLES

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
    """With our directives and roles, and ones for all unknown names of the page; they go afterwards."""
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
