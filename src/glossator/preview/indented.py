"""Boxes and tabs as MkDocs writes them: a line with marks, and what is indented under it.

The parser reads them as CommonMark, a paragraph and perhaps some code; here their text is read once more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from textwrap import dedent

from markdown_it import MarkdownIt
from markdown_it.token import Token

from glossator.preview.markup import box_of, variant

_OPENING = re.compile(r"(!!!|\?\?\?\+?|===[!+]?)[ \t]++([\w-]*+)[^\"]*+(?:\"(.*)\")?")
_PARAGRAPH = 3
"""Tokens of one: it opens, it has text, it closes."""
_DEEPEST = 4
"""Boxes in boxes."""


def unfolded(md: MarkdownIt, tokens: Sequence[Token], lines: Sequence[str], depth: int = 0) -> list[Token]:
    """`lines` are the source of the tokens."""
    shown, place = list[Token](), 0
    while place < len(tokens):
        opening = _opening(tokens, place) if depth < _DEEPEST else None
        if opening is None:
            shown.append(tokens[place])
            place += 1
            continue
        after = _after(tokens, place)
        inside = _indented(tokens[place], tokens[after - 1], lines)
        shown += _block(opening, unfolded(md, md.parse(inside), inside.split("\n"), depth + 1))
        place = after
    return shown


def _opening(tokens: Sequence[Token], place: int) -> re.Match[str] | None:
    if tokens[place].type != "paragraph_open":
        return None
    return _OPENING.fullmatch(tokens[place + 1].content.split("\n", 1)[0].strip())


def _after(tokens: Sequence[Token], place: int) -> int:
    """Behind its paragraph, and behind what was taken for code."""
    after = place + _PARAGRAPH
    return after + 1 if after < len(tokens) and tokens[after].type == "code_block" else after


def _indented(first: Token, last: Token, lines: Sequence[str]) -> str:
    start = first.map[0] if first.map else 0
    end = (last.map or first.map or [0, 0])[1]
    return dedent("\n".join(lines[start + 1 : end]))


def _block(opening: re.Match[str], inside: Sequence[Token]) -> Iterator[Token]:
    marks, kind, title = opening[1], opening[2] or "note", opening[3] or ""
    if marks.startswith("="):
        before, after = f'<div class="variants">{variant(title)}', "</section></div>\n"
    else:
        before, after = box_of(kind, escape(title)), "</aside>\n"
    yield Token("html_block", "", 0, content=before)
    # Their lines are counted from another place, and the index knows no heading among them.
    yield from (token.copy(map=None) for token in inside)
    yield Token("html_block", "", 0, content=after)
