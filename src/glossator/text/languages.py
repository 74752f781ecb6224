"""The languages whose words can be stemmed, their codes, and which of them a text is written in."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache

import Stemmer
from stop_words import (  # pyright: ignore[reportMissingTypeStubs]
    AVAILABLE_LANGUAGES,
    get_stop_words,
)

from glossator.text.english import STOP_WORDS

ENGLISH = "english"
NO_LANGUAGE = "none"
"""Words are compared as they are written: no stemming, no stop words."""

_CODES = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": ENGLISH,
    "eo": "esperanto",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "nb": "norwegian",
    "ne": "nepali",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "st": "sesotho",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
"""The languages by the first part of an HTML `lang` attribute."""

_FEWEST_WORDS = 40
"""The language of a shorter text is not detected, because a few names would decide it."""
_LEAST_SHARE = 0.15
"""The least share of stop words of its language; prose has 0.3 and more, a book full of lists 0.19."""
_LEAST_LEAD = 1.1
"""The least lead over the next language, by weight; Danish and Norwegian are the nearest to each other."""


@cache
def languages() -> frozenset[str]:
    """Names of the languages that can be stemmed."""
    return frozenset(Stemmer.algorithms()) & frozenset(_CODES.values())


def language_named(name: str) -> str | None:
    """The language of a name or a code such as `de` or `de-AT`; None if there is no stemmer for it."""
    lowered = name.strip().lower().replace("_", "-")
    if lowered in languages() or lowered == NO_LANGUAGE:
        return lowered
    return _CODES.get(lowered.partition("-")[0])


def detect_language(words: Iterable[str]) -> str | None:
    """The language that most words in lower case are common in; None if that is not clear."""
    counts = Counter(words)
    total = counts.total()
    if total < _FEWEST_WORDS:
        return None
    weights, known = defaultdict[str, float](float), Counter[str]()
    for word, count in counts.items():
        listed = _languages_by_word().get(word, ())
        for language in listed:
            known[language] += count
            # `de` is common in four languages and tells little.
            weights[language] += count / len(listed)
    best, second = [*sorted(weights, key=lambda language: -weights[language]), "", ""][:2]
    is_clear = known[best] >= _LEAST_SHARE * total and weights[best] >= _LEAST_LEAD * weights[second]
    return best if is_clear else None


@cache
def stop_word_list(language: str) -> frozenset[str]:
    """The stop words in lower case; empty where no list is known."""
    if language == ENGLISH:
        return STOP_WORDS
    listed = get_stop_words(language) if language in AVAILABLE_LANGUAGES else []
    return frozenset(word.lower() for word in listed)


@cache
def _languages_by_word() -> dict[str, list[str]]:
    by_word = dict[str, list[str]]()
    for language in sorted(languages()):
        for word in stop_word_list(language):
            by_word.setdefault(word, []).append(language)
    return by_word


# Questions: too short for their share of stop words to tell.

_URDU_LETTERS = re.compile("[ٹڈڑںھہےگچپکی]")
"""Letters that Arabic does not have."""

_BY_STOP_WORDS = {ENGLISH: "en", "spanish": "es", "french": "fr", "german": "de"}
_LEAST_OF_SCRIPT = 1 / 3
"""The least share of a question's words in one script; technical terms are often left in Latin letters."""
_LEAST_LEAD_OVER_ENGLISH = 2
"""How many more stop words than of English a question must have: `on` and `die` are words of English too."""
_APOSTROPHE = re.compile("['’]")


def question_language(words: Sequence[str]) -> str | None:
    """The code of the language of a question's words in lower case; None if they do not tell.

    Other scripts tell by their letters; Latin letters by stop words, of which one alone may be a name.
    """
    scripts = Counter(script for word in words if (script := _code_of_script(word)))
    if scripts.total() >= _LEAST_OF_SCRIPT * len(words) and scripts:
        return scripts.most_common(1)[0][0]
    parts = {part for word in words for part in _APOSTROPHE.split(word) if len(part) > 1}
    known = {code: len(parts & stop_word_list(language)) for language, code in _BY_STOP_WORDS.items()}
    best, second = sorted(known, key=lambda code: -known[code])[:2]
    if known[best] == known["en"]:
        return "en" if known["en"] else None
    is_clear = known[best] >= known["en"] + _LEAST_LEAD_OVER_ENGLISH and known[best] > known[second]
    return best if is_clear else None


def _code_of_script(word: str) -> str | None:
    script = unicodedata.name(word[0], "?").split()[0]
    match script:
        case "ARABIC":
            return "ur" if _URDU_LETTERS.search(word) else "ar"
        case "DEVANAGARI":
            return "hi"
        case "CJK":
            is_japanese = any("HIRAGANA" in unicodedata.name(letter, "") for letter in word)
            return None if is_japanese else "zh"
        case _:
            return None
