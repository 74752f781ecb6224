"""Weights of a question's words: the rarer in the book, the higher."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from glossator.model import Lexicon, Vector
from glossator.text.words import stem_words

_CONTINUATION = "##"


def weigh(pieces: Sequence[str], lexicon: Lexicon) -> Vector:
    """Weighs each word piece, with sum 1; a piece has the weight of its whole word."""
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
