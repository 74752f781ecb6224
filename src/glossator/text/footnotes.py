"""Footnotes of Markdown, for every parser of ours."""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.footnote.index import footnote_ref

_LONGEST_LABEL = 200
"""Characters. The plugin itself looks for the end of a label through all that follows, from every `[^`."""


def footnotes(md: MarkdownIt) -> None:
    """`[^label]` is a mark wherever its note stands, and notes stay where they are."""
    md.use(footnote_plugin, inline=False, move_to_end=False, always_match_refs=True)
    md.inline.ruler.at("footnote_ref", _mark)


def _mark(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith("[^", state.pos):
        return False
    has_end = state.src.find("]", state.pos, state.pos + _LONGEST_LABEL) >= 0
    return has_end and footnote_ref(state, silent, always_match=True)
