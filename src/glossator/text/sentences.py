"""Split the Markdown source of a paragraph into sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

from glossator.model import Span
from glossator.text.spans import Spans, code_ends

# Ends of sentences in Latin, Arabic and East Asian scripts, with closing quotes, brackets and emphasis.
_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’)\]*_]*+(?=\s)|[。！？]++[”’）」]*+|(?<![؟۔])[؟۔]++(?=\s|$)")

# Code, formulas, links and tags, in which a full stop ends no sentence.
_PROTECTED = re.compile(
    r"`+"
    r"|\$[^$\n]++\$"
    r"|\[[^\[\]]*+\]\([^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)*+"
    r"(?:\s++(?:\"[^\"]*+\"|'[^']*+'|\([^()]*+\)))?+\)"
    r"|<[^<>]++>"
)

_QUOTED = re.compile(
    r"(?<![\w\"])\"(?P<straight>(?=[^\s\"])[^\"]{1,200}+)\"(?!\w)|“(?P<curved>[^“”]{1,200}+)”"
)
"""A short quotation is part of one sentence; a longer one is split into its sentences."""
_QUOTE_ENDS = ".!?…"

_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|vs|approx|resp|al|Dr|Mr|Mrs|Ms|Prof|St)|\b[A-Z]|^\s*\d+)\.$"
)
_BEFORE_A_NUMBER = re.compile(r"\b(?:Figs?|Eqs?|Secs?|Chs?|Tabs?|Refs?|Nos?|Vols?|pp?|ca|min|max)\.$")
_WORD = re.compile(r"\S")
_NUMBER = re.compile(r"\s+[\d(]")
_GOES_ON = re.compile(r"\s+[a-z]")


def sentences(text: str) -> list[Span]:
    """Spans that together cover all of `text` except the white space between them."""
    protected = Spans(_protected(text))
    spans = list[Span]()
    start = _next_word(text, 0)
    for match in _END.finditer(text):
        mark, end = Span(match.start(), match.start() + 1), match.end()
        if end <= start or protected.cover(mark) or not _ends_here(text, start, match):
            continue
        spans.append(Span(start, end))
        start = _next_word(text, end)
    tail = len(text.rstrip())
    return [*spans, Span(start, tail)] if start < tail else spans


def _protected(text: str) -> Iterator[Span]:
    ends, position = code_ends(text), 0
    while match := _PROTECTED.search(text, position):
        position = ends.get(match.start(), match.end())
        yield Span(match.start(), position)
    for quoted in _QUOTED.finditer(text):
        # `"Stop! Go back." He went.`: only the last mark of a quotation may end the sentence.
        quotation = quoted["straight"] or quoted["curved"]
        yield Span(quoted.start(), quoted.start() + 1 + len(quotation.rstrip(_QUOTE_ENDS)))


def _next_word(text: str, position: int) -> int:
    word = _WORD.search(text, position)
    return word.start() if word else len(text)


def _ends_here(text: str, start: int, match: re.Match[str]) -> bool:
    if match[0][0] in "。！？؟۔":
        return True
    if _GOES_ON.match(text, match.end()):
        return False
    return match[0] != "." or not _is_abbreviation(text, start, match.end())


def _is_abbreviation(text: str, start: int, end: int) -> bool:
    last_word = text[max(start, end - 12) : end]
    if _BEFORE_A_NUMBER.search(last_word):
        return bool(_NUMBER.match(text, end))
    return bool(_ABBREVIATION.search(last_word))
