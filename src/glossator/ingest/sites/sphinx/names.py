"""The directives and roles of Sphinx and its extensions, by what readers see of them."""

from __future__ import annotations

LABELLED = {
    "card", "centered", "code-tab", "collapse", "deprecated", "details", "dropdown", "grid-item-card",
    "group-tab", "md-tab-item", "tab", "tab-item", "versionadded", "versionchanged",
}  # fmt: skip
"""Their argument is a label over their content."""
OBJECTS = {
    "attribute", "class", "confval", "data", "describe", "enum", "envvar", "exception", "function", "macro",
    "member", "method", "module", "object", "option", "property", "struct", "type", "var",
}  # fmt: skip
"""Their argument is a signature."""
LISTINGS = ("code", "code-block", "prompt", "sourcecode", "testcode")
NOT_SHOWN = (
    "autoclass", "autofunction", "automodule", "autosummary", "currentmodule", "date", "default-domain",
    "digraph", "graph", "graphviz", "highlight", "index", "mermaid", "meta", "plantuml", "raw",
    "redirect-from", "sectnum", "tabularcolumns", "testcleanup", "testsetup", "toctree", "uml",
)  # fmt: skip
PROSE_ROLES = {
    "abbr", "any", "dfn", "doc", "guilabel", "kbd", "keyword", "menuselection", "numref", "ref", "term",
    "token",
}  # fmt: skip
"""Their text is prose; that of any other role is code."""
