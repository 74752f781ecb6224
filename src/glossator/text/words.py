"""Words and their stems."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from functools import cache

import Stemmer

from glossator.model import Span

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_MINE = threading.local()


def words(text: str) -> list[str]:
    """The words as they stand, numbers among them; `snake_case` is two."""
    return _WORD.findall(text)


def word_spans(text: str) -> list[Span]:
    return [Span(*match.span()) for match in _WORD.finditer(text)]


def stems(text: str, language: str) -> list[str]:
    """One for each word of `words`, in small letters."""
    return stemmed(words(text.lower()), language)


def stemmed(some: Sequence[str], language: str) -> list[str]:
    stemmer = _stemmer(language)
    return list(some) if stemmer is None else stemmer.stemWords(list(some))


def _stemmer(language: str) -> Stemmer.Stemmer | None:
    """Of this thread: a stemmer may not be shared."""
    mine: dict[str, Stemmer.Stemmer | None] = _MINE.__dict__.setdefault("stemmers", {})
    if language not in mine:
        mine[language] = Stemmer.Stemmer(language) if language in _languages() else None
    return mine[language]


@cache
def _languages() -> frozenset[str]:
    return frozenset(Stemmer.algorithms())
