"""Citation marks: `[n]` outside of code and formulas, where the same brackets are the book's own.

`a[0]` in a piece of code is an index, and `\\[1\\]` in words are brackets that somebody has written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from glossator.model import Span
from glossator.text.spans import Spans, code_spans, without

_MARK = re.compile(r"(?<![ \t])[ \t]*+(?<!\\)\[(?P<n>\d{1,3})\]")
_FORMULA = re.compile(r"\$\$[^$]++\$\$|(?<![\\$\w])\$(?![\s$])[^$\n]++(?<!\s)\$(?!\w)")
_WRITTEN = re.compile(r"(?<!\\)\[(\d+)\]")


def marks(text: str) -> Iterator[re.Match[str]]:
    """Each with the blanks before it; its number is the group `n`."""
    verbatim = _verbatim(text)
    return (mark for mark in _MARK.finditer(text) if not verbatim.touch(Span(*mark.span())))


def without_marks(text: str) -> str:
    return without(text, (Span(*mark.span()) for mark in marks(text)))


def escaped_marks(text: str) -> str:
    """With a backslash before brackets that would be taken for a mark."""
    verbatim = _verbatim(text)

    def shown(match: re.Match[str]) -> str:
        return match[0] if verbatim.touch(Span(*match.span())) else rf"\[{match[1]}\]"

    return _WRITTEN.sub(shown, text)


def _verbatim(text: str) -> Spans:
    code = list(code_spans(text)) if "`" in text or "~" in text else []
    formulas = [Span(*match.span()) for match in _FORMULA.finditer(text)] if "$" in text else []
    return Spans([*code, *formulas])
