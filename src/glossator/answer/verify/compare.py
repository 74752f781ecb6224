"""Finds the few neighbouring sentences of the evidence that say most of what a claim says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from glossator.answer.verify.alike import Floats, likeness, same_stems
from glossator.answer.verify.ledger import Ledger, Sentence
from glossator.answer.verify.phrase import Phrase
from glossator.answer.verify.signs.numbers import is_among, numbers
from glossator.model import Span
from glossator.ports import Embedder

Booleans = NDArray[np.bool_]

LOOKED_AT = 6
"""Sentences that are embedded for a claim; more made no difference that could be measured."""
LONGEST = 3
"""Sentences of a window."""
_CITED = 0.02
_LONGER = 0.01
"""What a further sentence must bring, of the whole claim."""
_ELSEWHERE = 0.6
"""What it is worth that a word stands somewhere in the evidence."""
_MUCH = 0.6
"""Of what the best sentence has in common with the claim."""
_UNLIKE, _LIKE = 0.3, 0.8
"""Cosines of two words that have nothing to do with each other, and that mean the same."""


@dataclass(frozen=True, slots=True)
class Claim:
    phrase: Phrase
    weights: Floats
    """Of its words: the rarer, the more."""
    cited: frozenset[int]
    """The evidence that its writer names for it."""


@dataclass(frozen=True)
class Grid:
    """What each sentence of the evidence has of each word of a claim."""

    has_stem: Booleans
    nearest: Floats
    """How near the nearest word comes, of the sentences that were looked at."""
    tables: Mapping[int, Floats]
    """Of those sentences: a row a word of the claim, a column a word of theirs."""
    has_states: bool
    """Whether more than equal stems was compared."""

    @cached_property
    def covered(self) -> Floats:
        return np.maximum(self.has_stem, np.clip((self.nearest - _UNLIKE) / (_LIKE - _UNLIKE), 0, 1))


@dataclass(frozen=True, slots=True)
class Opposite:
    """Sentences of the evidence that a claim is held against."""

    phrase: Phrase
    table: Floats
    """A row a word of the claim, a column a word of theirs."""


@dataclass(frozen=True)
class Match:
    """A claim beside the window of the evidence that comes nearest to it."""

    claim: Claim
    ledger: Ledger
    grid: Grid
    window: range

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        return self.ledger.sentences[self.window.start : self.window.stop]

    @cached_property
    def here(self) -> Opposite:
        """The window."""
        return self._opposite(self.window)

    @cached_property
    def around(self) -> Opposite:
        """All sentences that were looked at and have much in common with the claim."""
        shared = {place: float(self.grid.covered[place] @ self.claim.weights) for place in self.grid.tables}
        least = _MUCH * max(shared.values())
        return self._opposite([place for place in sorted(shared) if shared[place] >= least])

    def _opposite(self, places: Sequence[int]) -> Opposite:
        texts = [self.ledger.sentences[place].phrase.text for place in places]
        phrase = Phrase("\n".join(texts), self.ledger.language)
        return Opposite(phrase, np.hstack([self._table(place) for place in places]))

    def _table(self, place: int) -> Floats:
        bare = np.zeros((len(self.claim.phrase), len(self.ledger.sentences[place].phrase)))
        return self.grid.tables.get(place, bare)

    @cached_property
    def has_stem(self) -> Booleans:
        return np.any(self.grid.has_stem[self.window], axis=0)

    @cached_property
    def covered_here(self) -> Floats:
        """How far the window accounts for each word of the claim; 640 ms are as good as 0.64 s."""
        covered = self.grid.covered[self.window].max(axis=0)
        there = numbers(self.here.phrase)
        equal = [number for number in numbers(self.claim.phrase) if is_among(number, there)]
        covered[[place for number in equal for place in number.places]] = 1.0
        return covered

    @cached_property
    def covered(self) -> Floats:
        """The same, and something for words that stand elsewhere in the evidence."""
        return np.maximum(self.covered_here, _ELSEWHERE * self.known)

    @cached_property
    def covered_anywhere(self) -> Floats:
        """The same, by all sentences that were looked at."""
        return np.maximum(self.grid.covered[list(self.grid.tables)].max(axis=0), self.covered)

    @cached_property
    def known(self) -> Booleans:
        """Whether any of the evidence has a word."""
        return np.array([stem in self.ledger.stems for stem in self.claim.phrase.stems])

    @property
    def span(self) -> Span:
        """Of the plain text of the sheet that the window stands in."""
        return Span(self.sentences[0].span.start, self.sentences[-1].span.end)


def compare(claim: Claim, ledger: Ledger, embedder: Embedder | None) -> Match:
    has_stem = np.array([[stem in one.stems for stem in claim.phrase.stems] for one in ledger.sentences])
    looked_at = _most_in_common(claim, ledger, has_stem)
    phrases = {place: ledger.sentences[place].phrase for place in looked_at}
    alike = _alike(claim.phrase, phrases, ledger, embedder) if embedder else None
    tables = alike or {place: _exact(claim.phrase, phrase) for place, phrase in phrases.items()}
    nearest = np.zeros(has_stem.shape)
    for place, table in tables.items():
        nearest[place] = table.max(axis=1, initial=0.0)
    grid = Grid(has_stem, nearest, tables, alike is not None)
    return Match(claim, ledger, grid, _best_window(claim, ledger, grid))


def _most_in_common(claim: Claim, ledger: Ledger, has_stem: Booleans) -> list[int]:
    cited = [ledger.sheets[one.sheet].evidence.number in claim.cited for one in ledger.sentences]
    shared = has_stem @ claim.weights / claim.weights.sum() + _CITED * np.array(cited)
    return [int(place) for place in np.argsort(-shared, kind="stable")[:LOOKED_AT]]


def _alike(
    claim: Phrase, phrases: Mapping[int, Phrase], ledger: Ledger, embedder: Embedder
) -> dict[int, Floats] | None:
    """None where the embedder does not say what it makes of single words."""
    its = embedder.embed_query(claim.text, states=True)
    if its.states is None or not any(its.pieces):
        return None
    new = [phrase.text for phrase in phrases.values() if phrase.text not in ledger.embeddings]
    ledger.embeddings.update(zip(new, embedder.embed_passages(new, states=True), strict=True))
    return {
        place: np.maximum(
            same_stems(claim, phrase), likeness(claim, its, phrase, ledger.embeddings[phrase.text])
        )
        for place, phrase in phrases.items()
    }


def _exact(claim: Phrase, phrase: Phrase) -> Floats:
    return same_stems(claim, phrase).astype(np.float64)


def _best_window(claim: Claim, ledger: Ledger, grid: Grid) -> range:
    def worth(window: range) -> float:
        covered = grid.covered[window].max(axis=0)
        return float(covered @ claim.weights / claim.weights.sum()) - _LONGER * len(window)

    return max(_windows(ledger, list(grid.tables)), key=worth)


def _windows(ledger: Ledger, around: Sequence[int]) -> Iterator[range]:
    """Each that has one of these sentences in it and stays in one evidence."""
    for place in around:
        sheet = ledger.sentences[place].sheet
        for first in range(max(0, place - LONGEST + 1), place + 1):
            for last in range(place + 1, min(len(ledger.sentences), first + LONGEST) + 1):
                if ledger.sentences[first].sheet == sheet == ledger.sentences[last - 1].sheet:
                    yield range(first, last)
