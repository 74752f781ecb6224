"""Hits become the numbered evidence that an answer may rest on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from glossator.answer.interact import of_units
from glossator.answer.retrieve import Retrieved, Sight
from glossator.answer.weigh import coverage
from glossator.model import Chunk, Evidence, Lexicon, Passage, ScoredUnit, Unit


def gather(question: str, retrieved: Retrieved, lexicon: Lexicon, *, first: int = 1) -> list[Evidence]:
    """One for each hit, best first, with every unit that was seen of it."""
    seen = [retrieved.sights[hit.chunk.chunk_id] for hit in retrieved.hits]
    relevance = iter(_relevance(question, [sight for sights in seen for sight in sights], lexicon))
    return [
        Evidence(
            number=number,
            chunk=hit.chunk,
            section=hit.passage.section,
            units=tuple(unit for sight in sights for unit in _scored(sight.found.passage, next(relevance))),
            similarity=hit.similarity,
        )
        for number, (hit, sights) in enumerate(zip(retrieved.hits, seen, strict=True), first)
    ]


def _relevance(question: str, sights: Sequence[Sight], lexicon: Lexicon) -> list[list[float]]:
    """Of the units of each; by their words alone where there are no token states."""
    interactions = [
        (sight.interaction, sight.found.passage.units) for sight in sights if sight.interaction is not None
    ]
    if len(interactions) == len(sights):
        return of_units(interactions)
    return [
        [coverage(question, words_of(unit, passage.chunk), lexicon) for unit in passage.units]
        for passage in (sight.found.passage for sight in sights)
    ]


def _scored(passage: Passage, relevance: Sequence[float]) -> Iterator[ScoredUnit]:
    texts = [words_of(unit, passage.chunk) for unit in passage.units]
    return map(ScoredUnit, passage.units, texts, relevance)


def words_of(unit: Unit, chunk: Chunk) -> str:
    return chunk.text[unit.start - chunk.start : unit.end - chunk.start]
