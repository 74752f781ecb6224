"""Whether a question is in another language than the book, by the book's own words."""

from __future__ import annotations

import re
import unicodedata

from glossator.answer.weigh import little_words
from glossator.model import Lexicon
from glossator.text.words import stemmed, words

_FEWEST_WORDS = 4
"""Of fewer, all may be names."""
_LEAST_KNOWN = 1 / 3
_URDU = re.compile("[ٹڈڑںھہےگچپکی]")
"""Letters that Arabic does not have."""


def is_foreign(question: str, lexicon: Lexicon) -> bool:
    """In letters that the book does not use, or in words of which it knows next to none."""
    said = [word for word in words(question.lower()) if word.isalpha()]
    if not said or not lexicon.counts:
        return False
    scripts = {_script(stem) for stem in lexicon.counts if stem.isalpha()}
    if sum(_script(word) not in scripts for word in said) * 2 > len(said):
        return True
    known = lexicon.counts.keys() | little_words(lexicon.language)
    count = sum(stem in known for stem in stemmed(said, lexicon.language))
    return len(said) >= _FEWEST_WORDS and count < _LEAST_KNOWN * len(said)


def is_urdu(question: str) -> bool:
    return bool(_URDU.search(question))


def _script(word: str) -> str:
    return unicodedata.name(word[0], "?").split()[0]
