"""Everything that speaks for or against a claim, as numbers between 0 and about 1."""

from __future__ import annotations

import numpy as np

from glossator.answer.verify.compare import Match, Opposite
from glossator.answer.verify.phrase import Phrase
from glossator.answer.verify.signs.count import counted
from glossator.answer.verify.signs.denial import denials, unmatched
from glossator.answer.verify.signs.direction import turned
from glossator.answer.verify.signs.english import FUNCTION_WORDS
from glossator.answer.verify.signs.names import identifiers, names
from glossator.answer.verify.signs.numbers import Number, is_among, is_disputed, numbers, other_units
from glossator.answer.verify.signs.order import is_swapped
from glossator.answer.verify.signs.quantity import is_overstated
from glossator.answer.verify.signs.substitution import substitutions

_WEAK = 0.5
"""A word that is accounted for less than this is missing."""
_LONG = 6
"""Missing words in a row, beyond which more say no more."""

FOR = ("stems", "covered", "covered_anywhere", "known", "likeness")
"""What speaks for a claim; the length speaks neither way, and everything else against it."""


def features(match: Match) -> dict[str, float]:
    """In the same order always."""
    claim, window = match.claim.phrase, match.here
    near = _near(match)
    return {
        **_shared(match),
        **_names(match, near),
        **_numbers(match, near),
        **_denials(claim, window.phrase),
        **_opposites(claim, window),
        **_directions(claim, match.around),
        "substituted": counted(substitutions(claim, window.phrase)),
        "swapped": float(is_swapped(claim, window.phrase)),
        "overstated": float(is_overstated(claim, window.phrase)),
    }


def _near(match: Match) -> Phrase:
    """What tells a reader of the window what it speaks of."""
    sheet = match.ledger.sheets[match.sentences[0].sheet]
    before = match.ledger.before(match.window.start)
    return Phrase(
        "\n".join([sheet.headings.text, *(one.phrase.text for one in before)]), match.ledger.language
    )


def _shared(match: Match) -> dict[str, float]:
    """How much of the claim, by weight, the evidence has."""
    weights = match.claim.weights / match.claim.weights.sum()
    return {
        "stems": float(weights @ match.has_stem),
        "covered": float(weights @ match.covered),
        "covered_anywhere": float(weights @ match.covered_anywhere),
        "known": float(weights @ match.known),
        # The two weightiest words that are not accounted for.
        "uncovered": float(np.sort(match.claim.weights * (1 - match.covered))[-2:].sum()) / 2,
        "gap": _longest_gap(match),
        "likeness": float(weights @ match.here.table.max(axis=1, initial=0.0)),
        "length": float(np.log(len(match.claim.phrase))) / 4,
    }


def _longest_gap(match: Match) -> float:
    """The missing words in a row; little words between them do not matter."""
    longest = run = 0
    for word, covered in zip(match.claim.phrase.small, match.covered_here, strict=True):
        if word in FUNCTION_WORDS:
            continue
        run = run + 1 if covered < _WEAK else 0
        longest = max(longest, run)
    return min(longest, _LONG) / _LONG


def _names(match: Match, near: Phrase) -> dict[str, float]:
    window, around, everywhere = set(match.here.phrase.stems), set(near.stems), match.ledger.stems
    strange = [name for name in names(match.claim.phrase) if name not in window]
    codes = [
        one
        for one in identifiers(match.claim.phrase.text)
        if one.lower() not in match.ledger.everything_small
    ]
    return {
        "name_absent": counted(len(codes) + sum(name not in everywhere for name in strange)),
        "name_far": counted(sum(name in everywhere and name not in around for name in strange)),
    }


def _numbers(match: Match, near: Phrase) -> dict[str, float]:
    claim, window = match.claim.phrase, match.here.phrase
    there = numbers(window)
    said = [number for number in numbers(claim) if not _is_part_of_a_name(number, match)]
    meant = [number for number in said if not number.is_loose]
    absent = [number for number in meant if not is_among(number, match.ledger.numbers)]
    strange = [number for number in meant if not is_among(number, [*there, *numbers(near)])]
    unsaid = [number for number in there if not is_among(number, said)]
    return {
        "number_absent": counted(len(absent)),
        # Not in the window, which has others that the claim leaves out.
        "number_replaced": counted(min(len(strange), len(unsaid))),
        "number_disputed": counted(
            sum(is_disputed(number, there) for number in said) + other_units(claim, window)
        ),
    }


def _is_part_of_a_name(number: Number, match: Match) -> bool:
    return bool(number.named) and number.named in match.ledger.everything_small


def _denials(claim: Phrase, window: Phrase) -> dict[str, float]:
    return {
        # The claim denies something, and the window nothing.
        "denial_lost": float(bool(denials(claim)) and not denials(window)),
        # One of the two denies what the other says.
        "denied_here": counted(unmatched(claim, window)),
        "denied_there": counted(unmatched(window, claim)),
    }


def _opposites(claim: Phrase, window: Opposite) -> dict[str, float]:
    ways = turned(claim, window.phrase, window.table)
    return {"opposed": counted(ways.opposed), "opposed_beside": counted(ways.beside)}


def _directions(claim: Phrase, around: Opposite) -> dict[str, float]:
    """Which way a thing goes is often said by another sentence than the one with most words in common."""
    ways = turned(claim, around.phrase, around.table)
    return {
        "opposed_around": counted(ways.opposed),
        "opposed_beside_around": counted(ways.beside),
        "turned_up": counted(ways.up),
        "turned_down": counted(ways.down),
        "against": ways.against,
    }
