"""What a raw score means in this book: fitted on its own headings and on questions from elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from glossator.answer.ask_itself.foreign import foreign_questions
from glossator.answer.ask_itself.headings import heading_questions
from glossator.answer.ask_itself.sections import sections_of
from glossator.answer.ask_itself.self_question import SelfQuestion
from glossator.answer.interact import Interaction, interact
from glossator.answer.retrieve import raw_score
from glossator.answer.weigh import weigh
from glossator.model import Calibration, Chunk, Embedding, Lexicon, Passage, TokenStates
from glossator.ports import Embedder

_MOST = 30
"""Questions of each kind."""
_FEWEST = 12
"""With fewer headings of its own a book is too small to be fitted."""
_CLOSELY = 4
"""Passages that each question is compared with closely."""
_EASIER = 0.06
"""A heading stands in what is read of its own section, and scores higher there than a reader's question."""
_FARTHER = 0.03
"""The questions from elsewhere are farther from any book than what its readers ask beside it."""
_OTHER_SECTIONS = 0.5
"""What another page counts as not bearing on a heading: often it does, a little."""
_TRUST = 20.0
"""How many pairs the shipped curve is worth."""

Some = TypeVar("Some")
Curve = NDArray[np.float64]
Vectors = NDArray[np.float32]
"""One row for each passage."""
StatesOf = Callable[[Sequence[int]], list[TokenStates | None]]


@dataclass(frozen=True, slots=True)
class Calibrator:
    embedder: Embedder
    default: Calibration

    def fit(
        self, passages: Sequence[Passage], vectors: Vectors, states_of: StatesOf, lexicon: Lexicon
    ) -> Calibration:
        """The shipped curve for a book that is too small."""
        book = _Book(passages, vectors, states_of, lexicon)
        own = _spread(heading_questions(sections_of(_chunks(passages)), lexicon.language))
        foreign = _spread(foreign_questions(lexicon))
        if len(own) < _FEWEST or len(foreign) < _FEWEST:
            return self.default
        pairs = [*self._own(own, book), *self._foreign(foreign, book)]
        return _fitted(pairs, self.default)

    def _own(self, questions: Sequence[SelfQuestion], book: _Book) -> Iterator[_Pair]:
        """Its own section bears on a heading; the other pages mostly do not."""
        for question in questions:
            pages = {place.page for place in question.places}
            inside = [
                index
                for index, passage in enumerate(book.passages)
                if any(place.holds(passage.chunk.page, passage.start) for place in question.places)
            ]
            outside = [
                index for index, passage in enumerate(book.passages) if passage.chunk.page not in pages
            ]
            embedding = self.embedder.embed_query(question.text, states=True)
            if inside:
                yield _Pair(book.best(embedding, np.array(inside)) - _EASIER, 1.0, 1.0)
            if outside:
                yield _Pair(book.best(embedding, np.array(outside)) - _EASIER, 0.0, _OTHER_SECTIONS)

    def _foreign(self, questions: Sequence[str], book: _Book) -> Iterator[_Pair]:
        """Nothing in the book bears on a question from elsewhere, not even what comes nearest."""
        everywhere = np.arange(len(book.passages))
        for question in questions:
            embedding = self.embedder.embed_query(question, states=True)
            yield _Pair(book.best(embedding, everywhere) + _FARTHER, 0.0, 1.0)


class _Pair(NamedTuple):
    score: float
    bears: float
    weight: float


@dataclass(frozen=True, slots=True)
class _Book:
    passages: Sequence[Passage]
    vectors: Vectors
    states_of: StatesOf
    lexicon: Lexicon

    def best(self, embedding: Embedding, among: NDArray[np.int64]) -> float:
        """The highest raw score, as a search would give it."""
        cosines = self.vectors[among] @ embedding.vector
        nearest = np.argsort(-cosines)[:_CLOSELY]
        places = among[nearest].tolist()
        seen = self._looked_at(embedding, places)
        return max(map(raw_score, cosines[nearest].tolist(), seen))

    def _looked_at(self, embedding: Embedding, places: Sequence[int]) -> Sequence[Interaction | None]:
        states = [one for one in self.states_of(places) if one is not None]
        if embedding.states is None or len(states) < len(places):
            return [None] * len(places)
        pairs = list(zip([self.passages[place] for place in places], states, strict=True))
        return interact(embedding.states, weigh(embedding.pieces, self.lexicon), pairs)


def _chunks(passages: Sequence[Passage]) -> Collection[Chunk]:
    return {passage.chunk.chunk_id: passage.chunk for passage in passages}.values()


def _spread(some: Sequence[Some]) -> list[Some]:
    """At most so many, from all over the book."""
    step = max(len(some) / _MOST, 1.0)
    return [some[int(index * step)] for index in range(min(len(some), _MOST))]


def _fitted(pairs: Sequence[_Pair], default: Calibration) -> Calibration:
    """A logistic curve by Newton's steps, held to the shipped one as by so many pairs more."""
    held = np.linspace(default.midpoint - 0.25, default.midpoint + 0.25, 11)
    prior = [_Pair(score, default.similarity(score), _TRUST / len(held)) for score in held.tolist()]
    every = np.array([*pairs, *prior], np.float64)
    scores, bears, weights = every[:, 0], every[:, 1], every[:, 2]
    rows = np.stack([scores, np.ones(len(scores))], axis=1)
    curve: Curve = np.array([default.slope, -default.slope * default.midpoint])
    for _ in range(50):
        chance: Curve = 1.0 / (1.0 + np.exp(-(rows @ curve)))
        bend = (rows.T * (weights * chance * (1.0 - chance))) @ rows + 1e-6 * np.eye(2)
        step = np.linalg.solve(bend, rows.T @ (weights * (chance - bears)))
        curve = curve - step.astype(np.float64)
    slope, constant = float(curve[0]), float(curve[1])
    if slope <= 0.0:
        return default
    return Calibration(slope=round(slope, 3), midpoint=round(-constant / slope, 4), source="book")
