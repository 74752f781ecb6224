"""What kind of message this is, and so what is done with it."""

from __future__ import annotations

import re

from glossator.answer.route.broad import asks_for_abilities, broad
from glossator.answer.route.courtesy import Courtesy, courtesy, without_courtesy
from glossator.answer.route.learned import is_follow_up
from glossator.model import Question, Route
from glossator.text.words import words

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
