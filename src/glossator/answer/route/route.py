"""What kind of message this is, and so what is done with it."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping
from enum import StrEnum
from functools import cache
from itertools import pairwise
from math import exp
from pathlib import Path

from glossator.answer.route.broad import asks_for_abilities, broad
from glossator.answer.route.courtesy import Courtesy, courtesy, without_courtesy
from glossator.answer.route.lean import leans
from glossator.model import Question, Route
from glossator.text.words import stems, words

_MARKS = "?!.,;:\"'“”‘’()…？。！"
_NUMBER = re.compile(r"[\d.+-]+")
_WITHOUT_BLANKS = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff]")
_LONGEST_WORD_WITHOUT_BLANKS = 4
"""Characters; in scripts that put none between words, more is a sentence."""


def route(question: Question) -> Route:
    match courtesy(question.text):
        case Courtesy.GREETING:
            return Route.GREETING
        case Courtesy.THANKS:
            return Route.THANKS
        case Courtesy.NOD if question.history:
            return Route.THANKS
        case _:
            return _asking(question)


def _asking(question: Question) -> Route:
    if question.selection and question.selection.only:
        return Route.SELECTION
    asked = without_courtesy(question.text)
    if asks_for_abilities(asked):
        return Route.ABILITIES
    if broad(asked):
        return Route.OUTLINE
    # Beside a selection, `this` is the selection and nothing that was said before.
    if question.history and not question.selection and is_follow_up(asked):
        return Route.FOLLOW_UP
    return Route.BARE_WORD if _is_bare_word(asked) else Route.BOOK


def _is_bare_word(asked: str) -> bool:
    """One word, or a name with its number; a message without any word is looked up like one."""
    first, *rest = [word for part in asked.split() if (word := part.strip(_MARKS))] or [""]
    if not words(asked):
        return True
    if _WITHOUT_BLANKS.search(first) and len(first) > _LONGEST_WORD_WITHOUT_BLANKS:
        return False
    return all(_NUMBER.fullmatch(word) for word in rest)


# What kind a question is, as learned from questions of its kind: a weight for each of their words and pairs.
#
# What tells most is how many of a question's words the questions of that kind never have: `explain this` has
# none of its own, and `and how do I stop it?` few.


class LearnedKind(StrEnum):
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
    weights = _weights()[LearnedKind.FOLLOW_UP]
    if not any(stem in weights for stem in stems(question, "english")):
        return leans(question)
    return probability(question, weights) >= 0.5


def is_about_whole(question: str) -> bool:
    weights = _weights()[LearnedKind.WHOLE]
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
def _weights() -> Mapping[LearnedKind, Mapping[str, float]]:
    """Written by training/fit_route.py."""
    return {LearnedKind(kind): weights for kind, weights in json.loads(_FITTED.read_text()).items()}
