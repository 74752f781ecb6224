"""Names, acronyms and identifiers: what a claim speaks of must be spoken of there."""

from __future__ import annotations

import re

from glossator.answer.verify.phrase import Phrase
from glossator.answer.verify.signs.english import FUNCTION_WORDS

_IDENTIFIER = re.compile(r"(?<![\w/])/?[A-Za-z]\w*(?:(?:::|[_./])\w+)+(?:\(\))?|(?<!\w)[a-z]+[A-Z]\w*")


def names(phrase: Phrase) -> tuple[str, ...]:
    """The stems of words that are written like names, each once."""
    found = [
        phrase.stems[place]
        for place, word in enumerate(phrase.words)
        if _is_name(phrase, place, word) and phrase.small[place] not in FUNCTION_WORDS
    ]
    return tuple(dict.fromkeys(found))


def _is_name(phrase: Phrase, place: int, word: str) -> bool:
    if any(letter.isupper() for letter in word[1:]) and any(letter.isalpha() for letter in word):
        return True
    if any(letter.isdigit() for letter in word) and any(letter.isalpha() for letter in word):
        return True
    begins = place == 0 or (phrase.pauses[place] and _ends_a_sentence(phrase, place))
    return word[0].isupper() and len(word) > 1 and not begins


def _ends_a_sentence(phrase: Phrase, place: int) -> bool:
    gap = phrase.text[phrase.spans[place - 1].end : phrase.spans[place].start]
    return any(mark in gap for mark in ".!?:\n")


def identifiers(text: str) -> tuple[str, ...]:
    """Words of code, such as `/cmd_vel`, `rclpy.spin` and `lookupTransform`."""
    return tuple(dict.fromkeys(match[0].removesuffix("()") for match in _IDENTIFIER.finditer(text)))
