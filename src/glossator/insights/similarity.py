"""The similarity of questions, and clusters of similar ones.

Similarity is half embedding cosine, half shared rare words. Either alone is worse: a small model confuses two
subjects in the same phrase, and paraphrases may share no word.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from math import hypot, log
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from glossator.answer.book import ServedBook
from glossator.model import Lexicon, Vector
from glossator.question_generation import foreign_questions
from glossator.text.words import content_stems

Matrix = NDArray[np.float32]
Value = TypeVar("Value")

_LEAST_RANGE = 0.01
"""The least range of cosines that is divided by: a model to which all questions are alike would give zero."""


def question_similarity(
    questions: Sequence[str], vectors: Matrix, unrelated_cosine: float, lexicon: Lexicon
) -> Matrix:
    """A matrix from 0 to 1; `unrelated_cosine` is the mean cosine of questions with nothing in common."""
    span = max(1.0 - unrelated_cosine, _LEAST_RANGE)
    meaning = np.clip((vectors @ vectors.T - unrelated_cosine) / span, 0.0, 1.0)
    return ((meaning + _shared_words(questions, lexicon)) / 2).astype(np.float32)


def mean_cosine(vectors: Matrix) -> float:
    """The mean cosine of all pairs; 0 for fewer than two vectors."""
    count, total = len(vectors), vectors.sum(axis=0)
    return float(total @ total - count) / (count * (count - 1)) if count > 1 else 0.0


def _shared_words(questions: Sequence[str], lexicon: Lexicon) -> Matrix:
    """The cosine of their words, weighted by rarity in the book and among the questions."""
    stems_of = [content_stems(question, lexicon.language) for question in questions]
    rows = dict[str, list[int]]()
    for row, stems in enumerate(stems_of):
        for stem in stems:
            rows.setdefault(stem, []).append(row)
    rarity = {
        stem: lexicon.rarity(stem) * log(1 + len(stems_of) / len(sharing)) for stem, sharing in rows.items()
    }
    lengths = np.array([hypot(*(rarity[stem] for stem in stems)) for stems in stems_of], np.float32)
    shared = np.zeros((len(stems_of), len(stems_of)), np.float32)
    for stem, sharing in rows.items():
        weights = rarity[stem] / lengths[sharing]
        shared[np.ix_(sharing, sharing)] += np.outer(weights, weights)
    return shared


def cluster(similarity: Matrix, least: float) -> list[list[int]]:
    """Groups of rows by average linkage: two groups merge while their mean similarity is at least `least`.

    Merges any two groups that are each other's nearest. The result is the same as merging the two
    nearest of all each time, in quadratic instead of cubic time. The group with the first row comes first.
    """
    groups = _Groups(similarity)
    while groups.open:
        group, nearest = groups.neighbours()
        if groups.similarity[group, nearest] < least:
            # Merging other groups never brings one nearer, so none will be near enough.
            groups.close(group)
        else:
            groups.merge(group, nearest)
    return sorted(groups.closed)


class _Groups:
    def __init__(self, similarity: Matrix) -> None:
        self.similarity = similarity.copy()
        np.fill_diagonal(self.similarity, -np.inf)
        self.open = {row: [row] for row in range(len(similarity))}
        """The rows of each group that may still grow, by the row that represents it."""
        self.closed = list[list[int]]()

    def neighbours(self) -> tuple[int, int]:
        """Two groups that are each other's nearest."""
        group = next(iter(self.open))
        nearest = self._nearest(group)
        while self.similarity[nearest, further := self._nearest(nearest)] > self.similarity[nearest, group]:
            group, nearest = nearest, further
        return group, nearest

    def merge(self, group: int, nearest: int) -> None:
        size, nearest_size = len(self.open[group]), len(self.open[nearest])
        row = (size * self.similarity[group] + nearest_size * self.similarity[nearest]) / (
            size + nearest_size
        )
        row[group] = -np.inf
        self.similarity[group] = self.similarity[:, group] = row
        self.open[group] += self.open[nearest]
        self._remove(nearest)

    def close(self, group: int) -> None:
        self.closed.append(sorted(self.open[group]))
        self._remove(group)

    def _nearest(self, group: int) -> int:
        return int(self.similarity[group].argmax())

    def _remove(self, group: int) -> None:
        del self.open[group]
        self.similarity[group] = self.similarity[:, group] = -np.inf


_CACHE_SIZE = 4_000
_BATCH_SIZE = 64
"""Readers' questions run between two batches, and each batch has the time limit of one search."""


@dataclass(slots=True)
class QuestionEmbeddings:
    """Embeds each question once."""

    book: ServedBook
    _cache: RecentCache[Vector] = field(default_factory=lambda: RecentCache[Vector](_CACHE_SIZE))
    _unrelated_cosine: float | None = None

    async def of(self, questions: Sequence[str]) -> Matrix:
        """Returns one row per question."""
        known = {question: self._cache[question] for question in questions if question in self._cache}
        new = [question for question in dict.fromkeys(questions) if question not in known]
        for start in range(0, len(new), _BATCH_SIZE):
            known |= await self._embed(new[start : start + _BATCH_SIZE])
        return np.stack([known[question] for question in questions])

    async def unrelated_cosine(self) -> float:
        """The mean cosine of unrelated questions: the scale of cosines differs between models."""
        if self._unrelated_cosine is None:
            foreign = foreign_questions((await self.book.manifest()).lexicon)
            self._unrelated_cosine = mean_cosine(await self.of(foreign)) if foreign else 0.0
        return self._unrelated_cosine

    async def _embed(self, questions: Sequence[str]) -> dict[str, Vector]:
        embedder = self.book.assistant.embedder
        embeddings = await self.book.in_time(lambda: embedder.embed_passages(questions))
        vectors = {
            question: embedding.vector for question, embedding in zip(questions, embeddings, strict=True)
        }
        for question, vector in vectors.items():
            self._cache[question] = vector
        return vectors


class RecentCache(Generic[Value]):
    """Keyed by a digest of a text, so that a reader's deleted words are not kept in memory."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._values = OrderedDict[bytes, Value]()

    def __contains__(self, text: str) -> bool:
        return _digest(text) in self._values

    def __getitem__(self, text: str) -> Value:
        self._values.move_to_end(_digest(text))
        return self._values[_digest(text)]

    def __setitem__(self, text: str, value: Value) -> None:
        self._values[_digest(text)] = value
        while len(self._values) > self._size:
            self._values.popitem(last=False)


def _digest(text: str) -> bytes:
    return sha256(text.encode()).digest()
