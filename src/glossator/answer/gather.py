"""Hits become the numbered evidence that an answer may rest on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from glossator.answer.retrieve import Retrieved, Sight
from glossator.answer.weigh import coverage
from glossator.model import Chunk, Evidence, Lexicon, ScoredUnit, Unit


def gather(question: str, retrieved: Retrieved, lexicon: Lexicon, *, first: int = 1) -> list[Evidence]:
    """One for each hit, best first, with every unit that was seen of it."""
    return [
        Evidence(
            number=number,
            chunk=hit.chunk,
            section=hit.passage.section,
            units=tuple(_units(question, retrieved.sights[hit.chunk.chunk_id], lexicon)),
            similarity=hit.similarity,
        )
        for number, hit in enumerate(retrieved.hits, first)
    ]


def _units(question: str, sights: Sequence[Sight], lexicon: Lexicon) -> Iterator[ScoredUnit]:
    for sight in sights:
        passage = sight.found.passage
        texts = [words_of(unit, passage.chunk) for unit in passage.units]
        if sight.interaction is None:
            relevance = [coverage(question, text, lexicon) for text in texts]
        else:
            relevance = sight.interaction.of_units(passage.units)
        yield from map(ScoredUnit, passage.units, texts, relevance)


def words_of(unit: Unit, chunk: Chunk) -> str:
    return chunk.text[unit.start - chunk.start : unit.end - chunk.start]
