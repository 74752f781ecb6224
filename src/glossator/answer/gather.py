"""Hits become the numbered evidence that an answer may rest on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import exp

from glossator.answer.confidence import unit_order_of
from glossator.answer.retrieve import RetrievalResult
from glossator.answer.windows import parts_of, source_spans
from glossator.model import Chunk, Evidence, Hit, Part, Passage, ScoredUnit, Span, Unit

_Key = tuple[str, int, Span]
"""A part of a reading: its chunk, its passage and its place there."""


def gather(result: RetrievalResult, *parts: RetrievalResult) -> list[Evidence]:
    """One for each hit, best first, with its units and how much speaks for each.

    Of a question that asks for several things the best for each of its parts comes first.
    """
    best = [part.hits[0] for part in parts if part.hits]
    hits = list({hit.chunk.content_hash: hit for hit in (*best, *result.hits)}.values())
    results = parts or (result,)
    relevance = _highest([_relevance(one) for one in results])
    found = [one.passage for some in (result, *parts) for one in some.found]
    return [_evidence(number, hit, found, relevance) for number, hit in enumerate(hits, 1)]


def _highest(some: Sequence[Mapping[_Key, float]]) -> dict[_Key, float]:
    keys = dict.fromkeys(key for one in some for key in one)
    return {key: max(one.get(key, 0.0) for one in some) for key in keys}


def _evidence(
    number: int, hit: Hit, passages_found: Sequence[Passage], relevance: Mapping[_Key, float]
) -> Evidence:
    found = {one.number: one for one in passages_found if one.chunk == hit.chunk}
    passages = tuple(found[place] for place in sorted(found))
    units = tuple(unit for passage in passages for unit in _scored(passage, relevance))
    return Evidence(number, hit.chunk, hit.passage.section, units, hit.similarity, passages)


def _relevance(result: RetrievalResult) -> dict[_Key, float]:
    """Of each part that was read its odds, beside the best part's; a part of several windows has its best."""
    best = dict[_Key, float]()
    for one in result.windows:
        for part, belongs, facts in zip(
            one.window.parts, one.reading.belongs, one.reading.facts, strict=True
        ):
            key, order = _key(one.window.passage, part), unit_order_of(one.order, belongs, facts)
            best[key] = max(best.get(key, order), order)
    most = max(best.values(), default=0.0)
    return {key: exp(order - most) for key, order in best.items()}


def _key(passage: Passage, part: Part) -> _Key:
    return passage.chunk.content_hash, passage.number, part.reading


def _scored(passage: Passage, relevance: Mapping[_Key, float]) -> Iterator[ScoredUnit]:
    """Code line by line, all else by its units."""
    parts = parts_of(passage)
    for part, span in zip(parts, source_spans(passage, parts), strict=True):
        unit = passage.units[part.unit]._replace(start=span.start, end=span.end, tokens=part.tokens)
        yield ScoredUnit(unit, words_of(unit, passage.chunk), relevance.get(_key(passage, part), 0.0))


def words_of(unit: Unit, chunk: Chunk) -> str:
    return chunk.text[unit.start - chunk.start : unit.end - chunk.start]
