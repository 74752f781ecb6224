"""Questions of the book's own kind about things that it does not have."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from glossator.answer.ask_itself import SelfQuestion
from glossator.exam.question import ExamQuestion, Kind
from glossator.exam.terms import unknown_terms
from glossator.model import Lexicon, Vector
from glossator.ports import Embedder

_WHAT_IS = re.compile(r"What (?:is|are) (?:(?:an?|the) )?(?P<thing>.+)\?")
_NEAREST = 60
"""Of the things: those that are nearest to the book as a whole."""


def near_misses(
    questions: Sequence[SelfQuestion], lexicon: Lexicon, embedder: Embedder, most: int
) -> list[ExamQuestion]:
    """The unknown things that are nearest in meaning to the book's own, no thing twice."""
    asked = [(found["thing"], one) for one in questions if (found := _WHAT_IS.fullmatch(one.text))]
    terms = unknown_terms(lexicon)
    if not asked or not terms:
        return []
    things = _vectors(embedder, [next(iter(one.facts), thing) for thing, one in asked])
    others = _vectors(embedder, terms)
    far = np.argsort(others @ things.mean(axis=0))[:-_NEAREST]
    nearness = things @ others.T
    nearness[:, far] = -np.inf
    misses = list[ExamQuestion]()
    for _ in range(min(most, len(asked), len(terms) - len(far))):
        place, best = map(int, np.unravel_index(nearness.argmax(), nearness.shape))
        nearness[place, :] = nearness[:, best] = -np.inf
        misses.append(_miss(terms[best], asked[place][0]))
    return misses


def _vectors(embedder: Embedder, texts: Sequence[str]) -> Vector:
    return np.stack([embedding.vector for embedding in embedder.embed_passages(texts)])


def _miss(term: str, thing: str) -> ExamQuestion:
    article = "an" if term[0].lower() in "aeiou" else "a"
    return ExamQuestion(
        Kind.NEAR, f"What is {article} {term}?", is_answerable=False, note=f"{term} for {thing}"
    )
