"""The languages whose words can be stemmed, their codes, and which of them a text is written in."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
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
"""By the first part of an HTML `lang` attribute."""

_FEWEST_WORDS = 40
"""In a shorter text, a few names decide."""
_LEAST_SHARE = 0.15
"""Of a text's words, stop words of its language; prose has 0.3 and more, a book full of lists 0.19."""
_LEAST_LEAD = 1.1
"""Over the next language, by weight; Danish and Norwegian are the nearest to each other."""


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
    """In lower case; empty where no list is known."""
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
