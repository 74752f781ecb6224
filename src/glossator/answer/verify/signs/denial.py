"""What a sentence says is not so."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.answer.verify.phrase import Phrase
from glossator.answer.verify.signs.english import (
    ARTICLES,
    CONTRASTS,
    FUNCTION_WORDS,
    NEGATIONS,
    NOT_NEGATIONS,
    SHORT_NEGATIONS,
)
from glossator.answer.verify.signs.opposites import is_opposite

_FAR, _NEAR = 6, 5
"""How many words a "not" is good for, and a "without"."""


@dataclass(frozen=True, slots=True)
class Denial:
    place: int
    reach: range
    """The words that it denies."""


def denials(phrase: Phrase) -> tuple[Denial, ...]:
    return tuple(
        Denial(place, _reach(phrase, place)) for place in range(len(phrase)) if _denies(phrase, place)
    )


def _denies(phrase: Phrase, place: int) -> bool:
    word = phrase.small[place]
    following = phrase.small[place + 1] if place + 1 < len(phrase) else ""
    if word in ("instead", "rather"):
        return following in ("of", "than")
    if word in ("fail", "fails", "failed"):
        return following == "to"
    return (word in NEGATIONS or word.endswith("n't")) and following not in NOT_NEGATIONS


def _reach(phrase: Phrase, start: int) -> range:
    is_short = phrase.small[start] in SHORT_NEGATIONS
    last = min(len(phrase), start + 1 + (_NEAR if is_short else _FAR))
    stops = (place for place in range(start + 1, last) if _stops(phrase, start, place, is_short))
    return range(start + 1, next(stops, last))


def _stops(phrase: Phrase, start: int, place: int, is_short: bool) -> bool:
    if phrase.pauses[place] or phrase.small[place] in CONTRASTS or _denies(phrase, place):
        return True
    # "Without a goal the server waits": another thing begins where an article follows a word of its own.
    before = phrase.small[place - 1]
    return is_short and place > start + 1 and phrase.small[place] in ARTICLES and before not in FUNCTION_WORDS


def denied(phrase: Phrase) -> tuple[bool, ...]:
    """For each word, whether it is said not to be so."""
    places = {place for denial in denials(phrase) for place in denial.reach}
    return tuple(place in places for place in range(len(phrase)))


def unmatched(one: Phrase, other: Phrase) -> int:
    """How often the one denies what the other says."""
    here, there = denied(one), denied(other)
    return sum(_is_unmatched(one, here, denial, other, there) for denial in denials(one))


def _is_unmatched(
    one: Phrase, here: tuple[bool, ...], denial: Denial, other: Phrase, there: tuple[bool, ...]
) -> bool:
    said = [place for place in denial.reach if here[place] and one.small[place] not in FUNCTION_WORDS]
    clashes = [_clashes(one, here, place, other, there) for place in said]
    return True in clashes and False not in clashes


def _clashes(
    one: Phrase, here: tuple[bool, ...], place: int, other: Phrase, there: tuple[bool, ...]
) -> bool | None:
    """None where the other does not speak of it, or the one says both."""
    stem = one.stems[place]
    if any(its == stem and not turned for its, turned in zip(one.stems, here, strict=True)):
        return None
    same = [there[far] for far, its in enumerate(other.stems) if its == stem]
    if same:
        return not any(same)
    turned = [there[far] for far, its in enumerate(other.stems) if is_opposite(stem, its, one.language)]
    return all(turned) if turned else None
