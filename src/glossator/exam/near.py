"""Questions of the book's own kind about things that it does not have."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from glossator.answer.ask_itself import SelfQuestion
from glossator.exam.question import ExamQuestion, Kind
from glossator.exam.terms import unknown_terms
from glossator.model import Lexicon, Vector
from glossator.ports import Embedder


def near_misses(
    questions: Sequence[SelfQuestion], lexicon: Lexicon, embedder: Embedder, most: int
) -> list[ExamQuestion]:
    """The unknown things that are nearest in meaning to what the book defines, or is headed by."""
    asked = [question for question in questions if question.facts] or questions
    terms = unknown_terms(lexicon)
    if not asked or not terms:
        return []
    told = _vectors(embedder, [next(iter(one.facts), one.about) for one in asked])
    nearness = told @ _vectors(embedder, terms).T
    nearest = sorted(range(len(terms)), key=lambda place: -float(nearness[:, place].max()))[:most]
    return [_miss(terms[place], asked[int(nearness[:, place].argmax())]) for place in nearest]


def _vectors(embedder: Embedder, texts: Sequence[str]) -> Vector:
    return np.stack([embedding.vector for embedding in embedder.embed_passages(texts)])


def _miss(term: str, near: SelfQuestion) -> ExamQuestion:
    article = "an" if term[0].lower() in "aeiou" else "a"
    text = f"What is {article} {term}?"
    return ExamQuestion(Kind.NEAR, text, is_answerable=False, note=f"{term} for {near.about}")
