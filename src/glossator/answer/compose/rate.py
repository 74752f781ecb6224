"""How well each sentence, row and piece of code of the evidence would answer the question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from glossator.answer.compose.asking import Asking, Kind
from glossator.answer.compose.sentence import points_elsewhere, remembered, sets_a_task
from glossator.model import Evidence, ScoredUnit, Section, Span, UnitKind

_FAINT = 0.5
"""How much of the best relevance a unit needs for a closer look."""
_CONTEXT = 0.25
"""What it is worth that every word of the question stands in the sentence or in a heading above it."""
_GIVEN = 0.7
"""What a word counts that only a heading says."""
DEFINES = 0.4
_NAMES = 0.15
"""What emphasis on what is to be defined is worth."""
_SIGN = 0.1
"""What a sign of the wanted kind of answer is worth, such as `because`."""
_BOTH = 0.2
"""What it is worth to speak of all that is compared."""
_LATER = 0.02
"""What each step down the list of evidence costs."""
_POINTS = 0.25
"""What it costs to say only where something stands, or to ask the reader for it."""
_ASIDE = 0.3
"""What it costs to stand among exercises or links."""
_ENTRY = 0.05
"""What it costs to be an item of a list, which has nothing that goes on from it."""
_SHORT = 0.1
"""What it costs to have fewer than six words."""

_MARKS = str.maketrans("", "", '*_`"“”[]')
_ADDRESS = re.compile(r"\]\((?:[^)\]]|\](?!\())*+\)")
_ARTICLE = re.compile(r"\W*(?:in [^,]{2,40}, )?(?:(?:an?|the|each|every)\s+)?")
_SAYS_WHAT = re.compile(
    r"(?:e?s)?(?:\s*\([^)]*\))?(?:,[^,]{2,70},)?"
    r"(?:\s+(?:is|are|was|were|means?|refers?|stands?|describes?|denotes?|consists?)\b|\s*(?::|—|–|-\s))"
)
_IS_CALLED = re.compile(r"\b(?:called|termed|named|known as|referred to as|is|are)\s+(?:(?:an?|the)\s+)?$")
_LONG_FORM = 60
"""Characters before a short form in brackets."""
_EMPHASIZED = re.compile(r"[*_]{1,3}([^*_]{2,60})[*_]")
_SIGNS = {
    Kind.WHY: re.compile(
        r"\b(?:because|since|so that|reason|therefore|otherwise|due to|thus|in order to|which is why"
        r"|prevents?|avoids?)\b",
        re.IGNORECASE,
    ),
    Kind.QUANTITY: re.compile(
        r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|half|twice|hundred|thousand|million)\b",
        re.IGNORECASE,
    ),
    Kind.TIME: re.compile(
        r"\b(?:1\d{3}|20\d\d)\b|\b(?:when|whenever|after|before|until|once|if|january|february|march|april|june|july|august|september|october|november|december|century)\b",
        re.IGNORECASE,
    ),
    Kind.PERSON: re.compile(r"(?<=[a-z,] )[A-Z][a-z]+"),
    Kind.COMPARISON: re.compile(
        r"\b(?:unlike|whereas|while|than|instead|differs?|difference|both|but|rather|in contrast)\b",
        re.IGNORECASE,
    ),
    Kind.EXAMPLE: re.compile(r"\b(?:example|for instance|such as|below|following)\b|:\s*$", re.IGNORECASE),
    Kind.HOW_TO: re.compile(
        r"^\W*(?:use|run|call|create|add|set|write|install|start|open|make|put|send|choose|first|to)\b|`",
        re.IGNORECASE,
    ),
}
_ITEM_MARK = re.compile(r"\n[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_SET_ASIDE = re.compile(
    r"\b(?:exercises?|quiz(?:zes)?|questions|problems?|challenges?|assessment|knowledge check|check your"
    r"|check yourself|self.?test|homework|practice|references|further reading|see also|next steps"
    r"|what['’]s next|objectives|prerequisites|companion|learning support)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Rated:
    """A unit with its worth for this question."""

    evidence: Evidence
    place: int
    """Which unit of the evidence it is."""
    worth: float
    bonus: float = 0.0
    """What of it is for saying what the subject is."""

    @property
    def kind(self) -> UnitKind:
        return self.evidence.units[self.place].unit.kind

    @property
    def source(self) -> str:
        return self.evidence.units[self.place].text

    @property
    def span(self) -> Span:
        unit = self.evidence.units[self.place].unit
        return Span(unit.start, unit.end)

    @property
    def block(self) -> Span:
        return self.evidence.units[self.place].unit.block

    @property
    def key(self) -> tuple[int, int]:
        return self.evidence.number, self.place

    @property
    def section(self) -> Section:
        return self.evidence.chunk.section_at(self.evidence.units[self.place].unit.start)

    @property
    def gap(self) -> str:
        """What stands between the unit before and this one."""
        chunk, units = self.evidence.chunk, self.evidence.units
        start = units[self.place - 1].unit.end if self.place else chunk.start
        return chunk.text[start - chunk.start : units[self.place].unit.start - chunk.start]

    @property
    def begins_item(self) -> bool:
        if self.kind is not UnitKind.ITEM:
            return False
        is_first = not self.place or self.evidence.units[self.place - 1].unit.block != self.block
        return is_first or bool(_ITEM_MARK.search(self.gap))


@dataclass(frozen=True, slots=True)
class _View:
    """What a section gives to each of its sentences."""

    given: tuple[bool, ...]
    """For each word of the question, whether a heading says it already."""
    cost: float

    @classmethod
    def of(cls, evidence: Evidence, section: Section, asked: Asking) -> _View:
        path = " ".join([evidence.chunk.chapter, evidence.chunk.page_title, *section.path]).lower()
        is_aside = _is_set_aside(section.title) and not _SET_ASIDE.search(asked.question)
        return cls(
            tuple(stands_in(trunk, path) for trunk in asked.trunks),
            _LATER * (evidence.number - 1) + (_ASIDE if is_aside else 0.0),
        )


@remembered
def _is_set_aside(title: str) -> bool:
    return bool(_SET_ASIDE.search(title))


def rate(evidence: Sequence[Evidence], asked: Asking) -> list[list[Rated]]:
    """For each of the evidence its units, in reading order."""
    best = max((unit.relevance for one in evidence for unit in one.units), default=0.0)
    return [list(_rated(one, asked, best or 1.0)) for one in evidence]


def _rated(evidence: Evidence, asked: Asking, best: float) -> Iterator[Rated]:
    views = [(section.start, _View.of(evidence, section, asked)) for section in evidence.chunk.sections]
    _, view = views.pop(0)
    for place, unit in enumerate(evidence.units):
        while views and views[0][0] <= unit.unit.start:
            _, view = views.pop(0)
        relevance = unit.relevance / best
        if relevance < _FAINT:
            yield Rated(evidence, place, relevance)
            continue
        text = unit.text.lower()
        bonus = _definition(unit.text, text, asked.subject) if asked.subject else 0.0
        worth = relevance + _for(unit.text, text, asked, view) - _against(unit, view) + bonus
        yield Rated(evidence, place, max(worth, 0.0), bonus)


def _for(source: str, text: str, asked: Asking, view: _View) -> float:
    there = [stands_in(trunk, text) for trunk in asked.trunks]
    said = sum(1.0 if is_there else _GIVEN * given for is_there, given in zip(there, view.given, strict=True))
    sign = _SIGNS.get(asked.kind)
    return (
        (_CONTEXT * said / len(there) if there else 0.0)
        + (_SIGN if sign and sign.search(source) else 0.0)
        + (_BOTH if asked.kind is Kind.COMPARISON and len(there) > 1 and all(there) else 0.0)
    )


def _against(unit: ScoredUnit, view: _View) -> float:
    is_short = unit.text.count(" ") < 5
    return (
        view.cost
        + (_ENTRY if unit.unit.kind is UnitKind.ITEM else 0.0)
        + (_SHORT if is_short and unit.unit.kind is UnitKind.PROSE else 0.0)
        + (_POINTS if _leads_away(unit.text) else 0.0)
    )


@remembered
def _leads_away(source: str) -> bool:
    return points_elsewhere(source) or sets_a_task(source)


def _definition(source: str, text: str, subject: str) -> float:
    emphasis = _NAMES if subject in _emphasized(source) else 0.0
    return emphasis + (DEFINES if is_definition(text, subject) else 0.0)


@remembered
def _emphasized(source: str) -> str:
    """The first words that are, in small letters."""
    named = _EMPHASIZED.search(source)
    return named[1].lower() if named else ""


def is_definition(text: str, subject: str) -> bool:
    """Whether a sentence, in small letters, says what the subject is; its last word may stand for it."""
    plain, begin = _opened(text)
    for name in {subject, subject.split()[-1]}:
        trunk = name.removesuffix("s")
        if plain.startswith(trunk, begin):
            return bool(_SAYS_WHAT.match(plain, begin + len(trunk)))
        at = plain.find(trunk)
        is_short_form = 0 < at <= _LONG_FORM and plain[at - 1] == "("
        if is_short_form or (at > 0 and _IS_CALLED.search(plain, 0, at) and _EMPHASIZED.search(text)):
            return True
    return False


@remembered
def _opened(text: str) -> tuple[str, int]:
    """Without marks, and where its first word begins that is no article."""
    plain = _ADDRESS.sub("]", text).translate(_MARKS)
    opening = _ARTICLE.match(plain)
    return plain, opening.end() if opening else 0


def stands_in(trunk: str, text: str) -> bool:
    """At the beginning of a word."""
    at = text.find(trunk)
    while at > 0 and text[at - 1].isalnum():
        at = text.find(trunk, at + 1)
    return at >= 0
