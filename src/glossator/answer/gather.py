"""Hits become the numbered evidence that an answer may rest on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import exp

from glossator.answer.retrieve import RetrievalResult
from glossator.model import Chunk, Evidence, Hit, Passage, ScoredUnit, Unit


def gather(result: RetrievalResult, *, first: int = 1) -> list[Evidence]:
    """One for each hit, best first, with its units and how likely each belongs to the answer."""
    return [_evidence(number, hit, result) for number, hit in enumerate(result.hits, first)]


def _evidence(number: int, hit: Hit, result: RetrievalResult) -> Evidence:
    found = {one.passage.number: one.passage for one in result.found if one.passage.chunk == hit.chunk}
    passages = tuple(found[place] for place in sorted(found))
    relevance = _relevance(hit.chunk, result)
    units = tuple(unit for passage in passages for unit in _scored(passage, relevance))
    return Evidence(number, hit.chunk, hit.passage.section, units, hit.similarity, passages)


def _relevance(chunk: Chunk, result: RetrievalResult) -> dict[tuple[int, int], float]:
    """Of each unit that was read, by its passage and place: the best of the windows it stands in."""
    best = dict[tuple[int, int], float]()
    for one in result.windows:
        passage = one.window.passage
        if passage.chunk != chunk:
            continue
        for part, belongs in zip(one.window.parts, one.reading.belongs, strict=True):
            key = (passage.number, part.unit)
            best[key] = max(best.get(key, 0.0), one.similarity / (1.0 + exp(-belongs)))
    return best


def _scored(passage: Passage, relevance: Mapping[tuple[int, int], float]) -> Iterator[ScoredUnit]:
    for place, unit in enumerate(passage.units):
        yield ScoredUnit(unit, words_of(unit, passage.chunk), relevance.get((passage.number, place), 0.0))


def words_of(unit: Unit, chunk: Chunk) -> str:
    return chunk.text[unit.start - chunk.start : unit.end - chunk.start]
