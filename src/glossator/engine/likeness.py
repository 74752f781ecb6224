"""How much questions ask the same: half by what they mean, half by the rare words that they share.

Either alone is worse: what a small model takes for the same meaning may be two subjects in one phrase, and
paraphrases may share no word.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot, log

import numpy as np

from glossator.answer.weigh import asked_for
from glossator.engine.cluster import Matrix
from glossator.model import Lexicon

_LEAST_ROOM = 0.01
"""Above what is usual, for a model to which everything is alike."""


def likeness(questions: Sequence[str], vectors: Matrix, usual: float, lexicon: Lexicon) -> Matrix:
    """A row and a column for each, from 0 to 1; `usual` is the cosine of two that have nothing in common."""
    meaning = np.clip((vectors @ vectors.T - usual) / max(1.0 - usual, _LEAST_ROOM), 0.0, 1.0)
    return ((meaning + _shared_words(questions, lexicon)) / 2).astype(np.float32)


def mean_cosine(vectors: Matrix) -> float:
    """Of any two of them; 0 where there are no two."""
    count, total = len(vectors), vectors.sum(axis=0)
    return float(total @ total - count) / (count * (count - 1)) if count > 1 else 0.0


def _shared_words(questions: Sequence[str], lexicon: Lexicon) -> Matrix:
    """The cosine of their words, each by how rare it is in the book and among the questions."""
    asked = [asked_for(question, lexicon.language) for question in questions]
    rows = dict[str, list[int]]()
    for row, stems in enumerate(asked):
        for stem in stems:
            rows.setdefault(stem, []).append(row)
    rarity = {stem: lexicon.rarity(stem) * log(1 + len(asked) / len(some)) for stem, some in rows.items()}
    lengths = np.array([hypot(*(rarity[stem] for stem in stems)) for stems in asked], np.float32)
    shared = np.zeros((len(asked), len(asked)), np.float32)
    for stem, some in rows.items():
        weights = rarity[stem] / lengths[some]
        shared[np.ix_(some, some)] += np.outer(weights, weights)
    return shared
