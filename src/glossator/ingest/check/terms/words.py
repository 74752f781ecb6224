"""Words of English, as far as telling a term from its surroundings needs them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from glossator.ingest.check.terms.prose import Prose

WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")

_FUNCTION_WORDS = """
    a an the this that these those it its they them you your we our i he she his her my me us is are was
    were be been being am do does did done has have had can could will would shall should may might must
    not no never always only just even still already yet also too very really much more most less least
    many few all any every each both either neither some none one two three first second last next same
    other another such before after during while until when where why how what who which whose whom than
    then now here there if else unless because since so but however therefore although though at by from
    into onto out up down over under above below again against without within inside outside good bad
    better best worse worst new old right wrong left big small whole own exactly yes ok
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Words that hold a sentence together, or merely stress it: never a term, and never a part of one."""

_ENGLISH_ONLY = {"the", "of", "and", "to", "with", "for"}
_SHARE = 0.04
"""Of all words of English prose these are about a sixth; of a book full of lists, still a twentieth."""


def is_english(written: Iterable[Prose]) -> bool:
    words = Counter(word for part in written for word in WORD.findall(part.text.lower()))
    return sum(words[word] for word in _ENGLISH_ONLY) > _SHARE * sum(words.values())


def stem(word: str) -> str:
    """The same for singular and plural; good enough to recognize a word, not to show it."""
    lowered = word.lower()
    if lowered.endswith("ies") and len(lowered) > 4:
        return lowered[:-3] + "y"
    if lowered.endswith(("sses", "xes", "ches", "shes")):
        return lowered[:-2]
    is_plural = len(lowered) > 3 and lowered[-1] == "s" and lowered[-2] not in "sui"
    return lowered[:-1] if is_plural else lowered
