"""Split the Markdown source of a paragraph into sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from glossator.model import Span
from glossator.text.languages import ENGLISH
from glossator.text.spans import Spans, code_ends

# Ends of sentences in Latin, Arabic, Indian and East Asian scripts, with closing quotes and emphasis.
_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’)\]*_]*+(?=\s)|[。！？]++[”’）」]*+|(?<![؟۔।॥])[؟۔।॥]++(?=\s|$)")

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
_OTHER_ABBREVIATIONS = {
    "danish": "bl.a|f.eks|dvs|fx|evt|inkl|nr|kap|ca",
    "dutch": "bijv|d.w.z|o.a|evt|incl|nr|blz|mevr|dhr|drs",
    "french": "p. ex|M|MM|Mme|Mmes|Mlle|env|fig|chap|éd|ex|av|apr|art|vol",
    "german": "z. B|z.B|z|d. h|d.h|d|u. a|u.a|u|z. T|z.T|i. d. R|i|bzw|vgl|evtl|ggf|inkl|exkl|bspw|sog|ca"
    "|Nr|Abs|Kap|Abb|Tab|Bd|Hrsg|Aufl|Hr|Fr|zzgl|Mio|Mrd|Std|Str",
    "italian": "p. es|es|p|sig|dott|prof|pag|pagg|fig|cap|art|vol|ing",
    "norwegian": "bl. a|bl.a|f. eks|f.eks|dvs|evt|inkl|nr|kap|ca",
    "polish": "np|tj|tzn|m.in|ok|ul|prof|dr|rys|rozdz|str|pkt",
    "portuguese": "p. ex|p|Sr|Sra|Dra|ex|pág|págs|fig|cap|art|núm",
    "russian": "т. е|т.е|т|др|напр|рис|гл|стр|см|им|руб|тыс|млн",
    "spanish": "p. ej|p.ej|p|ej|Sr|Sra|Sres|Dra|Ud|Uds|Vd|pág|págs|fig|cap|art|núm|aprox|EE|tel|av",
    "swedish": "bl. a|bl.a|t. ex|t.ex|dvs|ev|inkl|nr|kap|ca|m.m",
}
"""Words after which a full stop ends no sentence, besides those of `_ABBREVIATION`."""
_ORDINALS = {"czech", "danish", "estonian", "finnish", "german", "hungarian", "norwegian", "polish"}
"""Languages that write `3. Oktober`."""
_ORDINAL = re.compile(r"(?<![\w.,])\d{1,2}\.$")

_BEFORE_A_NUMBER = re.compile(r"\b(?:Figs?|Eqs?|Secs?|Chs?|Tabs?|Refs?|Nos?|Vols?|pp?|ca|min|max)\.$")
_WORD = re.compile(r"\S")
_NUMBER = re.compile(r"\s+[\d(]")
_GOES_ON = re.compile(r"\s+[a-z]")


def sentences(text: str, language: str = ENGLISH) -> list[Span]:
    """Spans that together cover all of `text` except the white space between them."""
    protected = Spans(_protected(text))
    spans = list[Span]()
    start = _next_word(text, 0)
    for match in _END.finditer(text):
        mark, end = Span(match.start(), match.start() + 1), match.end()
        if end <= start or protected.cover(mark) or not _ends_here(text, start, match, language):
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


def _ends_here(text: str, start: int, match: re.Match[str], language: str) -> bool:
    if match[0][0] in "。！？؟۔।॥":
        return True
    if _GOES_ON.match(text, match.end()):
        return False
    if match[0] != ".":
        return True
    if language != ENGLISH and _goes_on_in(language, text, start, match.end()):
        return False
    return not _is_abbreviation(text, start, match.end())


def _goes_on_in(language: str, text: str, start: int, end: int) -> bool:
    """Whether a full stop ends no sentence by the rules of another language than English."""
    next_word = _next_word(text, end)
    if text[next_word : next_word + 1].islower():
        return True
    last_words = text[max(start, end - 12) : end]
    if language in _ORDINALS and _ORDINAL.search(last_words):
        return True
    abbreviation = _abbreviation_in(language)
    return abbreviation is not None and bool(abbreviation.search(last_words))


@cache
def _abbreviation_in(language: str) -> re.Pattern[str] | None:
    if language not in _OTHER_ABBREVIATIONS:
        return None
    listed = _OTHER_ABBREVIATIONS[language].split("|")
    return re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, listed))})\.$")


def _is_abbreviation(text: str, start: int, end: int) -> bool:
    last_word = text[max(start, end - 12) : end]
    if _BEFORE_A_NUMBER.search(last_word):
        return bool(_NUMBER.match(text, end))
    return bool(_ABBREVIATION.search(last_word))
