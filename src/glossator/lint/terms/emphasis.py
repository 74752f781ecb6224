"""Find the terms of a book: acronyms, and words that the author emphasizes as terms more than once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from glossator.lint.terms.prose import NOT_IN_TERMS, WORD, Occurrence, Prose, Role, singular
from glossator.model import Span
from glossator.text.english import FUNCTION_WORDS

Key = tuple[str, ...]
"""The words of a term in lower case, the last in the singular."""

_LEAST_MARKED = 2
"""Emphasized occurrences that make a term."""
_MARKED_SHARE = 0.2
"""The share of a single word's uses that is emphasized if it is a term; less is only stress."""
_LONGEST_TERM = 4
"""Words."""
_BEFORE_A_NOUN = re.compile(
    r"\b(?:an?|the|this|that|these|its|their|each|every|one|two|called|named|termed|as|of|by|with|via|using|for|"
    r"into|between|from|and|or|in|on)\s+[\"“'‘(]?$",
    re.IGNORECASE,
)
_AFTER_A_NOUN = re.compile(r"[\"”'’)]?(?:\s*(?:[.,;:!?()—–]|$)|\s+(?P<word>\w+))")
_LINKING = NOT_IN_TERMS | FUNCTION_WORDS | {"means"}


def marked_terms(part: Prose) -> Iterator[Key]:
    """Every emphasized term of the part, as often as it is emphasized."""
    if part.role is not Role.TEXT:
        return
    for span in part.emphasis:
        marked = Occurrence("", part, span)
        if _is_noun_like(marked.text) and _stands_as_noun(marked.before, marked.after):
            yield _key(marked.text)


def _is_noun_like(text: str) -> bool:
    """One to four uncapitalized words; a capital means a name, a title or the label of a button."""
    words = text.split()
    if not 1 <= len(words) <= _LONGEST_TERM or not text[:1].islower() or len(text) < 3:
        return False
    return all(WORD.fullmatch(word) and word.lower() not in NOT_IN_TERMS for word in words)


def _stands_as_noun(before: str, after: str) -> bool:
    """Whether it follows an article or a preposition, and precedes no other noun."""
    follows = _AFTER_A_NOUN.match(after)
    if not follows or not _BEFORE_A_NOUN.search(before):
        return False
    return follows["word"] is None or follows["word"].lower() in _LINKING


def _key(text: str) -> Key:
    *leading, last = (word.lower() for word in text.split())
    return (*leading, singular(last))


class EmphasizedTerms:
    """The terms of a book that its author emphasizes more than once."""

    def __init__(self, marked: Mapping[Key, int]) -> None:
        """Each emphasized term, with how often it is emphasized."""
        self._marked = {key: times for key, times in marked.items() if times >= _LEAST_MARKED}
        self._longest = dict[str, int]()
        """The first words of terms, each with the length of the longest term that begins with it."""
        for first, *more in self._marked:
            self._longest[first] = max(1 + len(more), self._longest.get(first, 0))

    def occurrences(self, part: Prose) -> Iterator[Occurrence]:
        """Every occurrence of a term, emphasized there or not."""
        words = list(WORD.finditer(part.text))
        for number, word in enumerate(words):
            lowered = word[0].lower()
            longest = max(self._longest.get(lowered, 0), self._longest.get(singular(lowered), 0))
            for length in range(longest, 0, -1):
                window = words[number : number + length]
                key = (*(other[0].lower() for other in window[:-1]), singular(window[-1][0]))
                span = Span(word.start(), window[-1].end())
                if key in self._marked and not part.is_code(span):
                    yield Occurrence(" ".join(key), part, span)
                    break

    def is_stress(self, term: str, occurrences: int) -> bool:
        """Whether a word is emphasized so rarely that it is no term."""
        return self._marked.get((term,), occurrences) < _MARKED_SHARE * occurrences


# Acronyms

