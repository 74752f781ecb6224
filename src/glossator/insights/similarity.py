"""How much questions ask the same: half by what they mean, half by the rare words that they share.

Either alone is worse: what a small model takes for the same meaning may be two subjects in one phrase, and
paraphrases may share no word.
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
from glossator.answer.question_generation import foreign_questions
from glossator.answer.weigh import asked_for
from glossator.model import Lexicon, Vector

# What was worked out last, so that it need not be again.

Value = TypeVar("Value")


class RecentCache(Generic[Value]):
    """By the digest of some words: a reader's own, once deleted, are not in memory either."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values = OrderedDict[bytes, Value]()

    def __contains__(self, words: str) -> bool:
        return _digest(words) in self._values

    def __getitem__(self, words: str) -> Value:
        self._values.move_to_end(_digest(words))
        return self._values[_digest(words)]

    def __setitem__(self, words: str, value: Value) -> None:
        self._values[_digest(words)] = value
        while len(self._values) > self._most:
            self._values.popitem(last=False)


def _digest(words: str) -> bytes:
    return sha256(words.encode()).digest()


_LEAST_ROOM = 0.01
"""Above what is usual, for a model to which everything is alike."""


def question_similarity(questions: Sequence[str], vectors: Matrix, usual: float, lexicon: Lexicon) -> Matrix:
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


# What is alike comes together: average linkage, until no two groups are alike enough.

Matrix = NDArray[np.float32]


def cluster(question_similarity: Matrix, least: float) -> list[list[int]]:
    """Groups of rows whose mean likeness is at least so much, the one with the first row first.

    Merges any two groups that are each other's nearest. In the end that is the same as merging the nearest
    two of all each time, and takes the square of their number instead of the cube.
    """
    groups = _Groups(question_similarity)
    while groups.open:
        one, other = groups.neighbours()
        if groups.question_similarity[one, other] < least:
            # Merging others never brings anybody nearer, so nobody will be near enough.
            groups.close(one)
        else:
            groups.merge(one, other)
    return sorted(groups.closed)


class _Groups:
    def __init__(self, question_similarity: Matrix) -> None:
        self.question_similarity = question_similarity.copy()
        np.fill_diagonal(self.question_similarity, -np.inf)
        self.open = {row: [row] for row in range(len(question_similarity))}
        """By the row that stands for the group."""
        self.closed = list[list[int]]()

    def neighbours(self) -> tuple[int, int]:
        """A group and its nearest, which has none that is nearer to it."""
        one = next(iter(self.open))
        other = self._nearest(one)
        while (
            self.question_similarity[other, further := self._nearest(other)]
            > self.question_similarity[other, one]
        ):
            one, other = other, further
        return one, other

    def merge(self, one: int, other: int) -> None:
        mine, others = len(self.open[one]), len(self.open[other])
        row = (mine * self.question_similarity[one] + others * self.question_similarity[other]) / (
            mine + others
        )
        row[one] = -np.inf
        self.question_similarity[one] = self.question_similarity[:, one] = row
        self.open[one] += self.open[other]
        self._forget(other)

    def close(self, one: int) -> None:
        self.closed.append(sorted(self.open[one]))
        self._forget(one)

    def _nearest(self, one: int) -> int:
        return int(self.question_similarity[one].argmax())

    def _forget(self, one: int) -> None:
        del self.open[one]
        self.question_similarity[one] = self.question_similarity[:, one] = -np.inf


# What questions mean, as vectors; each is embedded once.

_MOST_KEPT = 4_000
_AT_ONCE = 64
"""Between two batches a reader's question has its turn, and each has the time of one search."""


@dataclass(slots=True)
class QuestionEmbeddings:
    book: ServedBook
    _known: RecentCache[Vector] = field(default_factory=lambda: RecentCache[Vector](_MOST_KEPT))
    _usual: float | None = None

    async def of(self, questions: Sequence[str]) -> Matrix:
        """A row each."""
        known = {question: self._known[question] for question in questions if question in self._known}
        new = [question for question in dict.fromkeys(questions) if question not in known]
        for start in range(0, len(new), _AT_ONCE):
            known |= await self._read(new[start : start + _AT_ONCE])
        return np.stack([known[question] for question in questions])

    async def usual_cosine(self) -> float:
        """Of two questions that have nothing in common: cosines mean something else in each model."""
        if self._usual is None:
            foreign = foreign_questions((await self.book.manifest()).lexicon)
            self._usual = mean_cosine(await self.of(foreign)) if foreign else 0.0
        return self._usual

    async def _read(self, some: Sequence[str]) -> dict[str, Vector]:
        embedder = self.book.assistant.embedder
        embeddings = await self.book.in_time(lambda: embedder.embed_passages(some))
        read = {question: one.vector for question, one in zip(some, embeddings, strict=True)}
        for question, vector in read.items():
            self._known[question] = vector
        return read
