"""Words, their stems, and which of them carry the subject."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from functools import cache, lru_cache

import Stemmer

from glossator.model import Span
from glossator.text.languages import stop_word_list

_MARKS = "\u064b-\u065f\u0670\u0900-\u0963\u0971-\u0dff"
"""Vowel signs of Arabic and the scripts of India, which Python does not count as letters."""
_WORD = re.compile(rf"[^\W_]+(?:[{_MARKS}]++[^\W_]*+)*+(?:['’][^\W_]+)*")
_LOCAL = threading.local()


def words(text: str) -> list[str]:
    """The words of a text, numbers included; `snake_case` is two words."""
    return _WORD.findall(text)


def word_spans(text: str) -> list[Span]:
    return [Span(*match.span()) for match in _WORD.finditer(text)]


def stems(text: str, language: str) -> list[str]:
    """The stem of each word of `words`, in lower case."""
    return stem_words(words(text.lower()), language)


def stem_words(lowered: Sequence[str], language: str) -> list[str]:
    stemmer = _stemmer(language)
    return list(lowered) if stemmer is None else stemmer.stemWords(list(lowered))


@lru_cache(maxsize=256)
def content_stems(text: str, language: str) -> tuple[str, ...]:
    """The distinct stems of the text without stop words; all stems if nothing else is left."""
    all_stems = dict.fromkeys(stems(text, language))
    content = [stem for stem in all_stems if stem not in stop_words(language)]
    return tuple(content or all_stems)


@cache
def stop_words(language: str) -> frozenset[str]:
    """Stems of the stop words; empty for a language without a list."""
    return frozenset(stem_words(sorted(stop_word_list(language)), language))


def _stemmer(language: str) -> Stemmer.Stemmer | None:
    """The stemmer of this thread, because a stemmer is not thread-safe."""
    stemmers: dict[str, Stemmer.Stemmer | None] = _LOCAL.__dict__.setdefault("stemmers", {})
    if language not in stemmers:
        stemmers[language] = Stemmer.Stemmer(language) if language in _languages() else None
    return stemmers[language]


@cache
def _languages() -> frozenset[str]:
    return frozenset(Stemmer.algorithms())