_ACRONYM = re.compile(
    r"(?<![\w.@#$\\/-])(?=[A-Za-z0-9]{2,6}s?\b)"
    r"([A-Z][A-Z0-9]*(?:[a-z][A-Z0-9]*)?[A-Z])s?(?![\w@\\]|[-/][A-Z0-9]|\.\w)"
)
_ROMAN_NUMERAL = re.compile(r"X{0,3}(?:IX|IV|V?I{0,3})")
_AXES = re.compile(r"[XYZUVW]+")
_NAME_BEFORE = re.compile(r"\b([A-Z][a-z]+)\s$")
_NAME_AFTER = re.compile(r"\s[A-Z][a-z]+")
_MOSTLY = 0.8
_LONG_WORD = 5
_LONGEST_ACRONYM = 6

_KNOWN_TO_ALL = """
    AI AM ANSI API ASCII AWS BIOS BSD CAD CD CEO CI CLI CMD CPU CSS CSV CTO DIY DNA DNS DVD EU FAQ FPS
    FTP GB GiB GIF GNU GPL GPS GPU GUI HD HTML HTTP HTTPS IBM ID IDE IEC IEEE IO IP ISO IT JPEG JPG JS
    JSON KB KiB LAN LED LGPL LTS MB MiB MIT NASA NB NOTE OK OS PC PDF PhD PHP PM PNG PR PS PyPI QA RAM
    RGB ROM RPM RTX SD SDK SI SMS SQL SSD SSH SSL SVG TB TCP TLS TV UDP UI UK UN URI URL US USA USB UTC
    UTF UX VM VPN VS WAV WWW XML YAML ZIP
    GET POST PUT PATCH EOF NULL TRUE FALSE NaN README MD MDX JSX TSX TS
    TODO FIXME WIP INFO WARN ERROR DEBUG FATAL TRACE DONE PASS FAIL
    AMD ARM NVIDIA CUDA GTX ACM CMU ETH UCLA
"""
_WELL_KNOWN = frozenset(_KNOWN_TO_ALL.split())
"""Known to any reader of a technical book, or names that are never spelled out."""


@dataclass(slots=True)
class AcronymCounts:
    """How the acronyms of a book are used, which tells those that are terms from other words in capitals."""

    uses: Counter[str] = field(default_factory=Counter[str])
    in_names: Counter[str] = field(default_factory=Counter[str])
    plain: Counter[str] = field(default_factory=Counter[str])
    """Short words without capitals."""

    def add(self, part: Prose) -> None:
        for occurrence in acronyms(part):
            self.uses[occurrence.term] += 1
            self.in_names[occurrence.term] += _is_in_name(occurrence) or _is_product(occurrence)
        short = (word for word in WORD.findall(part.text) if len(word) <= _LONGEST_ACRONYM)
        self.plain.update(word for word in short if word.islower())

    def terms(self) -> set[str]:
        """Without symbols and ordinary words in capitals."""
        return {
            term
            for term, times in self.uses.items()
            if not _ROMAN_NUMERAL.fullmatch(term)
            and not _AXES.fullmatch(term)
            and not _is_shouted(term, times, self.plain[term.lower()])
            and self.in_names[term] < _MOSTLY * times
        }


def acronyms(part: Prose) -> Iterator[Occurrence]:
    """Every occurrence of every acronym, without well-known ones."""
    for match in _ACRONYM.finditer(part.text):
        span = Span(*match.span())
        if not part.is_code(span) and match[1] not in _WELL_KNOWN:
            yield Occurrence(match[1], part, span)


def _is_in_name(occurrence: Occurrence) -> bool:
    """Whether it is a part of a name, as in `Jetson AGX`."""
    before = _NAME_BEFORE.search(occurrence.before)
    is_after_name = before is not None and before[1].lower() not in NOT_IN_TERMS
    return is_after_name or bool(_NAME_AFTER.match(occurrence.after))


def _is_product(occurrence: Occurrence) -> bool:
    """Whether it is a product, such as `BA` in a text with the matrices `A` and `B`."""
    return len(occurrence.term) == 2 and occurrence.prose.letters.issuperset(occurrence.term)


def _is_shouted(term: str, times: int, times_plain: int) -> bool:
    """Whether it is an ordinary word in capitals; an acronym is rarely also a long or a frequent word."""
    return times_plain * (10 if len(term) >= _LONG_WORD else 1) >= times
