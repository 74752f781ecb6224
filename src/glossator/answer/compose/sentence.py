"""What a sentence is good for in an answer, as far as its beginning and its end tell."""

from __future__ import annotations

import re
from functools import lru_cache

remembered = lru_cache(maxsize=4096)
"""For what a sentence of the book is, whatever the question: with the next question it comes again.

So many are those of about two hundred chunks, and take 1 or 2 MB.
"""


def _any_of(phrases: str) -> str:
    """A pattern for one of the phrases, which commas part."""
    return "|".join(re.sub(r"\s+", r"\\s+", phrase.strip()) for phrase in phrases.split(","))


_MARKS = r"[\s>*_\"“‘'(\[-]*"
_POINTS_BACK = _any_of(
    """it, its, it['’]s, they, their, them, these, those, he, she, his, her, both, neither, either, such,
    however, but, so, therefore, thus, hence, also, then, otherwise, instead, moreover, furthermore,
    similarly, likewise, conversely, nevertheless, nonetheless, consequently, additionally, and, or,
    yet, still, again, next, finally, here, afterwards, meanwhile, accordingly, besides, alternatively,
    for example, for instance, as a result, in this, in that, in these, in such, in contrast, in
    addition, in other words, in turn, in fact, on the other hand, that is, by contrast, at this point,
    after this, after that, because of this, because of that, to do this, to do that, to do so, the
    former, the latter, the same, the above, the following, the second, the third, the last, the other,
    one of them, one of these, another, each of them, each of these, the result is"""
)
_OF_THE_BOOK = "book|chapter|page|section|guide|tutorial|course|lesson|module|part|manual"
_BACK = re.compile(
    rf"{_MARKS}(?:(?i:(?:{_POINTS_BACK})\b|(?:this|that)\b(?!\s+(?:{_OF_THE_BOOK})\b))"
    r"|(?:where|which|with|while|when|who|whose|whereas|because)\s)"
)
_BACK_LATER = re.compile(
    r"[\s>*_\"“‘'(-]*+(?:[\w’'`/-]++\s++){1,3}(?:it|them|they)\b(?!\s+(?:is|was)\s+\w+\s+(?:to|that)\b)"
    r"|.{0,40}\b(?:the|this|that)\s+(?:\w+\s+)?ones?\b"
    r"|.*\b(?!(?:for|of|in|at|by|about)\b)\w+\s+(?:that|this|these|those)[.!;:]*\s*$",
    re.IGNORECASE | re.DOTALL,
)

_QUESTION = re.compile(r"[?؟？][\s\"'”’)\]*_]*$")
_ANNOUNCES = re.compile(r"[:：][\s*_]*$")
_ENDED = re.compile(r"[.!?…。！？؟۔:;][\s\"'”’)\]*_`$]*+(?:\[\^[^\[\]]++\]){0,9}+\s*+$")

_LINK = r"!?\[[^\]]*\]\([^)]*\)[\s.,;|*_]*"
_LEADS_ON = _any_of(
    """see, see also, next, next up, next page, next chapter, next lesson, previous, previous page,
    previous chapter, previous lesson, read more, read on, continue to, continue with, back to, go to,
    go back to, further reading, learn more, related, click"""
)
_NO_ANSWER = re.compile(
    rf"[\s>*_-]*(?:(?:{_LINK})+$|(?:{_LEADS_ON})\b[\s:*_]*.{{0,60}}(?:\[|\.$|$)"
    r"|(?:exercise|quiz|question|problem|task|figure|fig\.|table|listing) ?\d+[\s:.*_]"
    r"|[\[`(]*(?:visual|diagram|figure|image|caption|panel|labels?|screenshot)\b[^.]{0,20}[:—]"
    r"|:::+|<[^>]*>\s*$|```|~~~|(?:import|export)\s.*\bfrom\b)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]{2,}")

_WHERE = re.compile(
    r"\b(?:section|chapter|page|pages|appendix|details?|explain(?:s|ed)?|covered|describe[sd]?|introduced"
    r"|discussed|see|compare|read|return|later)\b",
    re.IGNORECASE,
)
_SHOWS = re.compile(
    r"\b(?:node|code|program|example|table|figure|listing|diagram|snippet|script|command|list|output|function"
    r"|class|file|image)s? (?:below|above)\b|\b(?:shown|listed|as) (?:below|above|follows)\b"
    r"|\bthe following\b",
    re.IGNORECASE,
)
_TASKS = _any_of(
    """argue, explain, predict, define, derive, prove, sketch, discuss, compute, calculate, justify,
    identify, state, describe, determine, verify, show that, write down, suppose, consider, reflect,
    summari[sz]e, answer"""
)
_TASK = re.compile(rf"[\s>*_\"“(-]*(?:[^:.]{{1,40}}:[\s*_\"“]*)?(?:{_TASKS})\b", re.IGNORECASE)


@remembered
def is_answer(source: str) -> bool:
    """Not a question, a pointer to somewhere else, a caption, or a few loose words."""
    is_something = not _QUESTION.search(source) and not _NO_ANSWER.match(source)
    return is_something and len(_WORD.findall(source, 0, 200)) >= 3


@remembered
def leans_back(source: str) -> bool:
    """Whether it needs the sentence before it."""
    return bool(_BACK.match(source) or _BACK_LATER.match(source))


def announces(source: str) -> bool:
    """Whether it needs what comes after it."""
    return bool(_ANNOUNCES.search(source))


def is_open(source: str) -> bool:
    """Whether it ends without a mark, as before a formula that ends it."""
    return not _ENDED.search(source)


def points_elsewhere(source: str) -> bool:
    """Whether it says where something stands rather than what it is."""
    # The words are looked for first, because the patterns are slow.
    shows = ("below" in source or "above" in source or "follow" in source) and _SHOWS.search(source)
    return bool(shows or ("](" in source and _WHERE.search(source)))


def sets_a_task(source: str) -> bool:
    """Whether it tells the reader to work something out."""
    return bool(_TASK.match(source))
