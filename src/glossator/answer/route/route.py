"""Chooses the route of a message: by rules, and by two classifiers that were fitted to questions."""

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
from glossator.answer.route.lean import needs_context
from glossator.model import Question, Route
from glossator.text.words import stems, words

_MARKS = "?!.,;:\"'“”‘’()…？。！"
_NUMBER = re.compile(r"[\d.+-]+")
_WITHOUT_BLANKS = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff]")
_LONGEST_WORD_WITHOUT_BLANKS = 4
"""Characters: in scripts without blanks between words, a longer text is a sentence."""


def choose_route(question: Question) -> Route:
    match courtesy(question.text):
        case Courtesy.GREETING:
            return Route.GREETING
        case Courtesy.THANKS:
            return Route.THANKS
        case Courtesy.NOD if question.history:
            return Route.THANKS
        case _:
            return _question_route(question)


def _question_route(question: Question) -> Route:
    if question.selection and question.selection.only:
        return Route.SELECTION
    text = without_courtesy(question.text)
    if asks_for_abilities(text):
        return Route.ABILITIES
    if broad(text):
        return Route.OUTLINE
    # With a selection, `this` means the selection, not something said before.
    if question.history and not question.selection and is_follow_up(text):
        return Route.FOLLOW_UP
    return Route.BARE_WORD if _is_bare_word(text) else Route.BOOK


def _is_bare_word(text: str) -> bool:
    """Whether it is one word, or a name with its number; also a message without any word."""
    first, *rest = [word for part in text.split() if (word := part.strip(_MARKS))] or [""]
    if not words(text):
        return True
    if _WITHOUT_BLANKS.search(first) and len(first) > _LONGEST_WORD_WITHOUT_BLANKS:
        return False
    return all(_NUMBER.fullmatch(word) for word in rest)


# Linear classifiers with a weight for each known word and pair of words. The strongest feature is how many
# words of a question the training questions of that kind never have: `explain this` has none.


class LearnedKind(StrEnum):
    WHOLE = "whole"
    """A question about a whole selection, such as `explain this`, and not about something in it."""
    FOLLOW_UP = "follow_up"
    """A question that cannot be understood without the question before it."""


CONSTANT, OTHER, LEANS = "<constant>", "<other>", "<leans>"
_MOST_UNKNOWN = 8
_LEAST_WITH_UNKNOWN_WORDS = 0.85
"""Stricter, because an unknown word may name something in the selection: `what is a brake?`."""
_FITTED = Path(__file__).with_name("learned.json")


def is_follow_up(question: str) -> bool:
    """A question without any known word is not English: then only the grammar decides."""
    weights = _weights()[LearnedKind.FOLLOW_UP]
    if not any(stem in weights for stem in stems(question, "english")):
        return needs_context(question)
    return probability(question, weights) >= 0.5


def is_about_whole(question: str) -> bool:
    weights = _weights()[LearnedKind.WHOLE]
    has_unknown_words = features(question, weights)[OTHER] > 0
    return probability(question, weights) >= (_LEAST_WITH_UNKNOWN_WORDS if has_unknown_words else 0.5)


def probability(question: str, weights: Mapping[str, float]) -> float:
    logit = sum(weights[name] * value for name, value in features(question, weights).items())
    return 1.0 / (1.0 + exp(-max(min(logit, 30.0), -30.0)))


def features(question: str, known: Container[str]) -> dict[str, float]:
    """Known words and pairs, the number of unknown words, and whether the grammar needs context."""
    question_stems = stems(question, "english")
    pairs = [" ".join(pair) for pair in pairwise(["<begin>", *question_stems, "<end>"])]
    unknown = sum(word not in known for word in question_stems)
    return {
        CONSTANT: 1.0,
        OTHER: float(min(unknown, _MOST_UNKNOWN)),
        LEANS: float(needs_context(question)),
        **{name: 1.0 for name in (*question_stems, *pairs) if name in known},
    }


@cache
def _weights() -> Mapping[LearnedKind, Mapping[str, float]]:
    """Reads the file that training/fit_route.py writes."""
    return {LearnedKind(kind): weights for kind, weights in json.loads(_FITTED.read_text()).items()}
