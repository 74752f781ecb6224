"""Hits become the numbered evidence that an answer may rest on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import exp

from glossator.answer.retrieve import RetrievalResult
from glossator.answer.windows import parts_of, source_spans
from glossator.model import Chunk, Evidence, Hit, Passage, ScoredUnit, Span, Unit


def gather(result: RetrievalResult, *, first: int = 1) -> list[Evidence]:
    """One for each hit, best first, with its units and how likely each belongs to the answer."""
    return [_evidence(number, hit, result) for number, hit in enumerate(result.hits, first)]


def _evidence(number: int, hit: Hit, result: RetrievalResult) -> Evidence:
    found = {one.passage.number: one.passage for one in result.found if one.passage.chunk == hit.chunk}
    passages = tuple(found[place] for place in sorted(found))
    relevance = _relevance(hit.chunk, result)
    units = tuple(unit for passage in passages for unit in _scored(passage, relevance))
    return Evidence(number, hit.chunk, hit.passage.section, units, hit.similarity, passages)


def _relevance(chunk: Chunk, result: RetrievalResult) -> dict[tuple[int, Span], float]:
    """Of each part that was read, by its passage and place in its reading: the best of its windows."""
    best = dict[tuple[int, Span], float]()
    for one in result.windows:
        passage = one.window.passage
        if passage.chunk != chunk:
            continue
        for part, belongs in zip(one.window.parts, one.reading.belongs, strict=True):
            key = (passage.number, part.reading)
            best[key] = max(best.get(key, 0.0), one.similarity / (1.0 + exp(-belongs)))
    return best


def _scored(passage: Passage, relevance: Mapping[tuple[int, Span], float]) -> Iterator[ScoredUnit]:
    """Code line by line, all else by its units."""
    parts = parts_of(passage)
    for part, span in zip(parts, source_spans(passage, parts), strict=True):
        unit = passage.units[part.unit]._replace(start=span.start, end=span.end, tokens=part.tokens)
        key = (passage.number, part.reading)
        yield ScoredUnit(unit, words_of(unit, passage.chunk), relevance.get(key, 0.0))


def words_of(unit: Unit, chunk: Chunk) -> str:
    return chunk.text[unit.start - chunk.start : unit.end - chunk.start]
