"""Weights of a question's words: the rarer in the book, the higher."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from glossator.model import Lexicon, Vector
from glossator.text.words import stem_words, stems

_CONTINUATION = "##"


def weigh(pieces: Sequence[str], lexicon: Lexicon) -> Vector:
    """One weight for each word piece, with sum 1; a piece has the weight of its whole word."""
    owners, whole_words = _whole_words(pieces)
    rarities = [
        lexicon.rarity(stem) if word.isalnum() else 0.0
        for word, stem in zip(whole_words, stem_words(whole_words, lexicon.language), strict=True)
    ]
    weights = np.array([rarities[owner] for owner in owners], np.float32)
    total = float(weights.sum())
    return weights / total if total else np.full(len(weights), 1.0 / max(len(weights), 1), np.float32)


def _whole_words(pieces: Sequence[str]) -> tuple[list[int], list[str]]:
    """For each piece the index of its word, and the words."""
    owners, whole_words = list[int](), list[str]()
    for piece in pieces:
        if piece.startswith(_CONTINUATION) and whole_words:
            whole_words[-1] += piece.removeprefix(_CONTINUATION)
        else:
            whole_words.append(piece)
        owners.append(len(whole_words) - 1)
    return owners, whole_words


@lru_cache(maxsize=256)
def content_stems(question: str, language: str) -> tuple[str, ...]:
    """The distinct stems of the question without stop words; all stems if nothing else is left."""
    all_stems = dict.fromkeys(stems(question, language))
    content = [stem for stem in all_stems if stem not in stop_words(language)]
    return tuple(content or all_stems)


@lru_cache(maxsize=4)
def stop_words(language: str) -> frozenset[str]:
    """Stems of words that say nothing about a question's subject; only English is known."""
    if language != "english":
        return frozenset()
    return frozenset(stems(_STOP_WORDS, language))


_STOP_WORDS = """
a an the of to in on at by for with from and or but if is are was were be been being do does did have has had
it its this that these those as what which who whom how why when where can could should would will may might
must not no than then there here you your we our i they their he she his her so such into about over
under between many much long often far explain describe define tell me give show please
"""
