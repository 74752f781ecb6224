"""Find the terms that a book uses repeatedly and explains nowhere."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain

from glossator.lint.findings import FindingKind, PageFinding
from glossator.lint.terms.emphasis import AcronymCounts, EmphasizedTerms, Key, acronyms, marked_terms
from glossator.lint.terms.prose import WORD, Occurrence, Prose, Role

_SHORT_CELL = 6
"""Words."""
_LEAST_PAGES = 2
_LEAST_USES = 4
"""Either of them makes a term one that the book should explain."""

_ENGLISH_ONLY = {"the", "of", "and", "to", "with", "for"}
_ENGLISH_SHARE = 0.04
"""These words are about a sixth of English prose, and still a twentieth of a book full of lists."""

_END = r"[\"”'’]*(?:\s*\([^()]*\))?"
"""Quotes and parentheses that may follow a term before the sentence continues."""
_ADVERB = r"(?:(?:simply|just|basically|essentially|usually|often|also|therefore|then)\s+)?"
_IS = re.compile(
    rf"{_END}(?:\s+(?:is|are|was|were)\s+{_ADVERB}"
    r"(?:an?|the|one|what|how|when|where|any|another|short\s+for|defined|responsible\s+for|made\s+of|called|known\s+as)\b"
    r"|\s+(?:means?|stands?\s+for|refers?\s+to|denotes?|consists?\s+of|happens?\s+when)\b|\s*=\s)",
    re.IGNORECASE,
)
_DOES = re.compile(
    rf"{_END}\s+(?:are\s+\w|(?:is|are)\s+used\s+(?:to|for)\b|(?:describe|define|represent|provide|measure|let|allow|"
    r"enable|combine|tell|compute|estimate|control|hold|store|turn|map|convert|find|add|give|keep|make|run|show|track|"
    r"specifie|carrie)s?\s)",
    re.IGNORECASE,
)
_OPENS_SENTENCE = re.compile(r"(?:^\s*|[.!?:][\"”)]?\s+)(?:(?:the|an?|each|every)\s+)?[\"“]?$", re.IGNORECASE)
_IN_OTHER_WORDS = re.compile(
    rf"{_END}(?:,\s+(?:an?|meaning|that\s+is|short\s+for|i\.e\.|namely|which\s+(?!we\b|you\b|i\b|is\s+\w+ed\b))"
    r"|\s*(?:[—–]|--?\s)\s*(?:or|an?|the|which|that\s+is)\b)",
    re.IGNORECASE,
)
_NAMES = re.compile(
    r"\b(?:call(?:ed|s|ing)?(?:\s+(?:it|this|that|them|these|such))?|known\s+as|named|terms?|termed|dubbed|"
    r"referred\s+to\s+as|abbreviat\w+(?:\s+(?:as|to))?|short\s+for|defines?|stands\s+for|the\s+acronym|what\s+is)"
    r"\s+(?:an?\s+|the\s+)?[\"“'‘]?$",
    re.IGNORECASE,
)
_LEADS_TO = re.compile(
    r"(?:\b(?:is|are|was|were|becomes?|gives?|forms?)|,(?:\s+or)?)\s+(?:an?\s+|the\s+|its\s+)?$",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"\s*[:(]|,\s+(?:the|such\s+as|in\s+which|where|so|with)\b|\s+(?:that|which|whose|where|in\s+which)\b",
    re.IGNORECASE,
)
_ENTRY = re.compile(rf"{_END}\s*(?::|[—–]|--?\s)\s*\S")
_OPENS_ENTRY = re.compile(r"\s*(?:the|an?)?\s*[\"“'‘*\[]*", re.IGNORECASE)
_PARENTHESIS = re.compile(r"[\"”'’]*\s*\(([^()]{3,160})\)")
_OR_LONG_FORM = re.compile(r"[\"”'’]*,?\s+or\s+([^,.;:()]{3,80})")
_LONG_FORM = re.compile(
    r"(?<![^().;:!?])([^().;:!?]+?)(?:,?\s*\(\s*(?:or\s+|the\s+|an?\s+)?|,\s+(?:or\s+)?|\s+or\s+|\s*[—–-]\s+)$",
    re.IGNORECASE,
)
_OPENED = re.compile(r"(?<!\S)\S++\s+\S+\s*\(\s*(?:an?\s+|the\s+|or\s+)?$")


@dataclass(slots=True)
class TermCounts:
    """What has to be counted over the whole book before it can be said which words are its terms."""

    words: int = 0
    english_words: int = 0
    acronyms: AcronymCounts = field(default_factory=AcronymCounts)
    marked: Counter[Key] = field(default_factory=Counter[Key])

    def add(self, part: Prose) -> None:
        words = WORD.findall(part.text.lower())
        self.words += len(words)
        self.english_words += sum(word in _ENGLISH_ONLY for word in words)
        self.acronyms.add(part)
        self.marked.update(marked_terms(part))

    @property
    def is_english(self) -> bool:
        return self.english_words > _ENGLISH_SHARE * self.words


def unexplained_terms(counts: TermCounts, parts: Iterable[Prose]) -> list[PageFinding]:
    """The most used first; none for a book that is not in English, whose explanations are not recognized.

    The parts are those that were counted, in reading order; they are gone through once more.
    """
    if not counts.is_english:
        return []
    acronym_terms, emphasized = counts.acronyms.terms(), EmphasizedTerms(counts.marked)
    usages = defaultdict[str, _Usage](_Usage)
    for part in parts:
        own_acronyms = (occurrence for occurrence in acronyms(part) if occurrence.term in acronym_terms)
        for occurrence in chain(own_acronyms, emphasized.occurrences(part)):
            usages[occurrence.term].add(occurrence)
    unexplained = [
        (term, usage)
        for term, usage in usages.items()
        if usage.needs_explanation and not emphasized.is_stress(term, usage.times)
    ]
    unexplained.sort(key=lambda pair: (-pair[1].times, pair[0]))
    return [usage.finding() for _, usage in unexplained]


@dataclass(slots=True)
class _Usage:
    """How a term is used, without the texts in which it is."""

    times: int = 0
    pages: int = 0
    is_explained: bool = False
    first_page: str = ""
    first_line: int = 0
    shown: str = ""
    """As spelled where it is used first; an acronym without its plural `s`."""
    last_page: str = ""

    def add(self, occurrence: Occurrence) -> None:
        prose = occurrence.prose
        if not self.times:
            is_acronym = occurrence.term[:1].isupper()
            self.first_page, self.first_line = prose.page, prose.line_at(occurrence.span.start)
            self.shown = occurrence.term if is_acronym else occurrence.text.lower()
        self.times += 1
        self.pages += prose.page != self.last_page
        self.last_page = prose.page
        self.is_explained = self.is_explained or is_explained_by(occurrence)

    @property
    def needs_explanation(self) -> bool:
        return not self.is_explained and (self.times >= _LEAST_USES or self.pages >= _LEAST_PAGES)

    def finding(self) -> PageFinding:
        where = f"on {self.pages} pages" if self.pages > 1 else "on this page"
        message = f"“{self.shown}” is used {self.times} times {where} and never explained."
        return PageFinding(
            FindingKind.UNEXPLAINED_TERM, self.first_page, self.first_line, message, self.shown
        )


def is_explained_by(occurrence: Occurrence) -> bool:
    return (
        _is_named_by_heading_or_table(occurrence)
        or _is_linked(occurrence)
        or _is_defined(occurrence)
        or _is_entry(occurrence)
        or _is_spelled_out(occurrence)
    )


def _is_named_by_heading_or_table(occurrence: Occurrence) -> bool:
    match occurrence.prose.role:
        case Role.HEADING:
            return True
        case Role.FIRST_CELL:
            return len(occurrence.prose.text.split()) <= _SHORT_CELL
        case Role.TEXT:
            return False


def _is_linked(occurrence: Occurrence) -> bool:
    """A link on the term leads to its explanation."""
    return occurrence.prose.is_short_link(occurrence.span)


def _is_defined(occurrence: Occurrence) -> bool:
    """`A term is …`, `… is called a term`, `term, a …`."""
    before, after = occurrence.before, occurrence.after
    if _IS.match(after) or _IN_OTHER_WORDS.match(after) or _NAMES.search(before):
        return True
    if occurrence.is_emphasized and (_LEADS_TO.search(before) or _GOES_ON.match(after)):
        return True
    # An emphasized term at the beginning of a sentence is defined there, whatever the verb is.
    says_what = re.match(r"\s+\w", after) if occurrence.is_emphasized else _DOES.match(after)
    return bool(_OPENS_SENTENCE.search(before) and says_what)


def _is_entry(occurrence: Occurrence) -> bool:
    """`Term: what it is`, as in a glossary."""
    return bool(_OPENS_ENTRY.fullmatch(occurrence.before) and _ENTRY.match(occurrence.after))


def _is_spelled_out(occurrence: Occurrence) -> bool:
    """`long form (TERM)` or `TERM (long form)`; for a term that is no acronym, any words in parentheses."""
    inside = _PARENTHESIS.match(occurrence.after)
    if not occurrence.term[:1].isupper():
        return bool(inside and len(inside[1].split()) > 1) or bool(_OPENED.search(occurrence.before))
    long_forms = (inside, _OR_LONG_FORM.match(occurrence.after), _LONG_FORM.search(occurrence.before))
    return any(_abbreviates(occurrence.term, match[1]) for match in long_forms if match)


def _abbreviates(short: str, long: str) -> bool:
    """Follows Schwartz and Hearst: the words contain its letters in order, and the first begins a word."""
    if short in long:
        return False
    words = " ".join(re.split(r"[\s-]+", long)[-(len(short) + 5) :]).lower()
    position = len(words)
    for letter in reversed(short.lower()[1:]):
        position = words.rfind(letter, 0, position)
    return position > 0 and bool(re.search(rf"\b{short[0].lower()}", words[:position]))
