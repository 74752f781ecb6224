"""What questions mean, as vectors; each is embedded once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from glossator.answer.ask_itself import foreign_questions
from glossator.engine.book import Book
from glossator.engine.cluster import Matrix
from glossator.engine.likeness import mean_cosine
from glossator.engine.recent import Recent
from glossator.model import Vector

_MOST_KEPT = 4_000
_AT_ONCE = 64
"""Between two batches a reader's question has its turn, and each has the time of one search."""


@dataclass(slots=True)
class Meanings:
    book: Book
    _known: Recent[Vector] = field(default_factory=lambda: Recent[Vector](_MOST_KEPT))
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
