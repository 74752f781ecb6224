"""What became of a question, as coarse as a chart can show it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum

from glossator.model import Outcome


class Kind(StrEnum):
    """Also the class that it is drawn with."""

    ANSWERED = "answered"
    CAUTION = "caution"
    REFUSED = "refused"
    ASIDE = "aside"


NAMES = {
    Kind.ANSWERED: "answered",
    Kind.CAUTION: "with caution",
    Kind.REFUSED: "not in the book",
    Kind.ASIDE: "other",
}
WORDS = {
    Outcome.ANSWERED: "answered",
    Outcome.ANSWERED_WITH_CAUTION: "answered with caution",
    Outcome.NOT_IN_BOOK: "not in the book",
    Outcome.NOT_IN_SELECTION: "not in the selection",
    Outcome.SMALL_TALK: "small talk",
    Outcome.NEEDS_MORE_WORDS: "needs more words",
}
_KINDS = {
    Outcome.ANSWERED: Kind.ANSWERED,
    Outcome.ANSWERED_WITH_CAUTION: Kind.CAUTION,
    Outcome.NOT_IN_BOOK: Kind.REFUSED,
    Outcome.NOT_IN_SELECTION: Kind.REFUSED,
    Outcome.SMALL_TALK: Kind.ASIDE,
    Outcome.NEEDS_MORE_WORDS: Kind.ASIDE,
}


def kind_of(outcome: Outcome) -> Kind:
    return _KINDS[outcome]


def by_kind(outcomes: Mapping[Outcome, int]) -> Counter[Kind]:
    counts = Counter[Kind]()
    for outcome, count in outcomes.items():
        counts[kind_of(outcome)] += count
    return counts
