"""Which way things go: more here and less there, before here and after there."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.answer.verify.alike import Floats
from glossator.answer.verify.phrase import Phrase
from glossator.answer.verify.signs.denial import denials, denied
from glossator.answer.verify.signs.english import FUNCTION_WORDS, NUMBER_WORDS
from glossator.answer.verify.signs.opposites import has_direction, is_opposite, way
from glossator.answer.verify.signs.order import has_changed_sides

_BESIDE = 3
"""Words between one that says which way, and what goes that way."""
_UNLIKE = 0.2


@dataclass(frozen=True, slots=True)
class Turned:
    opposed: int
    """Words whose opposite stands in the window, while they themselves do not."""
    beside: int
    """Words whose neighbour has their opposite beside it in the window."""
    up: int
    down: int
    """Words of more and of less that have only words of the other kind to rest on."""
    against: float
    """How much more the likest word of the other kind is like one of them than the likest of its own."""


@dataclass(frozen=True)
class _Side:
    phrase: Phrase
    denied: tuple[bool, ...]
    ways: tuple[int, ...]

    @classmethod
    def of(cls, phrase: Phrase) -> _Side:
        turned = denied(phrase)
        skipped = {denial.place for denial in denials(phrase)}
        own = [
            0 if place in skipped else way(stem, phrase.language) for place, stem in enumerate(phrase.stems)
        ]
        return cls(phrase, turned, tuple(-one if turned[place] else one for place, one in enumerate(own)))


def turned(claim: Phrase, other: Phrase, table: Floats) -> Turned:
    here, there = _Side.of(claim), _Side.of(other)
    pointing = [place for place, stem in enumerate(claim.stems) if has_direction(stem, claim.language)]
    strange = [place for place in pointing if claim.stems[place] not in other.stems]
    margins = {place: _margin(here, place, there, table) for place in pointing if here.ways[place]}
    lost = [place for place in strange if margins.get(place, 0.0) > 0]
    return Turned(
        opposed=sum(_is_opposed(here, place, there) for place in strange if not _compares(claim, place)),
        beside=sum(_is_turned_beside(here, place, there) for place in pointing),
        up=sum(here.ways[place] > 0 for place in lost),
        down=sum(here.ways[place] < 0 for place in lost),
        against=max(margins.values(), default=0.0),
    )


def _compares(claim: Phrase, place: int) -> bool:
    """Whether the claim names both of two opposites."""
    return any(is_opposite(claim.stems[place], other, claim.language) for other in claim.stems)


def _is_opposed(here: _Side, place: int, there: _Side) -> bool:
    relations = [_relation(here, place, there, far) for far in range(len(there.phrase))]
    return -1 in relations and 1 not in relations


def _relation(here: _Side, place: int, there: _Side, far: int) -> int:
    """1 where the two words say the same, -1 where they say the opposite, 0 where neither can be told."""
    stem, its = here.phrase.stems[place], there.phrase.stems[far]
    if stem == its:
        return 1
    if not is_opposite(stem, its, here.phrase.language):
        return 0
    # A before B is B after A, and what is not stable is unstable.
    turns = has_changed_sides(here.phrase, place, there.phrase, far)
    return 1 if turns != (here.denied[place] != there.denied[far]) else -1


def _is_turned_beside(here: _Side, place: int, there: _Side) -> bool:
    relations = [
        _relation(here, place, there, far)
        for step in (1, -1)
        for neighbour in [_neighbour(here.phrase, place, step)]
        if neighbour is not None
        for found, stem in enumerate(there.phrase.stems)
        if stem == here.phrase.stems[neighbour]
        for far in _within(there.phrase, found, -step)
    ]
    return -1 in relations and 1 not in relations


def _neighbour(phrase: Phrase, place: int, step: int) -> int | None:
    """The next word that means something, on one side."""
    for other in _within(phrase, place, step):
        if phrase.small[other] not in FUNCTION_WORDS and phrase.small[other] not in NUMBER_WORDS:
            return other
    return None


def _within(phrase: Phrase, place: int, step: int) -> range:
    """The places beside one, nearest first."""
    end = max(-1, place - _BESIDE - 1) if step < 0 else min(len(phrase), place + _BESIDE + 1)
    return range(place + step, end, step)


def _margin(here: _Side, place: int, there: _Side, table: Floats) -> float:
    likest = {1: _UNLIKE, -1: _UNLIKE, 0: 0.0}
    for far, its in enumerate(there.ways):
        likest[its] = max(likest[its], float(table[place, far]))
    return likest[-here.ways[place]] - likest[here.ways[place]]
