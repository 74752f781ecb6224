"""How rare each term is in one generation, for the sparse leg of a search on a Qdrant server.

The server could weigh terms itself, but only over a whole collection. That holds passages of several
generations, so the scores of the current one would change while the next is written.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Iterable, Mapping
from math import log
from zlib import compress, decompress

import numpy as np
from qdrant_client.models import SparseVector


class DocumentFrequencies:
    def __init__(self, passages: int = 0, counts: Mapping[int, int] | None = None) -> None:
        """`counts`: the number of passages with each term, by its index in sparse vectors."""
        self._passages = passages
        self._counts = Counter(counts or {})

    def count(self, terms: Iterable[int]) -> None:
        """Counts the terms of one more passage."""
        self._passages += 1
        self._counts.update(set(terms))

    def discount(self, terms: Iterable[int]) -> None:
        """Takes back the terms of a passage that was counted and is no longer in the book."""
        self._passages -= 1
        self._counts.subtract(set(terms))

    def weigh(self, terms: Iterable[int], values: Iterable[float]) -> SparseVector:
        """A question's terms by their inverse document frequency, as Qdrant computes it."""
        weighed = {term: value * self._rarity(term) for term, value in zip(terms, values, strict=True)}
        return SparseVector(indices=list(weighed), values=list(weighed.values()))

    def _rarity(self, term: int) -> float:
        count = self._counts[term]
        return log((self._passages - count + 0.5) / (count + 0.5) + 1.0)

    def packed(self) -> str:
        terms = np.array(sorted(term for term, count in self._counts.items() if count > 0), np.uint32)
        counts = np.array([self._counts[int(term)] for term in terms], np.uint32)
        numbers = np.array([self._passages, len(terms)], np.uint32)
        return b64encode(compress(np.concatenate([numbers, terms, counts]).tobytes())).decode()

    @classmethod
    def unpacked(cls, packed: str) -> DocumentFrequencies:
        passages, size, *rest = np.frombuffer(decompress(b64decode(packed)), np.uint32).tolist()
        return cls(passages, dict(zip(rest[:size], rest[size:], strict=True)))
