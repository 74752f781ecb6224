"""How much the words of two sentences are alike, by their stems and by the states of their pieces."""

from __future__ import annotations

import unicodedata

import numpy as np
from numpy.typing import NDArray

from glossator.answer.verify.phrase import Phrase
from glossator.model import Embedding

Floats = NDArray[np.float64]

_FARTHEST = 40
"""Characters between a piece and the next, where some could not be found."""


def same_stems(one: Phrase, other: Phrase) -> NDArray[np.bool_]:
    """A row for each word of the one."""
    if not len(one) or not len(other):
        return np.zeros((len(one), len(other)), bool)
    return np.array(one.stems)[:, None] == np.array(other.stems)[None, :]


def likeness(one: Phrase, its: Embedding, other: Phrase, others: Embedding) -> Floats:
    """Cosines of words in their sentences; 0 where the model did not read as far."""
    table = np.zeros((len(one), len(other)))
    if its.states is None or others.states is None:
        return table
    rows, columns = words_of_pieces(one, its.pieces), words_of_pieces(other, others.pieces)
    by_piece = (its.states @ others.states.T)[rows >= 0][:, columns >= 0].astype(np.float64)
    rows, columns = rows[rows >= 0], columns[columns >= 0]
    if by_piece.size:
        best = np.maximum.reduceat(by_piece, _firsts(columns), axis=1)
        sums = np.add.reduceat(best, _firsts(rows), axis=0)
        counts = np.diff([*_firsts(rows), len(rows)])
        table[np.ix_(rows[_firsts(rows)], columns[_firsts(columns)])] = sums / counts[:, None]
    return np.maximum(table, 0.0)


def _firsts(words: NDArray[np.intp]) -> NDArray[np.intp]:
    """Where the pieces of each word begin."""
    return np.flatnonzero(np.diff(words, prepend=-1))


def words_of_pieces(phrase: Phrase, pieces: tuple[str, ...]) -> NDArray[np.intp]:
    """For each piece the word it is of, or -1 for punctuation."""
    letters = "".join(map(_letter, phrase.text))
    words = np.full(len(letters) + 1, -1)
    for number, span in enumerate(phrase.spans):
        words[span.start : span.end] = number
    found = np.full(len(pieces), -1)
    at = 0
    for number, piece in enumerate(pieces):
        part = piece.removeprefix("##")
        place = letters.find(part, at, at + len(part) + _FARTHEST) if part else -1
        if place >= 0:
            found[number], at = words[place], place + len(part)
    return found


def _letter(character: str) -> str:
    """As the model reads it: small, and without accents."""
    return character if character < "\x80" and not character.isupper() else _plain_letter(character)


def _plain_letter(character: str) -> str:
    return unicodedata.normalize("NFD", character.lower())[:1] or character
