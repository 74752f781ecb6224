"""Words and their stems."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from functools import cache

import Stemmer

from glossator.model import Span

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
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


def _stemmer(language: str) -> Stemmer.Stemmer | None:
    """The stemmer of this thread, because a stemmer is not thread-safe."""
    stemmers: dict[str, Stemmer.Stemmer | None] = _LOCAL.__dict__.setdefault("stemmers", {})
    if language not in stemmers:
        stemmers[language] = Stemmer.Stemmer(language) if language in _languages() else None
    return stemmers[language]


@cache
def _languages() -> frozenset[str]:
    return frozenset(Stemmer.algorithms())
