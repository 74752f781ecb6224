"""What kind a question is, as learned from questions of its kind: a weight for each of their words and pairs.

What tells most is how many of a question's words the questions of that kind never have: `explain this` has
none of its own, and `and how do I stop it?` few.
"""

from __future__ import annotations

import json
from collections.abc import Container, Mapping
from enum import StrEnum
from functools import cache
from itertools import pairwise
from math import exp
from pathlib import Path

from glossator.answer.route.lean import leans
from glossator.text.words import stems


class Kind(StrEnum):
    WHOLE = "whole"
    """About all of a selection, as `explain this` is, and not about something in it."""
    FOLLOW_UP = "follow_up"
    """Not to be understood without what was asked before it."""


CONSTANT, OTHER, LEANS = "<constant>", "<other>", "<leans>"
_MOST_OTHERS = 8
_WITH_OTHER_WORDS = 0.85
"""A word that no such question had may name something in the selection: `what is a brake?`."""
_FITTED = Path(__file__).with_name("learned.json")


def is_follow_up(question: str) -> bool:
    """Of a question without any word that is known, which is none in English, grammar alone is asked."""
    weights = _weights()[Kind.FOLLOW_UP]
    if not any(stem in weights for stem in stems(question, "english")):
        return leans(question)
    return probability(question, weights) >= 0.5


def is_about_whole(question: str) -> bool:
    weights = _weights()[Kind.WHOLE]
    has_other_words = features(question, weights)[OTHER] > 0
    return probability(question, weights) >= (_WITH_OTHER_WORDS if has_other_words else 0.5)


def probability(question: str, weights: Mapping[str, float]) -> float:
    raised = sum(weights[name] * value for name, value in features(question, weights).items())
    return 1.0 / (1.0 + exp(-max(min(raised, 30.0), -30.0)))


def features(question: str, known: Container[str]) -> dict[str, float]:
    """Its words and pairs of words that are known, how many are not, and the signs of grammar."""
    said = stems(question, "english")
    pairs = [" ".join(pair) for pair in pairwise(["<begin>", *said, "<end>"])]
    others = sum(word not in known for word in said)
    return {
        CONSTANT: 1.0,
        OTHER: float(min(others, _MOST_OTHERS)),
        LEANS: float(leans(question)),
        **{name: 1.0 for name in (*said, *pairs) if name in known},
    }


@cache
def _weights() -> Mapping[Kind, Mapping[str, float]]:
    """Written by training/fit_route.py."""
    return {Kind(kind): weights for kind, weights in json.loads(_FITTED.read_text()).items()}
