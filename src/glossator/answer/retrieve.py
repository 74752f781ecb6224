"""The chunks that bear on a question, best first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from glossator.answer.interact import Interaction, interact
from glossator.answer.weigh import coverage, has_strangers, weigh
from glossator.model import (
    Calibration,
    Embedding,
    Filters,
    FoundPassage,
    Hit,
    IndexQuery,
    Lexicon,
    Vector,
)
from glossator.ports import Embedder, Index
from glossator.text.words import words

DEPTH = 40
"""Passages that are looked at closely."""

_NEAR = 5
"""Passages in which a name of the question is looked for."""

# Fitted by scripts/fit_answers.py on sets that no reported figure is measured on.
_COSINE, _WORDS, _STRETCH, _PAGE = 0.57, 0.45, 1.05, 1.51


@dataclass(frozen=True, slots=True)
class Sight:
    """A found passage, looked at closely; without token states there is only what the index said."""

    found: FoundPassage
    interaction: Interaction | None
    score: float = 0.0

    @property
    def raw(self) -> float:
        return raw_score(self.found.scores.dense or 0.0, self.interaction)


def raw_score(cosine: float, interaction: Interaction | None) -> float:
    """What similarity is made of: the cosine, and how much of the question one place matches."""
    return cosine if interaction is None else (cosine + interaction.stretch) / 2


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for the evidence as a whole."""

    stretch: float
    whole: float
    cosine: float
    coverage: float
    """Of the question's words, in the best passage."""
    strangers: float = 0.0
    """1 when the question has a name or a number that the best passages do not have."""
    length: float = 0.0
    """Of the question, as the logarithm of its words: the longer, the less of it any place matches."""


@dataclass(frozen=True, slots=True)
class Retrieved:
    hits: tuple[Hit, ...]
    sights: Mapping[str, Sequence[Sight]]
    """What was seen of each hit, by its chunk's id, in reading order."""
    signs: Signs


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it is compared with passages."""

    text: str
    embedding: Embedding
    lexicon: Lexicon
    calibration: Calibration


def retrieve(
    text: str, embedder: Embedder, index: Index, *, top_k: int = 5, filters: Filters | None = None
) -> Retrieved:
    """At most `top_k` chunks, each by its best passage, no text twice."""
    # Before anything is embedded: an index of another model, or none, is found out at once.
    manifest = index.manifest()
    embedding = embedder.embed_query(text, states=True)
    query = IndexQuery(
        text=text,
        vector=embedding.vector,
        limit=DEPTH,
        candidates=DEPTH,
        filters=filters or Filters(),
        states=True,
    )
    asked = Asked(text, embedding, manifest.lexicon, manifest.calibration)
    return rank(asked, index.search(query), top_k=top_k)


def rank(asked: Asked, found: Sequence[FoundPassage], *, top_k: int) -> Retrieved:
    embedding = asked.embedding
    weights = weigh(embedding.pieces, asked.lexicon)
    sights = _scored(look(embedding, weights, found), weights)
    best = _best_of_each_chunk(sights)[:top_k]
    return Retrieved(
        hits=tuple(_hit(sight, asked.calibration) for sight in best),
        sights={sight.found.passage.chunk.chunk_id: _seen_of(sight, sights) for sight in best},
        signs=_signs(asked.text, sights, asked.lexicon),
    )


def look(embedding: Embedding, weights: Vector, found: Sequence[FoundPassage]) -> list[Sight]:
    """Every passage with what the question's words find in it."""
    if embedding.states is None or any(one.states is None for one in found):
        return [Sight(one, None) for one in found]
    pairs = [(one.passage, one.states) for one in found if one.states is not None]
    interactions = interact(embedding.states, weights, pairs)
    return [Sight(one, interaction) for one, interaction in zip(found, interactions, strict=True)]


def _scored(sights: Sequence[Sight], weights: Vector) -> list[Sight]:
    """Best first; passages that tie stay in the order of the index."""
    most = max((sight.found.scores.sparse or 0.0 for sight in sights), default=0.0) or 1.0
    pages = _pages(sights, weights)
    scored = [Sight(sight.found, sight.interaction, _score(sight, most, pages)) for sight in sights]
    return sorted(scored, key=lambda sight: -sight.score)


def _pages(sights: Sequence[Sight], weights: Vector) -> dict[str, float]:
    """How much of the question the passages of a page match together."""
    pages = dict[str, Vector]()
    for sight in sights:
        if sight.interaction is not None:
            page, best = sight.found.passage.chunk.page, sight.interaction.best
            pages[page] = np.maximum(pages[page], best) if page in pages else best
    return {page: float(best @ weights) for page, best in pages.items()}


def _score(sight: Sight, most: float, pages: Mapping[str, float]) -> float:
    scores, interaction = sight.found.scores, sight.interaction
    if interaction is None:
        return scores.fused
    by_the_index = _COSINE * (scores.dense or 0.0) + _WORDS * (scores.sparse or 0.0) / most
    return by_the_index + _STRETCH * interaction.stretch + _PAGE * pages[sight.found.passage.chunk.page]


def _best_of_each_chunk(sights: Sequence[Sight]) -> list[Sight]:
    """They come best first, so the first of a chunk, or of its text, is its best."""
    best = dict[str, Sight]()
    for sight in sights:
        best.setdefault(sight.found.passage.chunk.content_hash, sight)
    return list(best.values())


def _hit(sight: Sight, calibration: Calibration) -> Hit:
    passage = sight.found.passage
    similarity = round(calibration.similarity(sight.raw), 4)
    return Hit(passage.chunk, passage, sight.found.scores, similarity)


def _seen_of(best: Sight, sights: Sequence[Sight]) -> list[Sight]:
    chunk_id = best.found.passage.chunk.chunk_id
    seen = [sight for sight in sights if sight.found.passage.chunk.chunk_id == chunk_id]
    return sorted(seen, key=lambda sight: sight.found.passage.number)


def _signs(text: str, sights: Sequence[Sight], lexicon: Lexicon) -> Signs:
    if not sights:
        return Signs(0.0, 0.0, 0.0, 0.0)
    best = sights[0]
    return Signs(
        stretch=best.interaction.stretch if best.interaction else best.raw,
        whole=max(sight.interaction.whole if sight.interaction else sight.raw for sight in sights),
        cosine=max(sight.found.scores.dense or 0.0 for sight in sights),
        coverage=coverage(text, best.found.passage.reading, lexicon),
        length=log(1 + len(words(text))),
        strangers=float(has_strangers(text, (sight.found.passage.reading for sight in sights[:_NEAR]))),
    )
