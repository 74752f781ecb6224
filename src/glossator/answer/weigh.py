"""How much each word of a question matters: the rarer in the book, the more."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from glossator.model import Lexicon, Vector
from glossator.text.words import stemmed, stems

_GOES_ON = "##"


def weigh(pieces: Sequence[str], lexicon: Lexicon) -> Vector:
    """One weight for each word piece, together 1; a piece has the weight of its whole word."""
    owners, whole = _whole_words(pieces)
    rarities = [
        lexicon.rarity(stem) if word.isalnum() else 0.0
        for word, stem in zip(whole, stemmed(whole, lexicon.language), strict=True)
    ]
    weights = np.array([rarities[owner] for owner in owners], np.float32)
    total = float(weights.sum())
    return weights / total if total else np.full(len(weights), 1.0 / max(len(weights), 1), np.float32)


def _whole_words(pieces: Sequence[str]) -> tuple[list[int], list[str]]:
    """The words that the pieces make, and for each piece the place of its word among them."""
    owners, whole = list[int](), list[str]()
    for piece in pieces:
        if piece.startswith(_GOES_ON) and whole:
            whole[-1] += piece.removeprefix(_GOES_ON)
        else:
            whole.append(piece)
        owners.append(len(whole) - 1)
    return owners, whole


@lru_cache(maxsize=256)
def asked_for(question: str, language: str) -> tuple[str, ...]:
    """The stems of the words that carry the question, each once; all of them when none does."""
    every = dict.fromkeys(stems(question, language))
    carrying = [stem for stem in every if stem not in little_words(language)]
    return tuple(carrying or every)


@lru_cache(maxsize=4)
def little_words(language: str) -> frozenset[str]:
    """Words that a question has because it is one."""
    if language != "english":
        return frozenset()
    return frozenset(stems(_LITTLE, language))


_LITTLE = """
a an the of to in on at by for with from and or but if is are was were be been being do does did have has had
it its this that these those as what which who whom how why when where can could should would will may might
must not no than then there here you your we our i they their he she his her so such into about over
under between many much long often far explain describe define tell me give show please
"""
