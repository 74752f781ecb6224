"""Terms that the author marks as terms: emphasized in the middle of a sentence, more than once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from glossator.ingest.check.terms.occurrence import Occurrence
from glossator.ingest.check.terms.prose import Prose, Role
from glossator.ingest.check.terms.words import FUNCTION_WORDS, WORD, stem
from glossator.model import Span

_MARKED = 2
"""Times."""
_MARKED_SHARE = 0.2
"""Of the uses of a single word; one that stands plain nearly everywhere is only stressed where marked."""
_LONGEST = 4
"""Words."""
_BEFORE_A_NOUN = re.compile(
    r"\b(?:an?|the|this|that|these|its|their|each|every|one|two|called|named|termed|as|of|by|with|via|using|for|"
    r"into|between|from|and|or|in|on)\s+[\"“'‘(]?$",
    re.IGNORECASE,
)
_AFTER_A_NOUN = re.compile(r"[\"”'’)]?(?:\s*(?:[.,;:!?()—–]|$)|\s+(?P<word>\w+))")
_LINKING = FUNCTION_WORDS | {
    "of",
    "in",
    "on",
    "to",
    "for",
    "with",
    "and",
    "or",
    "as",
    "between",
    "about",
    "means",
}


def emphasized_terms(written: Sequence[Prose]) -> list[Occurrence]:
    """Every place where such a term stands, marked there or not."""
    marked = Counter(key for part in written for key in _marked(part))
    terms = {key for key, times in marked.items() if times >= _MARKED}
    openings = _openings(terms)
    found = [occurrence for part in written for occurrence in _occurrences(part, terms, openings)]
    uses = Counter(occurrence.term for occurrence in found)
    stressed = {
        word for (word, *more), times in marked.items() if not more and times < _MARKED_SHARE * uses[word]
    }
    return [occurrence for occurrence in found if occurrence.term not in stressed]


def _marked(part: Prose) -> Iterator[tuple[str, ...]]:
    if part.role is not Role.TEXT:
        return
    for span in part.emphasis:
        marked = Occurrence("", part, span)
        if _is_noun_like(marked.text) and _stands_as_noun(marked.before, marked.after):
            yield _key(marked.text)


def _is_noun_like(text: str) -> bool:
    """One to four uncapitalized words; a capital means a name, a title or the label of a button."""
    words = text.split()
    if not 1 <= len(words) <= _LONGEST or not text[:1].islower() or len(text) < 3:
        return False
    return all(WORD.fullmatch(word) and word.lower() not in FUNCTION_WORDS for word in words)


def _stands_as_noun(before: str, after: str) -> bool:
    """After an article or a preposition, and not before another noun."""
    follows = _AFTER_A_NOUN.match(after)
    if not follows or not _BEFORE_A_NOUN.search(before):
        return False
    return follows["word"] is None or follows["word"].lower() in _LINKING


def _key(text: str) -> tuple[str, ...]:
    *leading, last = (word.lower() for word in text.split())
    return (*leading, stem(last))


def _openings(terms: set[tuple[str, ...]]) -> dict[str, int]:
    """The first words of terms, each with the length of the longest that begins with it."""
    longest = dict[str, int]()
    for key in terms:
        longest[key[0]] = max(len(key), longest.get(key[0], 0))
    return longest


def _occurrences(
    part: Prose, terms: set[tuple[str, ...]], openings: Mapping[str, int]
) -> Iterator[Occurrence]:
    words = list(WORD.finditer(part.text))
    for number, word in enumerate(words):
        lowered = word[0].lower()
        longest = max(openings.get(lowered, 0), openings.get(stem(lowered), 0))
        for length in range(longest, 0, -1):
            window = words[number : number + length]
            key = (*(other[0].lower() for other in window[:-1]), stem(window[-1][0]))
            span = Span(word.start(), window[-1].end())
            if key in terms and not part.is_code(span):
                yield Occurrence(" ".join(key), part, span)
                break
